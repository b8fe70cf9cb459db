package pace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// farServer is a model of nodes a round trip away. Their cores take service for a request, behind a
// link that takes wire for one. Its gate allows ceiling requests at the nodes.
func farServer(cores int, service, trip, wire time.Duration, ceiling int) *server {
	s := newServer(
		cores,
		scattered(service, 11),
		GateOptions{Ceiling: ceiling, Start: ceiling, Far: 64 * ceiling, Tolerance: 8},
	)
	s.route = func() (time.Duration, int, int) { return trip, 0, cores }
	s.wire = func(time.Duration) time.Duration { return wire }
	return s
}

// TestGateFillsALongLine: after a while, traffic reaches what the link and the nodes allow,
// whatever the round trip is and whichever of them is slow. The queue stays short.
func TestGateFillsALongLine(t *testing.T) {
	const ceiling = 32
	for _, trip := range []time.Duration{
		2 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond,
	} {
		for _, wire := range []time.Duration{230 * time.Microsecond, 2 * time.Microsecond} {
			t.Run(fmt.Sprintf("trip=%v,wire=%v", trip, wire), func(t *testing.T) {
				s := farServer(2, 300*time.Microsecond, trip, wire, ceiling)
				best := 2 / (300 * time.Microsecond).Seconds()
				if wire > 150*time.Microsecond {
					best = 1 / wire.Seconds()
				}
				s.run(4 * time.Second)
				perSecond, limit := s.run(2 * time.Second)
				require.Greater(t, perSecond, 0.9*best)
				require.LessOrEqual(t, limit, perSecond*trip.Seconds()+2*ceiling)
				require.LessOrEqual(t, slices.Max(s.limits), 64*ceiling)
			})
		}
	}
}

// TestGateFillsALongLineSoon: meanwhile, the requests at the nodes exceed the ceiling only by what
// a round of doubling adds.
func TestGateFillsALongLineSoon(t *testing.T) {
	s := farServer(8, time.Millisecond, 150*time.Millisecond, time.Microsecond, 32)
	most := 0
	answers := 0
	s.observe = func(now time.Time, _ int) {
		if answers++; answers%20 > 0 {
			return
		}
		busy := 0
		for _, a := range s.pending {
			if left := a.at - now.Sub(s.start); left > 75*time.Millisecond {
				sent := a.at - a.latency
				if now.Sub(s.start)-sent > 75*time.Millisecond {
					busy++
				}
			}
		}
		most = max(most, busy)
	}
	s.run(4 * time.Second)
	s.observe = nil
	perSecond, _ := s.run(2 * time.Second)
	require.Greater(t, perSecond, 0.85*8000)
	require.Less(t, most, 32*12)
}

// TestGateOfASlowNode: if the nodes become slow, the number of requests in flight falls, so that at
// most the ceiling is at the nodes. It grows again when they recover.
func TestGateOfASlowNode(t *testing.T) {
	const ceiling, trip = 32, 50 * time.Millisecond
	slow := false
	base := scattered(300*time.Microsecond, 5)
	s := farServer(2, 0, trip, time.Microsecond, ceiling)
	s.service = func(at time.Duration, units float64) time.Duration {
		d := base(at, units)
		if slow {
			d *= 20
		}
		return d
	}
	s.run(5 * time.Second)
	before, _ := s.run(5 * time.Second)
	require.Greater(t, before, 0.9*2/0.0003)

	slow = true
	s.run(5 * time.Second)
	perSecond, limit := s.run(10 * time.Second)
	require.Greater(t, perSecond, 0.9*2/0.006)
	require.Less(t, limit, perSecond*trip.Seconds()+1.3*ceiling)

	slow = false
	s.run(10 * time.Second)
	after, _ := s.run(5 * time.Second)
	require.Greater(t, after, 0.9*before)
}

// TestGateOfANodeThatBeginsSlow: a queue at the nodes from the first request on counts as jitter
// only until they are quick. Of that allowance, at most the ceiling remains.
func TestGateOfANodeThatBeginsSlow(t *testing.T) {
	const ceiling, trip = 32, 50 * time.Millisecond
	factor := 20.0
	base := scattered(300*time.Microsecond, 5)
	s := farServer(2, 0, trip, time.Microsecond, ceiling)
	s.service = func(at time.Duration, units float64) time.Duration {
		return time.Duration(factor * float64(base(at, units)))
	}
	s.run(5 * time.Second)
	perSecond, limit := s.run(5 * time.Second)
	require.Greater(t, perSecond, 0.9*2/0.006)
	require.LessOrEqual(t, limit, perSecond*trip.Seconds()+2*ceiling)

	factor = 1
	s.run(5 * time.Second)
	perSecond, limit = s.run(5 * time.Second)
	require.Greater(t, perSecond, 0.9*2/0.0003)
	require.LessOrEqual(t, limit, perSecond*trip.Seconds()+3*ceiling)
}

