package pace

import (
	"math/rand/v2"
	"slices"
	"time"
)

// server is a model of a cluster: cores that each work on one request at a time, behind a network
// with a fixed delay. It is an M/D/c queue, or M/G/c if service is random. Its client always has
// more to send. Its clock is virtual, so hours pass in a moment and always in the same way. It runs
// in one goroutine, so the race detector need not watch it (norace), which would take three
// quarters of the time.
type server struct {
	clock   time.Time
	start   time.Time
	cores   []time.Duration // when each is free, since start
	network time.Duration
	// of the next request, instead of network: the trip is known to the gate; the others are cores;
	// nil: network, and the trip is not known
	route func() (trip time.Duration, first, end int)
	// time that a unit occupies the link to the node; nil: none
	wire func(at time.Duration) time.Duration
	// extra delay of an answer; nil: none
	jitter  func() time.Duration
	wired   time.Duration // when the link is free, since start
	service func(at time.Duration, units float64) time.Duration
	units   func() float64                 // size of the next request; nil: 1
	refuse  func(inFlight int) bool        // whether it refuses the next request; nil: never
	observe func(now time.Time, depth int) // called at each answer; may be nil

	gate     *Gate
	inFlight int
	pending  answers
	done     int // good answers
	refused  int
	limits   []int // the limit at each answer
}

// answer is an answer in the network.
type answer struct {
	at      time.Duration // since the model's start
	latency time.Duration
	trip    time.Duration
	units   float64
	outcome Outcome
}

// answers are in the order in which they arrive.
type answers []answer

//go:norace
func (a *answers) add(x answer) {
	at := len(*a)
	if at > 0 && (*a)[at-1].at > x.at {
		at, _ = slices.BinarySearchFunc(*a, x.at, func(y answer, at time.Duration) int {
			if y.at <= at {
				return -1
			}
			return 1
		})
	}
	*a = slices.Insert(*a, at, x)
}

func (a *answers) first() answer {
	first := (*a)[0]
	*a = (*a)[1:]
	return first
}

// fixed returns a constant service time for one unit.
func fixed(d time.Duration) func(time.Duration, float64) time.Duration {
	return func(_ time.Duration, units float64) time.Duration {
		return time.Duration(float64(d) * units)
	}
}

// scattered returns a random service time with an exponential distribution.
func scattered(d time.Duration, seed uint64) func(time.Duration, float64) time.Duration {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(_ time.Duration, units float64) time.Duration {
		return time.Duration(float64(d) * units * r.ExpFloat64())
	}
}

// newServer makes a model and its gate, which uses the model's clock.
func newServer(
	cores int,
	service func(time.Duration, float64) time.Duration,
	o GateOptions,
) *server {
	start := time.Unix(1_000_000, 0)
	s := &server{clock: start, start: start, cores: make([]time.Duration, cores), service: service}
	o.Now = func() time.Time { return s.clock }
	s.gate = NewGate(o)
	return s
}

// tryAcquire is Acquire for a model, which runs in one goroutine and needs no lock.
//
//go:norace
func (g *Gate) tryAcquire() bool { return g.queue.tryLocked(1) }

// run lets virtual time pass and returns the good answers a second and the mean
// limit of that time.
//
//go:norace
func (s *server) run(d time.Duration) (perSecond, limit float64) {
	end := s.clock.Add(d)
	s.done, s.refused, s.limits = 0, 0, s.limits[:0]
	for s.clock.Before(end) {
		for s.gate.tryAcquire() {
			s.send()
		}
		a := s.pending.first()
		s.clock = s.start.Add(a.at)
		s.inFlight--
		s.gate.ReleaseFar(a.latency, a.trip, a.units, a.outcome)
		if a.outcome == Good {
			s.done++
		} else {
			s.refused++
		}
		if s.observe != nil {
			s.observe(s.clock, s.inFlight)
		}
		s.limits = append(s.limits, s.gate.limit.allowed())
	}
	sum := 0
	for _, l := range s.limits {
		sum += l
	}
	return float64(s.done) / d.Seconds(), float64(sum) / float64(len(s.limits))
}

// send puts one request into the queue of the core that is free first.
//
//go:norace
func (s *server) send() {
	now := s.clock.Sub(s.start)
	a := answer{units: 1}
	if s.units != nil {
		a.units = s.units()
	}
	network, sent := s.network, now
	core, end := 0, len(s.cores)
	if s.route != nil {
		a.trip, core, end = s.route()
		network = a.trip
	}
	if s.wire != nil {
		sent = max(now, s.wired) + time.Duration(a.units*float64(s.wire(now)))
		s.wired = sent
	}
	if s.refuse != nil && s.refuse(s.inFlight) {
		a.outcome, a.at = Overloaded, sent+network+time.Millisecond
	} else {
		for i := core + 1; i < end; i++ {
			if s.cores[i] < s.cores[core] {
				core = i
			}
		}
		begin := max(s.cores[core], sent+network/2)
		s.cores[core] = begin + s.service(now, a.units)
		a.at = s.cores[core] + network - network/2
	}
	if s.jitter != nil {
		a.at += s.jitter()
	}
	a.latency = a.at - now
	s.inFlight++
	s.pending.add(a)
}
