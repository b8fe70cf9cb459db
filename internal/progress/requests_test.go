package progress

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fixed is a gate with a constant limit.
type fixed int

func (f fixed) Limit() int { return int(f) }
func (fixed) Bound() bool  { return false }

func TestRequests(t *testing.T) {
	var r Requests
	require.Zero(t, r.Whole())
	require.Zero(t, r.Now(time.Now()))
	require.Empty(t, r.Nodes(time.Now()))

	begin := time.Now()
	for i := range 100 {
		node := []string{"a", "b"}[i%2]
		r.Begin(node)
		r.end(node, begin, begin.Add(time.Duration(i+1)*time.Millisecond), Answered)
	}
	r.Begin("b")
	r.end("b", begin, begin.Add(time.Hour), Failed)
	r.Begin("b")
	require.EqualValues(t, 1, r.UnderWay())
	whole := r.Whole()
	require.EqualValues(t, 100, whole.Requests)
	require.InEpsilon(t, 50*time.Millisecond, whole.P50, 0.02)
	require.InEpsilon(t, 99*time.Millisecond, whole.P99, 0.02)

	r.SetNames(func(node string) string { return "node " + node })
	r.SetGate("a", fixed(3))
	r.SetGate("", fixed(4))
	require.Equal(t, 7, r.Limit())
	nodes := r.Nodes(begin.Add(time.Second))
	require.Len(t, nodes, 3)
	require.Equal(t, NodeRequests{Limit: 4}, nodes[0])
	require.Equal(t, "node a", nodes[1].Node)
	require.Equal(t, 3, nodes[1].Limit)
	require.EqualValues(t, 50, nodes[1].Answered)
	require.EqualValues(t, 50, nodes[1].Now.Requests)
	require.Equal(t, "node b", nodes[2].Node)
	require.EqualValues(t, 1, nodes[2].Failed)
	require.EqualValues(t, 1, nodes[2].UnderWay)
}

// A node is silent if it has requests in flight and has answered none for some seconds. Failures
// are not answers. A node without requests is not silent.
func TestSilence(t *testing.T) {
	var r Requests
	r.SetNames(func(node string) string { return "node " + node })
	begin := time.Now()
	require.Nil(t, r.Silence(begin))
	for _, node := range []string{"a", "b", "idle"} {
		r.begin(node, begin)
	}
	r.end("idle", begin, begin, Answered)
	require.Nil(t, r.Silence(begin.Add(silentFrom-1)))
	require.Equal(
		t,
		&Silence{Node: "node a", Nodes: 2, Seconds: 6, all: true},
		func() *Silence {
			r.begin("a", begin) // another request is not an answer
			r.nodes["b"].waiting = begin.Add(time.Second)
			return r.Silence(begin.Add(6 * time.Second))
		}(),
	)
	r.end("b", begin, begin.Add(6*time.Second), Answered)
	r.begin("b", begin.Add(6*time.Second))
	r.end("a", begin, begin.Add(7*time.Second), Failed)
	require.Equal(
		t,
		&Silence{Node: "node a", Nodes: 1, Seconds: 8},
		r.Silence(begin.Add(8*time.Second)),
	)

	// a node that gets a request after a pause has time for it
	r.end("a", begin, begin.Add(8*time.Second), Answered)
	require.Nil(t, r.Silence(begin.Add(10*time.Second)))
	r.begin("a", begin.Add(time.Minute))
	require.NotContains(
		t,
		r.Silence(begin.Add(time.Minute+time.Second)).Node,
		"node a",
	)
}

// Latencies older than the window do not count as recent, and still count for the whole run.
func TestRecentLatencies(t *testing.T) {
	var r Requests
	begin := time.Now()
	take := func(at, latency time.Duration) {
		r.Begin("")
		now := begin.Add(at)
		r.end("", now.Add(-latency), now, Answered)
	}
	now := func(at time.Duration) Latency { return r.Now(begin.Add(at)) }
	take(0, time.Second)
	take(3*time.Second, time.Millisecond)
	require.EqualValues(t, 2, now(4*time.Second).Requests)
	require.InEpsilon(t, time.Second, now(4*time.Second).P99, 0.07)
	require.EqualValues(t, 1, now(Window).Requests)
	require.InEpsilon(t, time.Millisecond, now(Window).P99, 0.07)
	require.Zero(t, now(2*Window))
	take(time.Hour, 24*time.Hour)
	require.EqualValues(t, 1, now(time.Hour).Requests)
	require.InEpsilon(t, longest, now(time.Hour).P50, 0.07)
	require.EqualValues(t, 3, r.Whole().Requests)
}

func TestRequestsAtOnce(t *testing.T) {
	var r Requests
	var all sync.WaitGroup
	for _, node := range []string{"a", "b", "a", ""} {
		all.Go(func() {
			for range 1000 {
				r.End(node, r.Begin(node), Answered)
				r.Now(time.Now())
			}
		})
	}
	all.Wait()
	require.Zero(t, r.UnderWay())
	require.EqualValues(t, 4000, r.Whole().Requests)
	require.Len(t, r.Nodes(time.Now()), 3)
}

func TestHeld(t *testing.T) {
	var h LatencyTarget
	target, kept := h.Now()
	require.Zero(t, target)
	require.Zero(t, kept)
	h.Set(10 * time.Millisecond)
	h.Record(LatencyRecord{P99: 7 * time.Millisecond, Seconds: 3})
	target, kept = h.Now()
	require.Equal(t, 10*time.Millisecond, target)
	require.Equal(t, LatencyRecord{P99: 7 * time.Millisecond, Seconds: 3}, kept)
}

// BenchmarkRequests measures the cost of recording a request, with four nodes.
func BenchmarkRequests(b *testing.B) {
	var r Requests
	nodes := []string{"a", "b", "c", "d"}
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for i := 0; p.Next(); i++ {
			node := nodes[i%len(nodes)]
			r.End(node, r.Begin(node), Answered)
		}
	})
}

// A request that the run gave up does not count as a failure of its node.
func TestCanceledRequests(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	require.Equal(t, Failed, EndOf(ctx, false))
	require.Equal(t, Answered, EndOf(ctx, true))
	cancel()
	require.Equal(t, Canceled, EndOf(ctx, false))
	require.Equal(t, Answered, EndOf(ctx, true))
	var r Requests
	r.End("a", r.Begin("a"), Canceled)
	require.False(t, r.AllFailed())
	require.Zero(t, r.UnderWay())
	require.Zero(t, r.Answered())
	require.Equal(t, []NodeRequests{{Node: "a"}}, r.Nodes(time.Now()))
}
