package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ringOf is that of those of four nodes that are members, two replicas of each range.
func ringOf(t testing.TB, members ...int) Ring {
	t.Helper()
	var nodes []token.Node
	var r Ring
	for i := range 4 {
		n := token.Node{ID: fmt.Sprintf("node%d", i), DC: "dc1", Rack: "r1"}
		for v := range 8 {
			if slices.Contains(members, i) {
				n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
			}
		}
		nodes, r.Nodes = append(nodes, n), append(r.Nodes, n.ID)
	}
	ring, err := token.NewRing(token.Murmur3, nodes)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "2"},
	)
	require.NoError(t, err)
	r.Placement = ring.Place(strategy)
	return r
}

// both is a ring that is becoming another one.
func both(now, then Ring) Ring {
	return Ring{Placement: token.Union(now.Placement, then.Placement), Nodes: now.Nodes}
}

// follow has a target see rings, one after the other and then the last one.
func follow(rings ...Ring) func(*Options) {
	return func(o *Options) {
		o.Ring = func(context.Context) (Ring, error) {
			r := rings[0]
			if len(rings) > 1 {
				rings = rings[1:]
			}
			return r, nil
		}
	}
}

// requireOn proves that rows are on all of their nodes.
func requireOn(t *testing.T, n *nodes, rings []Ring, last map[string]string) {
	t.Helper()
	for place, want := range last {
		var k, c int32
		_, err := fmt.Sscanf(place, "%d %d", &k, &c)
		require.NoError(t, err)
		at := token.Murmur3.Hash(keyOf(k))
		for _, r := range rings {
			for _, i := range r.Placement.Replicas(r.Placement.Find(at)) {
				require.Equal(t, want, n.rows[r.Nodes[i]][place], "row %s on %s", place, r.Nodes[i])
			}
		}
	}
}

// Rows that are sent while a node begins to join are sent again, to that node as well, before they
// count as loaded.
func TestNodeThatJoinsWhileRowsAreSent(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	three, four := ringOf(t, 0, 1, 2), ringOf(t, 0, 1, 2, 3)
	moves := 0
	tg, n := newTarget(t, func(o *Options) {
		follow(three, both(three, four), both(three, four), four)(o)
		o.OnMove = func(error) { moves++; require.Zero(t, p.written) }
	})
	n.resent = true
	require.NoError(t, load(t, tg, rows))
	require.Equal(t, 2000, p.written)
	require.Equal(t, 1, moves)
	requireOn(t, n, []Ring{three, four}, last)
}

// Rows that are sent while the table is truncated are sent once more. A node that had them before
// has lost them, and one that got them later still has them.
func TestTableThatIsTruncatedWhileRowsAreSent(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	before, after := ringOf(t, 0, 1, 2), ringOf(t, 0, 1, 2)
	before.Truncated = map[string]int64{"node0": 0, "node1": 0}
	after.Truncated = map[string]int64{"node0": 0, "node1": 7, "node2": 7}
	var why []error
	tg, n := newTarget(t, follow(before, after))
	tg.o.OnMove = func(err error) {
		why = append(why, err)
		clear(n.rows["node1"])
	}
	n.resent = true
	require.NoError(t, load(t, tg, rows))
	require.Len(t, why, 1)
	require.ErrorIs(t, why[0], ErrTruncated)
	requireOn(t, n, []Ring{after}, last)
}

// A change of the table ends a load before it sends anything else.
func TestTableThatChangesBetweenSlices(t *testing.T) {
	changed := errors.New("the table has an index by now")
	p := &pieces{}
	rows, _ := many(p, 200)
	tg, n := newTarget(t, func(o *Options) {
		follow(ringOf(t, 0, 1, 2))(o)
		o.Fits = func(context.Context) error { return fault.New(fault.Fatal, changed) }
	})
	require.ErrorIs(t, load(t, tg, rows), changed)
	require.Zero(t, p.written)
	require.Zero(t, n.files)
}

