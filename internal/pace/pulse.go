package pace

import (
	"sync/atomic"
	"time"
)

// DefaultPatience is how long a run goes on with a cluster that answers nothing:
// longer than a node takes to come back, and short enough for whoever is to know.
const DefaultPatience = time.Minute

// Pulse knows whether a cluster answers at all, so that attempts do not run out, and
// a run does not end, for a silence that passes. It is safe for concurrent use; the
// zero value is ready.
type Pulse struct {
	answers atomic.Int64
	since   atomic.Int64 // of the silence, nanoseconds since the epoch; 0: the last was answered
}

// Answered notes an answer, be it an error.
func (p *Pulse) Answered() {
	p.answers.Add(1)
	if p.since.Load() != 0 {
		p.since.Store(0)
	}
}

// Answers is the number of answers so far.
func (p *Pulse) Answers() int64 { return p.answers.Load() }

// Failed notes a request without an answer, and says for how long there have been
// nothing but such.
func (p *Pulse) Failed() time.Duration {
	now := time.Now().UnixNano()
	if p.since.CompareAndSwap(0, now) {
		return 0
	}
	since := p.since.Load()
	if since == 0 {
		return 0
	}
	return time.Duration(now - since)
}
