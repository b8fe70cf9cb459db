package pace

import (
	"math"
	"time"
)

// concurrencyLimit computes the limit of a Gate.
//
// The rule is the Gradient limit of Netflix's concurrency-limits (v1). It compares the present
// latency with that of the unloaded server, not with a long-term mean (Gradient2). A bulk run
// always has more to send, so a mean would follow the queue that the run itself has made. Once a
// round,
//
//	L <- L * min(1, max(1/2, Tolerance * base / latency)) + sqrt(L)
//
// latency is the round's sum of latencies over its sum of sizes, and base is the same for the
// unloaded server. In a server with c cores and service time s, L > c requests in flight take s*L/c
// each (Little's law). So above Tolerance*c the rule is L <- Tolerance*c + sqrt(L). It has one
// fixed point, of slope at most 1/2, and therefore converges from either side. The square root is
// room to grow that matters less the larger L is.
//
// A round consists of requests that began after the last change, so that each change is judged by
// its own effect. That keeps the loop from oscillating. For the same reason, a failure only counts
// if its request began after the last cut. An overloaded server fails many requests at once, for
// one cause (TCP NewReno cuts once per window too, RFC 6582). After a cut by half, growth is quick
// up to 3/4 of the limit that failed. From there it is one a round until that limit is passed, as
// in CUBIC (RFC 9438).
//
// The base is measured as BBR measures its least round-trip time. A measurement comes first of all,
// when no round at the full limit has confirmed the base for the time o.Probe, and when a round
// takes less than half of it. For one round, the limit falls to what cannot fill the server's
// queue. That is the fixed point over twice the tolerance, about half its cores. If the throughput
// stays as high as before, the queue was full all the same. In that case the measurement continues
// from the lower limit. A server that has become slower is not noticed before the next measurement.
//
// All of this is about the requests at the server. If a gate allows more requests on the wire
// (Far), the latency here excludes the round trip. The requests on the wire come on top of the
// limit, and the first round is the base, without a measurement. See wire_requests.go.
type concurrencyLimit struct {
	o GateOptions

	limit float64 // 1 <= limit <= bound <= o.Ceiling
	bound float64 // the bound of Allow, rounded up
	duty  float64 // share of the time that requests may take at that bound
	wall  float64 // the limit that was last refused; 0: it has been passed

	base     float64   // unloaded latency of one unit, in seconds; 0: before the first round
	renewAt  time.Time // when to measure base
	resumeAt float64   // limit to return to; 0: not measuring
	rate     float64   // units a second before the measurement began

	begin   time.Time // of the round
	count   int       // answers in the round
	seconds float64   // sum of their latencies
	units   float64   // sum of their sizes
	peak    int       // most requests in flight during the round
	wire    wireRequests

	cutAt time.Time // of the last cut
}

func newConcurrencyLimit(o GateOptions, now time.Time) concurrencyLimit {
	return concurrencyLimit{
		o:     o,
		limit: float64(o.Start),
		bound: float64(o.Ceiling),
		duty:  1,
		begin: now,
		wire:  wireRequests{maxGrowth: 1, target: float64(o.OnWire)},
	}
}

// allowed returns the number of requests that may be in flight, at the server and on the wire.
func (c *concurrencyLimit) allowed() int { return c.atServer() + int(c.wire.allowed) }

// atServer returns the limit as a number of requests.
func (c *concurrencyLimit) atServer() int { return int(c.limit) }

// succeeded records an answer, and ends the round if it is full. inFlight counts the request
// itself.
func (c *concurrencyLimit) succeeded(now time.Time, a response, inFlight int) {
	c.wire.add(c.begin, now, a, inFlight)
	if !now.Add(-a.latency).After(c.begin) && !c.wire.late {
		return
	}
	c.count++
	c.seconds += c.atServerOf(a).Seconds()
	c.units += max(a.units, 0) + c.o.Overhead
	if c.count < max(c.o.Samples, c.roundSize(now)) || c.seconds <= 0 {
		return
	}
	c.endRound(now)
}

// roundSize returns the number of answers for one change of the limit. If nodes are far away, a
// round begins with a round trip in which no answer counts. It ends early if answers are slow to
// come.
func (c *concurrencyLimit) roundSize(now time.Time) int {
	switch {
	case c.wire.most == 0:
		return 2 * c.atServer()
	case !c.wire.counting:
		return math.MaxInt
	case now.Sub(c.begin) > 2*lateTrips*c.wire.most:
		return 1
	default:
		return c.allowed() / 2
	}
}

