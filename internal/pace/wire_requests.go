package pace

import (
	"math"
	"slices"
	"time"
)

// wireRequests is what a control knows of the requests that are on the line to and from nodes that are far
// away, and how many there may be.
//
// Of the requests in flight the line has the share that the round trip has of their latency
// (Little's law). The rest is at the nodes, in their queues, or in a queue before a narrow line.
// The limit of a control is a limit of that rest. TCP Vegas keeps a window by the same estimate.
//
// So a round ends with: requests in flight = those that were on the line + the limit. If the nodes
// and the line have room, more requests then make more traffic, and the next round finds more of
// them on the line. If one of them has no room left, more requests only wait longer, the share of
// the line falls, and the number comes back at once. While the rest is small beside the limit,
// the number grows by up to double, since a few requests a round would take minutes to fill a long
// line. It grows by one with each answer, as in TCP's slow start, so that a node gets no burst.
type wireRequests struct {
	allowed float64 // requests on the line that are allowed beside the limit
	target  float64 // what line climbs to
	// the requests in flight at which a node was overloaded; 0 when that has been passed
	wall      float64
	maxGrowth float64      // the most that a round adds to the requests in flight, as a part of them
	atCeiling bool         // Gate.Bound
	samples   []wireSample // of the last rounds

	longest time.Duration // round trip of an answer of the round before

	jitter jitterEstimate // what answers take longer than a round trip without a queue
	mixed  bool           // there were answers of nodes at different distances

	// Of the answers of the round since the farthest node answered a request of the round. Before
	// that near nodes are a larger part of the answers than they are of the requests.
	counting bool
	late     bool // it has not answered any for long: what began before the round counts
	count    int
	seconds  float64       // the sum of the latencies
	trips    float64       // the sum of the round-trip times
	inFlight float64       // the sum of the requests in flight at each answer
	least    float64       // that a latency was above the round trip, in seconds
	most     time.Duration // of the round-trip times, from the beginning of the round
}

// FarTimes is how many times the requests that may be at nodes may be under way to them at most, if
// they are far away.
const FarTimes = 64

// OnWire returns the number of requests on the line that keep a number of requests at the node, if
// each is there for a time (Little's law).
func OnWire(atNode int, trip, each time.Duration) int {
	return int(float64(atNode) * trip.Seconds() / each.Seconds())
}

// response is an answer: the latency of the request, the round-trip time to its node, its size.
type response struct {
	latency, trip time.Duration
	units         float64
}

// atServerOf returns how long a request was at the server, and a little more if that is far away.
// Where no more requests are allowed for the line, it is the latency.
func (c *concurrencyLimit) atServerOf(a response) time.Duration {
	if c.o.Far == c.o.Ceiling {
		return a.latency
	}
	trip := min(a.trip, a.latency)
	return a.latency - trip + trip/jitterShare
}

const (
	// jitterShare is the part of the round-trip time below which a change of the latency says
	// nothing about the server.
	jitterShare = 8
	// slowGrowth is the growth after a node was overloaded, as a part of the requests in flight, and
	// the least after a queue. It doubles with each round.
	slowGrowth = 1.0 / 64
	// sampleTrips is the number of round trips for which the requests on the line are kept. The most of
	// them count, since a node that stalls for a moment is as quick as before afterwards. BBR keeps
	// the bandwidth for that reason.
	sampleTrips = 10
	// lateTrips is the number of round trips that an answer of the farthest node is waited for.
	lateTrips = 4
	// idleLimitShare is the part of the limit below which the nodes clearly have room for more.
	idleLimitShare = 0.5
)

// add takes an answer of a round that began then.
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

// allowMore allows more requests on the line, up to the goal.
func (f *wireRequests) allowMore(more float64) { f.allowed = min(f.allowed+more, f.target) }

// halve takes in that a node was overloaded, with so many requests allowed.
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

// updateOnWire sets, at the end of a round at the full limit, how many requests may be on the line.
func (c *concurrencyLimit) updateOnWire(now time.Time) {
	f := &c.wire
	if f.trips == 0 {
		f.allowed, f.target, f.atCeiling, f.samples = 0, 0, false, nil
		return
	}
	inFlight := f.inFlight / float64(f.count)
	onLine := inFlight * f.withoutQueue(now) / f.seconds
	used := (inFlight - onLine) / c.limit // the part of the limit that was at the nodes
	most := float64(c.o.Far - c.o.Ceiling)
	full := c.peak >= c.allowed()
	f.atCeiling = full && used < idleLimitShare && int(f.allowed) >= int(most) && c.limit >= float64(c.o.Ceiling)
	f.target = f.mostOnWire(now, onLine)
	switch {
	case used >= 1:
		f.maxGrowth = max(f.maxGrowth/4, slowGrowth)
	case full:
		f.target = f.nextInFlight(inFlight, f.target+c.limit, inFlight*(1+math.Pow(1-used, 2))) - c.limit
	}
	f.target = min(max(f.target, 0), most)
	f.allowed = min(f.allowed, f.target)
}

// withoutQueue returns the part of the latencies of the round's answers that no queue is the cause
// of: the round trips and jitter. Jitter counts up to the round trip again. It is not known if
// nodes are at different distances: the near ones have a queue in the first round already.
func (f *wireRequests) withoutQueue(now time.Time) float64 {
	f.jitter.add(now, sampleTrips*f.most, f.count, max(f.seconds-f.trips, 0), f.least)
	if f.mixed || f.jitter.least < f.most.Seconds()/workShare {
		return f.trips
	}
	return f.trips + min(f.jitter.least*float64(f.count), f.trips)
}

// jitterEstimate finds out how much longer than a round trip answers take without a queue, in the mean.
// All answers wait in a queue that stays, so what even the quickest took longer does not count.
// A queue that comes and goes counts little: the first rounds have few requests, and the least
// mean counts. A mean of few answers would often be too low, so the answers of several rounds
// make one.
type jitterEstimate struct {
	least    float64   // seconds
	known    bool      // least is the mean of enough answers
	since    time.Time // of those that are summed up
	count    int
	seconds  float64
	quickest float64 // seconds
}

const (
	// firstJitterAnswers is the number of answers that are enough for the first mean: later ones may
	// have waited for each other.
	firstJitterAnswers = 64
	// nextJitterAnswers is the least number for another, which may be lower.
	nextJitterAnswers = 256
	// workShare is the part of the round trip below which it is the nodes' work rather than
	// jitter.
	workShare = 16
	// similarTrip is the part of the longest round trip that others have at least if all nodes are
	// about as far away.
	similarTrip = 0.75
)

// add sums up the answers of a round, how much longer than a round trip they took, and the
// quickest of them. Means after the first are of at least so long a time.
func (s *jitterEstimate) add(now time.Time, long time.Duration, count int, seconds, quickest float64) {
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

// wireSample is the number of requests on the line in a round that ended then.
type wireSample struct {
	at       time.Time
	requests float64
}

// mostOnWire takes the requests on the line in a round, and returns the most of the last rounds.
func (f *wireRequests) mostOnWire(now time.Time, requests float64) float64 {
	f.samples = slices.DeleteFunc(
		f.samples,
		func(l wireSample) bool { return l.requests <= requests || now.Sub(l.at) > sampleTrips*f.most },
	)
	f.samples = append(f.samples, wireSample{now, requests})
	return f.samples[0].requests
}

// nextInFlight returns how many requests may be in flight after so many: as many as make the nodes' queues
// full, or a multiple. It is bounded by what was too much for a node before.
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