// Rows that are sent again count once: their partitions, their slice, and how much of it is done.
func TestAccountOfWhatIsResent(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	three, four := ringOf(t, 0, 1, 2), ringOf(t, 0, 1, 2, 3)
	counters := &progress.Counters{}
	var resent []float64
	tg, n := newTarget(t, func(o *Options) {
		follow(three, both(three, four), both(three, four), four)(o)
		o.Progress = counters
	})
	moved := false
	tg.o.OnMove = func(error) { moved = true }
	n.resent = true
	var mu sync.Mutex
	n.fail = func(string, int) error { // it is asked for each file
		mu.Lock()
		defer mu.Unlock()
		if moved {
			resent = append(resent, counters.Slice.Sent())
		}
		return nil
	}
	require.NoError(t, load(t, tg, rows))
	keys := make(map[string]bool)
	for place := range last {
		key, _, _ := strings.Cut(place, " ")
		keys[key] = true
	}
	require.EqualValues(t, len(keys), tg.Stats().Partitions)
	require.EqualValues(t, 1, tg.Stats().Slices)
	require.EqualValues(t, n.files, tg.Stats().Files, "nodes have those of both times")
	require.Less(t, slices.Min(resent), 1.0, "of the second time nothing is done at first")
}

// Rows that are sent while a node is joining already are sent once.
func TestNodeThatIsJoining(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	three, four := ringOf(t, 0, 1, 2), ringOf(t, 0, 1, 2, 3)
	tg, n := newTarget(t, follow(both(three, four), four))
	require.NoError(t, load(t, tg, rows))
	requireOn(t, n, []Ring{three, four}, last)
}

// A node that does not take rows any more, since it has left, is not waited for.
func TestNodeThatLeavesWhileRowsAreSent(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	three, two := ringOf(t, 0, 1, 2), ringOf(t, 0, 1)
	tg, n := newTarget(t, func(o *Options) {
		follow(three, two)(o)
		o.Patience = time.Hour
	})
	n.resent = true
	n.fail = func(node string, _ int) error {
		if node == "node2" {
			return fault.New(fault.Transient, errors.New("it has left"))
		}
		return nil
	}
	require.NoError(t, load(t, tg, rows))
	require.Equal(t, 2000, p.written)
	requireOn(t, n, []Ring{two}, last)
}

// Rows do not count as loaded as long as they belong elsewhere whenever they are there.
func TestRingThatNeverRests(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 200)
	three, two := ringOf(t, 0, 1, 2), ringOf(t, 1, 2, 3)
	asked := 0
	tg, n := newTarget(t, func(o *Options) {
		o.Ring = func(context.Context) (Ring, error) {
			asked++
			return []Ring{two, three}[asked%2], nil
		}
	})
	n.resent = true
	err := load(t, tg, rows)
	require.ErrorIs(t, err, ErrMoved)
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.Zero(t, p.written)
	require.Equal(t, 2*(mostMoves+1), asked)
}

// What was sent by one ring covers another one when all of its nodes have it.
func TestCovers(t *testing.T) {
	three, four, two := ringOf(t, 0, 1, 2), ringOf(t, 0, 1, 2, 3), ringOf(t, 0, 1)
	o := func(r Ring) *Options { return &Options{Placement: r.Placement, Nodes: r.Nodes} }
	require.True(t, o(three).covers(three))
	require.False(t, o(three).covers(four))
	require.False(t, o(four).covers(three))
	require.False(t, o(three).covers(two))
	for _, r := range []Ring{three, four, two} {
		require.True(t, o(both(three, both(four, two))).covers(r))
	}
	ignoring := o(three)
	ignoring.Ignored = map[string]bool{"node3": true}
	require.True(t, ignoring.covers(four), "the others have theirs by the first ring")
	ignoring.Ignored = map[string]bool{"node0": true, "node1": true, "node2": true, "node3": true}
	require.True(t, ignoring.covers(four))
}
