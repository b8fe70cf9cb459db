package pace

import (
	"sync"
	"sync/atomic"
	"time"
)

// DefaultPatience is how long a run waits for a cluster that answers nothing. A node restarts in
// less time.
const DefaultPatience = time.Minute

// Liveness measures how long a cluster has been silent, so that a short silence neither uses up
// attempts nor ends a run. Only time with requests in flight counts as silence. The time in which
// an input has no data, or a rate limit holds requests back, does not. Liveness is safe for
// concurrent use; the zero value is ready.
type Liveness struct {
	answers atomic.Int64
	silent  atomic.Bool // the last known request was not answered

	mu       sync.Mutex
	inFlight int           // requests that have begun and not ended
	silence  time.Duration // duration, up to silentSince
	// if silent and requests are in flight: since when the silence continues
	silentSince time.Time
}

// Begin records the beginning of a request. Its attempts, and the waits between them, belong to it.
// The wait until the first attempt is allowed does not.
func (p *Liveness) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == 0 && p.silent.Load() {
		p.silentSince = time.Now()
	}
	p.inFlight++
}

// End records the end of a request, whatever its result. It panics if none had begun.
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

// Answered records an answer, which may be an error.
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

// Answers returns the number of answers so far.
func (p *Liveness) Answers() int64 { return p.answers.Load() }

// Failed records a request without an answer. It returns how long the cluster has been silent,
// counted from the first such failure.
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
