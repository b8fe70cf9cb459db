package pace

import (
	"math"
	"time"
)

// concurrencyLimit is the part of a Gate that sets the limit.
//
// The rule is that of the Gradient limit of Netflix's concurrency-limits (v1),
// which compares the latency of now with that of the unloaded server, not with a
// long-term mean (Gradient2): a bulk run always has more to send, and the mean
// would follow the queue that the run itself has made, without end. Once a round,
//
//	L <- L * min(1, max(1/2, Tolerance * base / latency)) + sqrt(L)
//
// where latency is the round's sum of latencies over its sum of sizes and base is
// the same of the unloaded server. In a server with c cores and service time s,
// L > c requests in flight take s*L/c each (Little's law), so above Tolerance*c the
// rule is L <- Tolerance*c + sqrt(L): it has one fixed point, of slope at most 1/2,
// and therefore settles there from either side. The square root is room to grow
// that matters less the larger L is.
//
// A round is made of requests that began after the last change, so that each
// change is judged by its own effect; that is what keeps the loop from swinging.
// For the same reason a failure only counts when its request began after the last
// cut: an overloaded server fails many requests at once, and that is one piece of
// news (as TCP NewReno cuts once per window, RFC 6582). After a cut by half, growth
// is quick up to 3/4 of the limit that failed and by one a round from there, until
// that is passed, as CUBIC does (RFC 9438).
//
// The base is measured as BBR measures its least round-trip time: first of all, and
// when no round at full limit has shown it again for the time o.Probe, the limit
// goes down, for one round, to what cannot fill the server's queue: the fixed point
// over twice the tolerance, about half its cores. When as much gets through as
// before, the queue was full all the same; then that was limit enough, and the
// measurement goes on from there. Until it is measured again a base is believed: a
// server that has become slower is left alone for that time.
//
// All of this is about the requests at the server. If a gate allows more for a long line (Far), the
// time of a round trip is no part of a latency here, and the requests on the line come on top of
// the limit. See far.go.
type concurrencyLimit struct {
	o GateOptions

	limit float64 // 1 <= limit <= bound <= o.Ceiling
	bound float64 // what Allow allows, rounded up
	duty  float64 // the part of the time that requests may take at that bound
	wall  float64 // the limit that was last refused; 0 when it has been passed

	base     float64   // unloaded latency for one unit, in seconds; 0 before the first round
	renewAt  time.Time // when base is to be measured
	resumeAt float64   // the limit to go back to; 0 when not measuring
	rate     float64   // units a second before the measuring began

	begin   time.Time // of the round
	count   int       // its answers
	seconds float64   // the sum of their latencies
	units   float64   // the sum of their sizes
	peak    int       // the most in flight during the round
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

// allowed is the number of requests that may be in flight: at the server, and on the line.
func (c *concurrencyLimit) allowed() int { return c.atServer() + int(c.wire.allowed) }

// atServer is the limit as a number of requests.
func (c *concurrencyLimit) atServer() int { return int(c.limit) }

// succeeded takes an answer, and ends the round when it is full. inFlight counts the request itself.
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

// roundSize is the number of answers for one change of the limit. From far away a round begins with
// a round trip in which no answer counts, and ends before its time if answers are slow to come.
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

// endRound makes the change that the round's answers ask for.
func (c *concurrencyLimit) endRound(now time.Time) {
	latency := c.seconds / c.units
	rate := float64(c.atServer()) / latency // Little's law
	ratio := latency / c.base
	if c.resumeAt == 0 {
		c.updateOnWire(now)
	}
	switch {
	case c.base == 0 && c.wire.trips > 0:
		// until a round is quicker: a measurement would hold up the start for round trips
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
	// sameLatency is how far a round's latency may be from the base and still confirm it.
	sameLatency = 0.05
	// fasterShare is the part of the base below which it can no longer be true. Less than a
	// half is seldom the scatter of a round.
	fasterShare = 0.5
	// saturatedShare is the part of the full limit's throughput above which a measurement
	// filled the server's queue by itself: between the half that it should get and the
	// whole, nearer the half, since to measure once too often costs little.
	saturatedShare = 0.7
)

// startMeasuring lowers the limit for one round to where the unloaded latency is seen.
func (c *concurrencyLimit) startMeasuring(rate float64) {
	c.rate, c.resumeAt = rate, c.limit
	c.limit = max(c.limit/(2*c.o.Tolerance), 1)
}

// confirmBase notes that the base has been seen.
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

// step is the room to grow.
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

// leastShare is the lowest bound, in requests: a page of 8 ms every two seconds still comes to an
// end some day.
const leastShare = 1.0 / 256

// allow sets the bound of an outside keeper. Of a bound that is no whole number the limit is the
// next one, and pauses take the rest of the time.
func (c *concurrencyLimit) allow(most float64) {
	most = min(max(most, leastShare), float64(c.o.Ceiling))
	c.bound = math.Ceil(most)
	c.duty = most / c.bound
	c.limit, c.resumeAt = min(c.limit, c.bound), min(c.resumeAt, c.bound)
}

// mostPause bounds a pause, so that one slow answer does not stop everything.
const mostPause = 2 * time.Second

// pauseAfter is the pause after a request of the given latency.
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
