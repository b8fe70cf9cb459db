package pace

import (
	"context"
	"time"
)

// GateOptions are the settings of a Gate. Only Ceiling has no default.
type GateOptions struct {
	// Ceiling is the largest number of requests in flight, at least 1.
	Ceiling int
	// Far is the largest number of requests in flight if nodes are far away. At most Ceiling of
	// them are at the nodes, the others on the wire. Default Ceiling.
	Far int
	// Start is the initial limit. Default a quarter of the ceiling, at least 4. A limit that begins
	// too low costs a second, one that begins too high slows the application.
	Start int
	// OnWire is the initial number of requests on the wire, besides Start. They pass in wireSteps
	// steps during the first round trip, which takes Trip. Default 0.
	OnWire int
	Trip   time.Duration
	// Tolerance is how many times its unloaded latency a request may take before the limit falls,
	// at least 1. Default 2: about 2c requests are then in flight to a server with c cores, one
	// executing and one waiting for each core. With less, cores are idle when latencies vary. With
	// more, only the queue grows.
	Tolerance float64
	// Overhead is the cost of a request of size 0, in the units of Release. It is added to every
	// request, so that empty pages do not look slow. Default 1.
	Overhead float64
	// Samples is the smallest number of answers for one change of the limit. Default 8.
	Samples int
	// Probe is how long a measurement of the unloaded latency is valid. Default 10 s, as in BBR,
	// and at least 50 round trips, since a measurement takes a few of them at a low limit.
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

// Gate lets requests through, first come, first served, up to a limit of requests in flight. It
// finds the limit by itself: it grows while the latency stays low, and falls if the latency rises
// or the server reports overload. It is at least 1, and at most the ceiling and what Allow allows.
// Requests on the wire to a far node come on top of that, up to GateOptions.Far in total.
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

// wireSteps is the number of steps in which the first requests to far nodes pass. So a node does
// not get all of them at once.
const wireSteps = 16

// fillWire lets a part of the first requests through to the wire after each step until the last.
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

// Acquire waits until one more request may be sent. The error is the context's. Otherwise the
// caller must call Release once.
func (g *Gate) Acquire(ctx context.Context) error { return g.queue.acquire(ctx, 1) }

// Release ends a request. Its latency does not include the wait in Acquire. Its size may have any
// unit that the latency grows with, such as bytes or rows, if all requests have the same. Latency
// and size of a Bad one do not matter. It panics if nothing is in flight.
func (g *Gate) Release(latency time.Duration, units float64, o Outcome) {
	g.ReleaseFar(latency, 0, units, o)
}

// ReleaseFar is Release for a request to a node with the given round-trip time; 0: it is near.
func (g *Gate) ReleaseFar(latency, trip time.Duration, units float64, o Outcome) {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	if g.inFlight == 0 {
		panic("pace: more releases of a gate than requests")
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

// Allow bounds the limit from outside, in requests. If the bound is not a whole number, the next
// higher one is allowed, with pauses after requests. Below the bound the gate chooses its limit.
func (g *Gate) Allow(most float64) {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	g.limit.allow(most)
	g.queue.wakeLocked()
}

// ceiling returns the largest number of requests in flight at near nodes.
func (g *Gate) ceiling() int { return g.limit.o.Ceiling }

// Limit returns the number of requests that may be in flight now.
func (g *Gate) Limit() int {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.limit.allowed()
}

// Bound reports whether the ceiling holds back requests that the nodes could take. The largest
// number of requests is in flight then, and less than half of the ceiling is at the nodes.
func (g *Gate) Bound() bool {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.limit.wire.atCeiling
}

// InFlight returns the number of requests in flight. It can exceed the limit just after that has
// fallen.
func (g *Gate) InFlight() int {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	return g.inFlight
}
