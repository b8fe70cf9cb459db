package pace

import (
	"math"
	"slices"
	"time"
)

// wireRequests estimates how many requests are on the wire to and from far nodes, and limits their
// number.
//
// The wire has the same share of the requests in flight as the round trip has of their latency
// (Little's law). The rest is at the nodes, in their queues, or in a queue before a narrow link.
// The concurrencyLimit limits that rest. TCP Vegas keeps a window by the same estimate.
//
// So a round ends with: requests in flight = those that were on the wire + the limit. If the nodes
// and the link have room, more requests make more traffic, and the next round finds more of them on
// the wire. If one of them has no room left, more requests only wait longer, the share of the wire
// falls, and the number falls at once. While the rest is small beside the limit, the number grows
// up to twofold each round. A few requests a round would take minutes to fill a long link. It grows
// by one with each answer, as in TCP's slow start, so that a node gets no burst.
type wireRequests struct {
	allowed float64 // requests allowed on the wire, besides the limit
	target  float64 // what allowed grows to
	// the requests in flight at which a node was overloaded; 0: that has been passed
	wall float64
	// the most that a round adds to the requests in flight, as a share of them
	maxGrowth float64
	atCeiling bool         // Gate.Bound
	samples   []wireSample // of the last rounds

	longest time.Duration // longest round-trip time in the round before

	jitter jitterEstimate // how much longer than a round trip answers take without a queue
	mixed  bool           // nodes at different distances have answered

	// These count answers since the farthest node answered a request of the round. Before that,
	// near nodes have a larger share of the answers than of the requests.
	counting bool
	late     bool // it has not answered any for long: requests from before the round count
	count    int
	seconds  float64       // sum of the latencies
	trips    float64       // sum of the round-trip times
	inFlight float64       // sum of the requests in flight at each answer
	least    float64       // smallest difference of a latency and its round trip, in seconds
	most     time.Duration // longest round-trip time, from the beginning of the round
}

// FarTimes is the largest number of requests in flight to far nodes, in multiples of the number
// that may be at them.
const FarTimes = 64

// OnWire returns the number of requests on the wire that keep atNode requests at the node, if each
// is there for a time (Little's law).
func OnWire(atNode int, trip, each time.Duration) int {
	return int(float64(atNode) * trip.Seconds() / each.Seconds())
}

// response is an answer: the latency of the request, the round-trip time to its node, its size.
type response struct {
	latency, trip time.Duration
	units         float64
}

// atServerOf returns how long a request was at the server, and a little more if that is far away.
// If no requests are allowed on the wire, it returns the latency.
func (c *concurrencyLimit) atServerOf(a response) time.Duration {
	if c.o.Far == c.o.Ceiling {
		return a.latency
	}
	trip := min(a.trip, a.latency)
	return a.latency - trip + trip/jitterShare
}

const (
	// jitterShare is the divisor of the round-trip time below which a change of the latency shows
	// nothing about the server.
	jitterShare = 8
	// slowGrowth is the growth after a node was overloaded, as a share of the requests in flight,
	// and the smallest growth after a queue. It doubles with each round.
	slowGrowth = 1.0 / 64
	// sampleTrips is the number of round trips for which samples of the requests on the wire are
	// kept. The largest counts: a node that stalls for a moment is as quick as before afterwards.
	// BBR keeps the bandwidth for that reason.
	sampleTrips = 10
	// lateTrips is the number of round trips after which the farthest node is no longer waited for.
	lateTrips = 4
	// idleLimitShare is the share of the limit below which the nodes clearly have room for more.
	idleLimitShare = 0.5
)

// add records an answer in a round that began at begin.
func (f *wireRequests) add(begin, now time.Time, a response, inFlight int) {
	f.allowed = min(f.allowed+1, f.target)
	f.most = max(f.most, a.trip)
	f.mixed = f.mixed || a.trip.Seconds() < similarTrip*max(f.most, f.longest).Seconds()
	lasted := now.Sub(begin)
	f.late = f.longest > 0 && lasted > lateTrips*f.longest
	f.counting = f.counting || a.latency < lasted && 4*a.trip >= 3*f.longest || f.late
	if !f.counting {
		return
	}
	over := max(a.latency-a.trip, 0).Seconds()
	if f.count == 0 || over < f.least {
		f.least = over
	}
	f.count++
	f.seconds += a.latency.Seconds()
	f.trips += min(a.trip, a.latency).Seconds()
	f.inFlight += float64(inFlight)
}

// allowMore allows more requests on the wire, up to the target.
func (f *wireRequests) allowMore(more float64) { f.allowed = min(f.allowed+more, f.target) }

// halve records that a node was overloaded while that many requests were allowed.
func (f *wireRequests) halve(allowed int) {
	f.wall, f.maxGrowth = float64(allowed), slowGrowth
	f.allowed /= 2
	f.target, f.atCeiling = f.allowed, false
	f.samples = nil
}

