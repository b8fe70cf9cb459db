package pace

import (
	"sync"
	"sync/atomic"
	"time"
)

// DefaultPatience is how long a run goes on with a cluster that answers nothing:
// longer than a node takes to come back, and short enough for whoever is to know.
const DefaultPatience = time.Minute

// Liveness knows whether a cluster answers at all, so that attempts do not run out, and
// a run does not end, for a silence that passes. Only time in which something is asked
// of the cluster counts as its silence: not that in which an input has nothing to give,
// or a rate holds requests back. It is safe for concurrent use; the zero value is ready.
type Liveness struct {
	answers atomic.Int64
	silent  atomic.Bool // the last request that is known of was not answered

	mu          sync.Mutex
	inFlight    int           // requests that have begun and not ended
	silence     time.Duration // up to from
	silentSince time.Time     // when silent and asking: from when on the silence goes on
}

// Begin notes that something is asked of the cluster, until End is called. Attempts, and
// the waits between them, belong to one request; waiting for the first of them to be
// allowed does not.
func (p *Liveness) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == 0 && p.silent.Load() {
		p.silentSince = time.Now()
	}
	p.inFlight++
}

// End notes the end of a request, whatever came of it. It panics when none had begun.
func (p *Liveness) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == 0 {
		panic("pace: more requests have ended than begun")
	}
	if p.inFlight == 1 && p.silent.Load() {
		p.silence += time.Since(p.silentSince)
	}
	p.inFlight--
}

// Answered notes an answer, be it an error.
func (p *Liveness) Answered() {
	p.answers.Add(1)
	if !p.silent.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent.Store(false)
	p.silence = 0
}

// Answers is the number of answers so far.
func (p *Liveness) Answers() int64 { return p.answers.Load() }

// Failed notes a request without an answer, and says for how long there have been
// nothing but such, counted from when the first of them failed.
func (p *Liveness) Failed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.silent.Load() {
		p.silent.Store(true)
		p.silentSince = time.Now()
		return 0
	}
	if p.inFlight == 0 {
		return p.silence
	}
	return p.silence + time.Since(p.silentSince)
}