// TestGateOfANarrowerLine: if a link becomes narrow, its queue is no longer than the ceiling. When
// it is wide again, it is filled again.
func TestGateOfANarrowerLine(t *testing.T) {
	const ceiling, trip = 32, 50 * time.Millisecond
	wire := 23 * time.Microsecond
	s := farServer(16, 300*time.Microsecond, trip, 0, ceiling)
	s.wire = func(time.Duration) time.Duration { return wire }
	s.run(3 * time.Second)
	before, wide := s.run(2 * time.Second)
	require.Greater(t, before, 0.85/wire.Seconds())

	wire = 2300 * time.Microsecond
	s.run(10 * time.Second)
	perSecond, narrow := s.run(10 * time.Second)
	require.Greater(t, perSecond, 0.9/wire.Seconds())
	require.Less(t, narrow, perSecond*trip.Seconds()+1.3*ceiling)
	require.Less(t, narrow, wide/4)

	wire = 23 * time.Microsecond
	s.run(4 * time.Second)
	after, _ := s.run(2 * time.Second)
	require.Greater(t, after, 0.9*before)
}

// TestGateOfALineWithJitter: random delays of answers do not count as a queue, and a queue at the
// nodes still does.
func TestGateOfALineWithJitter(t *testing.T) {
	const ceiling, trip = 32, 50 * time.Millisecond
	for _, tt := range []struct {
		jitter time.Duration
		share  float64 // of what the nodes can do
	}{{trip / 8, 0.85}, {trip / 2, 0.85}, {trip, 0.75}} {
		t.Run(tt.jitter.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 7))
			s := farServer(2, 300*time.Microsecond, trip, time.Microsecond, ceiling)
			s.jitter = func() time.Duration { return time.Duration(r.Int64N(int64(tt.jitter))) }
			s.run(5 * time.Second)
			perSecond, limit := s.run(5 * time.Second)
			require.Greater(t, perSecond, tt.share*2/0.0003)
			require.LessOrEqual(t, limit, perSecond*(trip+tt.jitter/2).Seconds()+2*ceiling)
		})
	}
}

// TestGateFillsALongLineWithPages: a gate of few requests grows as well, even if each takes the
// nodes long.
func TestGateFillsALongLineWithPages(t *testing.T) {
	s := newServer(
		2,
		scattered(3*time.Millisecond, 6),
		GateOptions{Ceiling: 6, Start: 6, Far: 256, Samples: 4},
	)
	s.route = func() (time.Duration, int, int) { return 150 * time.Millisecond, 0, 2 }
	s.run(3 * time.Second)
	perSecond, limit := s.run(5 * time.Second)
	require.Greater(t, perSecond, 0.85*2/0.003)
	require.Less(t, limit, perSecond*0.150+3*6)
}

// TestGateOfOneFarNode: one of several nodes behind a gate is far away. The nodes have enough to
// do, and not much more. Few answers of a round are the far node's, so its share is a rough
// estimate.
func TestGateOfOneFarNode(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	s := newServer(4, scattered(8*time.Millisecond, 9), GateOptions{Ceiling: 12, Far: 64 * 12})
	s.route = func() (time.Duration, int, int) {
		if r.IntN(4) == 0 {
			return 200 * time.Millisecond, 0, 1
		}
		return 0, 1, 4
	}
	s.run(10 * time.Second)
	perSecond, limit := s.run(20 * time.Second)
	require.Greater(t, perSecond, 0.85*4/0.008)
	require.Less(t, limit, 2*perSecond*0.050+2*12)
}

// TestGateOfRefusals: if far nodes refuse requests, the requests in flight and on the wire fall.
func TestGateOfRefusals(t *testing.T) {
	s := farServer(8, time.Millisecond, 50*time.Millisecond, time.Microsecond, 32)
	s.refuse = func(inFlight int) bool { return inFlight >= 200 }
	s.run(10 * time.Second)
	perSecond, limit := s.run(20 * time.Second)
	require.Less(t, limit, 200.0)
	require.Greater(t, perSecond, 0.6*200/0.051)
	require.Less(t, s.refused, s.done/50)
}