func (f *wireRequests) newRound() {
	f.longest, f.most = f.most, 0
	f.counting, f.late, f.count, f.seconds, f.trips, f.inFlight = false, false, 0, 0, 0, 0
}

// updateOnWire sets how many requests may be on the wire, at the end of a round at the full limit.
func (c *concurrencyLimit) updateOnWire(now time.Time) {
	f := &c.wire
	if f.trips == 0 {
		f.allowed, f.target, f.atCeiling, f.samples = 0, 0, false, nil
		return
	}
	inFlight := f.inFlight / float64(f.count)
	onWire := inFlight * f.withoutQueue(now) / f.seconds
	used := (inFlight - onWire) / c.limit // the share of the limit that was at the nodes
	most := float64(c.o.Far - c.o.Ceiling)
	full := c.peak >= c.allowed()
	f.atCeiling = full && used < idleLimitShare && int(f.allowed) >= int(most) &&
		c.limit >= float64(c.o.Ceiling)
	f.target = f.mostOnWire(now, onWire)
	switch {
	case used >= 1:
		f.maxGrowth = max(f.maxGrowth/4, slowGrowth)
	case full:
		f.target = f.nextInFlight(
			inFlight,
			f.target+c.limit,
			inFlight*(1+math.Pow(1-used, 2)),
		) - c.limit
	}
	f.target = min(max(f.target, 0), most)
	f.allowed = min(f.allowed, f.target)
}

// withoutQueue returns the part of the round's latencies that no queue has caused: the round trips
// and the jitter. Jitter counts up to one more round trip. If nodes are at different distances it
// is not known, because the near ones have a queue in the first round already.
func (f *wireRequests) withoutQueue(now time.Time) float64 {
	f.jitter.add(now, sampleTrips*f.most, f.count, max(f.seconds-f.trips, 0), f.least)
	if f.mixed || f.jitter.least < f.most.Seconds()/workShare {
		return f.trips
	}
	return f.trips + min(f.jitter.least*float64(f.count), f.trips)
}

// jitterEstimate estimates how much longer than a round trip answers take on average without a
// queue. In a queue that stays all answers wait, so the time of the quickest does not count. A
// queue that comes and goes counts little: the first rounds have few requests, and the smallest
// mean counts. A mean of few answers would often be too low, so several rounds make one mean.
type jitterEstimate struct {
	least    float64   // seconds
	known    bool      // least is a mean of enough answers
	since    time.Time // of the answers that are summed up
	count    int
	seconds  float64
	quickest float64 // seconds
}

const (
	// firstJitterAnswers is the number of answers that are enough for the first mean. Later ones
	// may have waited for each other.
	firstJitterAnswers = 64
	// nextJitterAnswers is the smallest number of answers for another mean, which may be lower.
	nextJitterAnswers = 256
	// workShare is the divisor of the round trip below which delays are the nodes' work rather than
	// jitter.
	workShare = 16
	// similarTrip is the share of the longest round trip that all others have at least if all nodes
	// are about equally far away.
	similarTrip = 0.75
)

// add adds the answers of a round: how much longer than a round trip they took in total, and the
// quickest of them. Means after the first cover at least the time long.
func (s *jitterEstimate) add(
	now time.Time,
	long time.Duration,
	count int,
	seconds, quickest float64,
) {
	if s.count == 0 || quickest < s.quickest {
		s.quickest = quickest
	}
	s.count += count
	s.seconds += seconds
	mean := s.seconds/float64(s.count) - s.quickest
	switch {
	case !s.known:
		s.least = mean
		if s.count < firstJitterAnswers {
			return
		}
		s.known = true
	case s.count < nextJitterAnswers || now.Sub(s.since) < long:
		return
	default:
		s.least = min(s.least, mean)
	}
	s.since, s.count, s.seconds = now, 0, 0
}

// wireSample is the number of requests on the wire in a round that ended at that time.
type wireSample struct {
	at       time.Time
	requests float64
}

// mostOnWire records the requests on the wire in a round, and returns the largest number of the
// last rounds.
func (f *wireRequests) mostOnWire(now time.Time, requests float64) float64 {
	f.samples = slices.DeleteFunc(
		f.samples,
		func(l wireSample) bool {
			return l.requests <= requests || now.Sub(l.at) > sampleTrips*f.most
		},
	)
	f.samples = append(f.samples, wireSample{now, requests})
	return f.samples[0].requests
}

// nextInFlight returns how many requests may be in flight next: enough to fill the nodes' queues,
// or a multiple of from. The number that overloaded a node before bounds it.
func (f *wireRequests) nextInFlight(from, full, multiple float64) float64 {
	to := max(full, min(multiple, from*(1+f.maxGrowth)))
	switch {
	case f.wall == 0:
		f.maxGrowth = min(2*f.maxGrowth, 1)
	case from > f.wall:
		f.wall = 0
	default:
		to = min(to, max(from+1, f.wall*3/4))
	}
	return to
}
