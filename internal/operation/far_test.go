package operation

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// boundGate is a gate that may hold back what the nodes could take.
type boundGate struct{ bound atomic.Bool }

func (*boundGate) Limit() int    { return 32 }
func (g *boundGate) Bound() bool { return g.bound.Load() }

// TestTellBound: if the ceiling binds, the log says so once, and the page as long as it does.
func TestTellBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		env := spec.Environment{
			Log: func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) },
		}
		var c progress.Counters
		var gate boundGate
		c.Requests.SetGate("", &gate)
		stop := tellBound(env, &c, "more")
		later := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		later(time.Minute)
		require.Empty(t, c.Hint.Text())
		gate.bound.Store(true)
		later(boundEvery * (boundLooks - 1))
		require.Empty(t, c.Hint.Text(), "it may pass")
		later(2 * boundEvery)
		require.Equal(t, "more", c.Hint.Text())
		gate.bound.Store(false)
		later(boundEvery)
		require.Empty(t, c.Hint.Text())
		gate.bound.Store(true)
		later(time.Minute)
		require.Equal(t, "more", c.Hint.Text())
		stop()
		require.Equal(t, []string{"more"}, lines)
	})
}

// TestMostReads: more reads than N are in flight if a node is far away, memory has room for them,
// and N is not the user's. The test also checks the advice if that is not enough.
func TestMostReads(t *testing.T) {
	near := pace.NewTrips(map[string]time.Duration{"a": time.Millisecond})
	far := pace.NewTrips(
		map[string]time.Duration{"a": time.Millisecond, "b": 50 * time.Millisecond},
	)
	for _, tt := range []struct {
		parallel int
		chosen   bool
		trips    *pace.Trips
		pages    int64
		want     int
		advice   string
	}{
		{6, true, near, 256, 6, "larger --memory"},
		{6, false, far, 256, 6, "without --parallel, or with one above 6,"},
		{6, true, far, 256, 256, "larger --memory there is room for more than 256 pages"},
		{6, true, far, 10_000, 384, "--parallel above 384"},
		{100, true, far, 10_000, 1024, "--parallel above 1,024"},
		{2000, true, far, 10_000, 2000, "--parallel above 2,000"},
	} {
		s := &table.Table{Plan: &plan.Plan{Parallel: tt.parallel, Chosen: tt.chosen}}
		require.Equal(t, tt.want, mostReads(s, tt.trips, tt.pages), "%+v", tt)
		require.Contains(t, adviseReads(s, tt.want), tt.advice)
	}
}

// Of a large rack a few nodes are asked how far away they are, and the others are as far as the
// nearest of these.
func TestTripsOfManyNodes(t *testing.T) {
	var nodes []topology.Node
	for i := range 100 {
		nodes = append(nodes, topology.Node{ID: fmt.Sprint(i), Rack: []string{"near", "far"}[i%2]})
	}
	nodes = append(nodes, topology.Node{ID: "alone", Rack: "alone"})
	asked := tripSample(nodes)
	require.Len(t, asked, 2*tripNodes+1)
	took, errs := make([]time.Duration, len(asked)), make([]error, len(asked))
	for i, n := range asked {
		took[i] = map[string]time.Duration{"near": time.Millisecond, "far": 50 * time.Millisecond}[n.Rack] + time.Duration(
			i,
		)*time.Millisecond
	}
	errs[0], errs[len(errs)-1] = errors.New("silent"), errors.New("silent")
	trips := tripsOf(nodes, asked, took, errs)
	require.Len(t, trips, 99, "not those that were silent")
	require.Equal(t, 3*time.Millisecond, trips["98"])
	require.Equal(t, 51*time.Millisecond, trips["99"])
	require.Equal(t, 53*time.Millisecond, trips["3"], "its own")
}
