package pace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGateFindsTheLimit: wherever it starts, the limit converges to between what keeps every core
// busy and a few times that. The server reaches its full throughput.
func TestGateFindsTheLimit(t *testing.T) {
	const service = 40 * time.Millisecond
	for _, cores := range []int{1, 2, 4, 16, 48} {
		for _, network := range []time.Duration{0, service} {
			for _, scatter := range []bool{false, true} {
				for _, start := range []int{0, 1, 16 * cores} {
					t.Run(
						fmt.Sprintf(
							"cores=%d,network=%v,scatter=%v,start=%d",
							cores,
							network,
							scatter,
							start,
						),
						func(t *testing.T) {
							work := fixed(service)
							if scatter {
								work = scattered(service, 7)
							}
							s := newServer(cores, work, GateOptions{Ceiling: 512, Start: start})
							s.network = network
							s.run(30 * time.Second)
							perSecond, limit := s.run(15 * time.Second)
							best := float64(cores) / service.Seconds()
							// Little's law
							busy := float64(cores) * float64(service+network) / float64(service)
							require.Greater(t, perSecond, 0.9*best)
							require.Greater(t, limit, 0.9*busy)
							require.Less(t, limit, 3*busy+5)
						},
					)
				}
			}
		}
	}
}

// TestGateStaysAtACeiling that the server could exceed: it never measures at a lower limit, because
// every round shows the unloaded latency.
func TestGateStaysAtACeiling(t *testing.T) {
	s := newServer(64, fixed(40*time.Millisecond), GateOptions{Ceiling: 40})
	s.run(5 * time.Second)
	perSecond, limit := s.run(30 * time.Second)
	require.Equal(t, 40.0, limit)
	require.InDelta(t, 40/0.040, perSecond, 2)
}

// TestGateFollowsTheServer: if the service time triples, the limit falls at once. It recovers when
// the new latency was measured, and again when the server is as before.
func TestGateFollowsTheServer(t *testing.T) {
	for _, scatter := range []bool{false, true} {
		t.Run(fmt.Sprintf("scatter=%v", scatter), func(t *testing.T) {
			slow := false
			base, random := fixed(5*time.Millisecond), scattered(5*time.Millisecond, 3)
			s := newServer(16, func(at time.Duration, units float64) time.Duration {
				d := base(at, units)
				if scatter {
					d = random(at, units)
				}
				if slow {
					d *= 3
				}
				return d
			}, GateOptions{Ceiling: 256})
			s.run(12 * time.Second)
			_, before := s.run(5 * time.Second)

			slow = true
			s.run(time.Second)
			require.Less(t, slices.Min(s.limits), 16)
			require.GreaterOrEqual(t, slices.Min(s.limits), 1)
			s.run(19 * time.Second)
			perSecond, limit := s.run(5 * time.Second)
			require.Greater(t, perSecond, 0.85*16/0.015)
			require.InDelta(t, before, limit, before/2)

			slow = false
			s.run(20 * time.Second)
			perSecond, limit = s.run(5 * time.Second)
			require.Greater(t, perSecond, 0.9*16/0.005)
			require.InDelta(t, before, limit, before/2)
		})
	}
}

// TestGateBacksOffFromRefusals: if a server refuses work, the limit falls, and refusals become
// rare. It recovers when the server refuses no more.
func TestGateBacksOffFromRefusals(t *testing.T) {
	most := 512
	s := newServer(150, fixed(20*time.Millisecond), GateOptions{Ceiling: 128})
	s.refuse = func(inFlight int) bool { return inFlight >= most }
	s.run(8 * time.Second)
	_, limit := s.run(4 * time.Second)
	require.Equal(t, 128.0, limit)

	most = 40
	s.run(4 * time.Second)
	perSecond, limit := s.run(20 * time.Second)
	require.Less(t, limit, 41.0)
	require.Greater(t, perSecond, 0.8*40/0.020)
	require.Less(t, s.refused, s.done/200)

	most = 512
	s.run(8 * time.Second)
	_, limit = s.run(4 * time.Second)
	require.Equal(t, 128.0, limit)
}

// TestGateWhenNothingWorks goes down to one request at a time and stays there.
func TestGateWhenNothingWorks(t *testing.T) {
	s := newServer(4, fixed(time.Millisecond), GateOptions{Ceiling: 100})
	s.refuse = func(int) bool { return true }
	s.run(10 * time.Second)
	_, limit := s.run(time.Second)
	require.Equal(t, 1.0, limit)
	require.Zero(t, s.done)
}

// TestGateKnowsLargeRequests: a large page takes long because it is large, and an
// empty one is quick because there is nothing in it.
func TestGateKnowsLargeRequests(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	large := 1.0
	const overhead = 0.25
	s := newServer(16, func(_ time.Duration, units float64) time.Duration {
		return time.Duration((units + overhead) * float64(4*time.Millisecond))
	}, GateOptions{Ceiling: 256, Overhead: overhead})
	s.units = func() float64 {
		if r.IntN(2) == 0 {
			return 0
		}
		return large
	}
	s.run(15 * time.Second)
	_, before := s.run(4 * time.Second)
	large = 4
	perSecond, after := s.run(4 * time.Second)
	require.InDelta(t, before, after, before/3)
	require.Greater(t, perSecond, 0.9*16/((2+overhead)*0.004))
}
