package pace

import (
	"context"
	"time"
)

// GateOptions say how a Gate finds its limit. Only Ceiling has no default.
type GateOptions struct {
	// Ceiling is the most requests in flight at any time, at least 1.
	Ceiling int
	// Far is the most requests in flight to nodes that are far away: at most Ceiling of them at the
	// nodes, the others on the line. Default Ceiling.
	Far int
	// Start is the limit to begin with. Default a quarter of the ceiling, at least 4:
	// a bad guess from below costs a second, one from above hits the application.
	Start int
	// OnWire is the number of requests on the line to begin with, besides Start. They are let
	// through one after another, during the first round trip, which takes Trip. Default 0.
	OnWire int
	Trip   time.Duration
	// Tolerance is how many times its unloaded latency a request may take before the
	// limit falls, at least 1. Default 2: of a server with c cores about 2c requests
	// are in flight then, one worked on and one waiting for each core. Less leaves
	// cores idle when latencies scatter, more only makes the queue longer.
	Tolerance float64
	// Overhead is what a request of no size costs, in the units of Release; it is
	// added to every request, so that empty pages do not look slow. Default 1.
	Overhead float64
	// Samples is the least number of answers for one change of the limit. Default 8.
	Samples int
	// Probe is how long a measure of the unloaded latency is believed. Default 10 s,
	// as in BBR; a measure takes a few round trips at a low limit, so the time is
	// stretched to 50 round trips where those are long.
	Probe time.Duration
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

func (o GateOptions) withDefaults() GateOptions {
	o.Ceiling = max(o.Ceiling, 1)
	o.Far = max(o.Far, o.Ceiling)
	if o.Start <= 0 {
		o.Start = max(4, o.Ceiling/4)
	}
	o.Start = min(o.Start, o.Ceiling)
	o.OnWire = min(max(o.OnWire, 0), o.Far-o.Ceiling)
	if o.Tolerance == 0 {
		o.Tolerance = 2
	}
	o.Tolerance = max(o.Tolerance, 1)
	if o.Overhead <= 0 {
		o.Overhead = 1
	}
	if o.Samples <= 0 {
		o.Samples = 8
	}
	if o.Probe <= 0 {
		o.Probe = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Gate lets requests through, first come, first served, up to a number in flight
// that it finds by itself: it grows while the latency holds and falls when the
// latency rises or the server says that it is overloaded. It never falls below 1
// and never rises above the ceiling or above what Allow says. Requests that are on the line to a
// node that is far away come on top of that, up to GateOptions.Far in all.
//
// It is safe for concurrent use.
type Gate struct {
	queue    waitQueue
	now      func() time.Time
	begun    bool // a request has passed
	inFlight int
	pauses   int // pauses after requests, which count as if they were in flight
	limit    concurrencyLimit
}

// NewGate makes a gate.
func NewGate(o GateOptions) *Gate {
	o = o.withDefaults()
	g := &Gate{now: o.Now, limit: newConcurrencyLimit(o, o.Now())}
	g.queue.fits = func(int64) bool { return g.inFlight+g.pauses < g.limit.allowed() }
	g.queue.take = func(int64) {
		g.inFlight++
		g.limit.peak = max(g.limit.peak, g.inFlight)
		if !g.begun && o.OnWire > 0 {
			g.fillWire(o, 1)
		}
		g.begun = true
	}
	return g
}

// wireSteps is the number of steps in which the first requests pass to a long line. A node does not
// get them all at once.
const wireSteps = 16

// fillWire lets requests through to the line, and does so again after a step, until the last step.
func (g *Gate) fillWire(o GateOptions, step int) {
	time.AfterFunc(o.Trip/wireSteps, func() {
		g.queue.mu.Lock()
		defer g.queue.mu.Unlock()
		g.limit.wire.allowMore(float64(o.OnWire) / wireSteps)
		g.queue.wakeLocked()
		if step < wireSteps {
			g.fillWire(o, step+1)
		}
	})
}

// Acquire waits until one more request may go. The error is the context's; any
// other end must be followed by one Release.
func (g *Gate) Acquire(ctx context.Context) error { return g.queue.acquire(ctx, 1) }

// Release ends a request: how long it was on its way, without the wait in Acquire,
// its size in any unit that the latency grows with (bytes, rows; the same unit for
// all), and what became of it. Latency and size of a Bad one do not matter. It
// panics if nothing is in flight.
func (g *Gate) Release(latency time.Duration, units float64, o Outcome) {
	g.ReleaseFar(latency, 0, units, o)
}

// ReleaseFar is Release of a request to a node that a round trip to takes some time; 0: it is near.
func (g *Gate) ReleaseFar(latency, trip time.Duration, units float64, o Outcome) {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	if g.inFlight == 0 {
		panic("pace: release of a gate that nobody has passed")
	}
	inFlight := g.inFlight
	g.inFlight--
	switch now := g.now(); o {
	case Good:
		g.limit.succeeded(now, response{latency, trip, units}, inFlight)
	case Overloaded:
		g.limit.overloaded(now, latency)
	}
	if rest := g.limit.pauseAfter(latency); rest > 0 {
		g.pauses++
		time.AfterFunc(rest, g.endPause)
	}
	g.queue.wakeLocked()
}

// endPause ends a pause.
func (g *Gate) endPause() {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	g.pauses--
	g.queue.wakeLocked()
}

// Allow bounds the limit from outside, in requests. A bound that is no whole number allows the next
// one, with pauses after requests. Below it the limit is the gate's own.
func (g *Gate) Allow(most float64) {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	g.limit.allow(most)
	g.queue.wakeLocked()
}

// ceiling is the most requests in flight at any time.
func (g *Gate) ceiling() int { return g.limit.o.Ceiling }

// Limit says how many requests may be in flight now.
func (g *Gate) Limit() int {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.limit.allowed()
}

// Bound reports whether the ceiling holds back requests that the nodes could take. It does so if
// the most that may be are in flight, and most of them are on the line.
func (g *Gate) Bound() bool {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.limit.wire.atCeiling
}

// InFlight says how many requests are in flight. It can be more than the limit
// just after that has fallen.
func (g *Gate) InFlight() int {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.inFlight
}