// TestGateNearAsBefore: nodes that are near get as many requests as those of a gate without Far.
func TestGateNearAsBefore(t *testing.T) {
	limits := func(far int) []int {
		s := newServer(8, scattered(4*time.Millisecond, 3), GateOptions{Ceiling: 24, Far: far})
		s.run(20 * time.Second)
		return slices.Clone(s.limits)
	}
	require.Equal(t, limits(0), limits(1000))
}

// TestGateBound: Bound reports true only if the ceiling holds back requests that are mostly on the
// wire.
func TestGateBound(t *testing.T) {
	for _, tt := range []struct {
		name    string
		far     int
		trip    time.Duration
		service time.Duration
		want    bool
	}{
		{"no more are allowed than at the nodes", 0, 50 * time.Millisecond, 100 * time.Microsecond, true},
		{"more are allowed, and not enough", 64, 150 * time.Millisecond, 100 * time.Microsecond, true},
		{"enough are allowed", 64 * 32, 50 * time.Millisecond, 300 * time.Microsecond, false},
		{"the nodes are busy", 0, 50 * time.Millisecond, 20 * time.Millisecond, false},
		{"near nodes", 0, 0, 100 * time.Microsecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(
				2,
				scattered(tt.service, 4),
				GateOptions{Ceiling: 32, Start: 32, Far: tt.far, Tolerance: 8},
			)
			s.route = func() (time.Duration, int, int) { return tt.trip, 0, 2 }
			s.run(6 * time.Second)
			bound := 0
			s.observe = func(time.Time, int) {
				if s.gate.Bound() {
					bound++
				}
			}
			s.run(time.Second)
			require.Equal(t, tt.want, bound > s.done/2, "%d of %d", bound, s.done)
		})
	}
}

func TestTrips(t *testing.T) {
	var none *Trips
	require.Zero(t, none.Saw("a", time.Second))
	require.Zero(t, none.Longest())
	trips := NewTrips(map[string]time.Duration{"a": 50 * time.Millisecond, "b": time.Millisecond})
	require.Equal(t, 50*time.Millisecond, trips.Saw("a", time.Second))
	require.Equal(t, 40*time.Millisecond, trips.Saw("a", 40*time.Millisecond))
	require.Equal(t, 40*time.Millisecond, trips.Of("a"))
	require.Zero(t, trips.Of("b"), "it is near")
	require.Zero(t, trips.Saw("c", time.Second), "it was not asked")
	require.Equal(t, 40*time.Millisecond, trips.Longest())
	require.Zero(t, trips.Saw("a", time.Millisecond), "it is near after all")
	require.Zero(t, trips.Longest())
}

// TestGateBeginsALongLine: a run begins with requests on the wire, which pass one after another
// during the first round trip.
func TestGateBeginsALongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trip = 160 * time.Millisecond
		require.Equal(t, 512, OnWire(32, trip, 10*time.Millisecond))
		g := NewGate(GateOptions{Ceiling: 32, Start: 32, Far: 2048, OnWire: 512, Trip: trip})
		time.Sleep(time.Hour)
		require.Equal(t, 32, g.Limit(), "nothing was sent")
		for range 600 {
			go func() {
				if g.Acquire(t.Context()) == nil {
					time.Sleep(10 * trip)
					g.ReleaseFar(10*trip, trip, 1, Good)
				}
			}()
		}
		synctest.Wait()
		require.Equal(t, 32, g.InFlight())
		time.Sleep(trip / 2)
		synctest.Wait()
		require.Equal(t, 32+256, g.InFlight())
		time.Sleep(trip)
		synctest.Wait()
		require.Equal(t, 32+512, g.InFlight())
		time.Sleep(time.Hour)
	})
}

// TestGateOfAnOverloadedNodeBeginsNoLongLine: a cut stops the requests that pass step by step.
func TestGateOfAnOverloadedNodeBeginsNoLongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trip = 160 * time.Millisecond
		g := NewGate(GateOptions{Ceiling: 32, Start: 32, Far: 2048, OnWire: 512, Trip: trip})
		require.NoError(t, g.Acquire(t.Context()))
		g.ReleaseFar(0, 0, 1, Overloaded)
		time.Sleep(time.Hour)
		require.Less(t, g.Limit(), 32)
	})
}