// endRound changes the limit by the round's answers.
func (c *concurrencyLimit) endRound(now time.Time) {
	latency := c.seconds / c.units
	rate := float64(c.atServer()) / latency // Little's law
	ratio := latency / c.base
	if c.resumeAt == 0 {
		c.updateOnWire(now)
	}
	switch {
	case c.base == 0 && c.wire.trips > 0:
		// until a round is quicker: a measurement would delay the start by several round trips
		c.base = latency
		c.confirmBase(now)
	case c.base == 0 && c.resumeAt == 0:
		c.startMeasuring(rate)
	case c.resumeAt > 0 && c.limit >= 2 && rate > saturatedShare*c.rate:
		c.startMeasuring(rate)
	case c.resumeAt > 0:
		c.base = latency
		c.confirmBase(now)
		c.limit, c.resumeAt = min(c.resumeAt, c.bound), 0
	case math.Abs(ratio-1) <= sameLatency:
		c.confirmBase(now)
		c.grow(1)
	case ratio < fasterShare || !now.Before(c.renewAt):
		c.startMeasuring(rate)
	default:
		c.grow(min(1, max(0.5, c.o.Tolerance/ratio)))
	}
	c.newRound(now)
}

const (
	// sameLatency is the largest deviation of a round's latency that confirms the base.
	sameLatency = 0.05
	// fasterShare is the share of the base below which the base can no longer be right. Less than a
	// half is seldom random variation.
	fasterShare = 0.5
	// saturatedShare is the share of the full limit's throughput above which a measurement filled
	// the server's queue by itself. It lies between the half that is expected and the whole, nearer
	// the half: one measurement too many costs little.
	saturatedShare = 0.7
)

// startMeasuring lowers the limit for one round, to measure the unloaded latency.
func (c *concurrencyLimit) startMeasuring(rate float64) {
	c.rate, c.resumeAt = rate, c.limit
	c.limit = max(c.limit/(2*c.o.Tolerance), 1)
}

// confirmBase records that the base has been measured.
func (c *concurrencyLimit) confirmBase(now time.Time) {
	roundTrip := time.Duration(c.seconds/float64(c.count)*float64(time.Second)) + c.wire.most
	c.renewAt = now.Add(max(c.o.Probe, 50*roundTrip))
}

// grow applies the rule. A limit that was not used up is not raised.
func (c *concurrencyLimit) grow(gradient float64) {
	next := c.limit*gradient + c.step()
	if c.peak < c.allowed() {
		next = min(next, c.limit)
	}
	c.limit = max(min(next, c.bound), 1)
	if c.limit > c.wall {
		c.wall = 0
	}
}

// step returns the room to grow.
func (c *concurrencyLimit) step() float64 {
	quick := math.Sqrt(c.limit)
	if c.wall == 0 {
		return quick
	}
	return max(1, min(quick, c.wall*3/4-c.limit))
}

// overloaded halves the limit, once for all the requests that were in flight.
func (c *concurrencyLimit) overloaded(now time.Time, latency time.Duration) {
	if !now.Add(-latency).After(c.cutAt) {
		return
	}
	c.wire.halve(c.allowed())
	c.wall = max(c.limit, c.resumeAt)
	c.limit, c.resumeAt = max(c.wall/2, 1), 0
	c.cutAt = now
	c.newRound(now)
}

// leastShare is the lowest bound, in requests. With pages of 8 ms, that is one every two seconds.
const leastShare = 1.0 / 256

// allow sets the bound from outside the gate. If it is not a whole number, the limit is the next
// higher one, and pauses use the rest of the time.
func (c *concurrencyLimit) allow(most float64) {
	most = min(max(most, leastShare), float64(c.o.Ceiling))
	c.bound = math.Ceil(most)
	c.duty = most / c.bound
	c.limit, c.resumeAt = min(c.limit, c.bound), min(c.resumeAt, c.bound)
}

// mostPause bounds a pause, so that one slow answer does not stop everything.
const mostPause = 2 * time.Second

// pauseAfter returns the pause after a request of the given latency.
func (c *concurrencyLimit) pauseAfter(latency time.Duration) time.Duration {
	if c.duty >= 1 {
		return 0
	}
	return min(time.Duration(float64(latency)*(1/c.duty-1)), mostPause)
}

func (c *concurrencyLimit) newRound(now time.Time) {
	c.begin, c.count, c.seconds, c.units, c.peak = now, 0, 0, 0, 0
	c.wire.newRound()
}
