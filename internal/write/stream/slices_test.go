package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows are sent and completed as soon as they are a slice, and the rest later. No row comes twice.
func TestSlicesAreCompletedOneByOne(t *testing.T) {
	const pieceRows = 50
	var all []*pieces
	var rows []*write.Row
	for i := range 20 * pieceRows {
		if i%pieceRows == 0 {
			all = append(all, &pieces{})
		}
		rows = append(
			rows,
			reading(
				all[len(all)-1],
				int32(i),
				1,
				fmt.Sprint("value ", i),
				1_700_000_000_000_000+int64(i),
			),
		)
	}
	tg, n := newTarget(t, func(o *Options) { o.Slice = 10 << 10 })
	in := tg.Intake(readings.Columns)
	ended := make(chan error)
	go func() { ended <- tg.Run(t.Context()) }()
	for i := 0; i < len(rows); i += pieceRows {
		require.NoError(t, in.Put(t.Context(), rows[i:i+pieceRows]))
	}
	tg.Finish()
	require.NoError(t, <-ended)
	last := make(map[string]string)
	for i := range rows {
		last[fmt.Sprintf("%d 1", i)] = fmt.Sprintf(
			"v=%x@%d ",
			fmt.Sprint("value ", i),
			1_700_000_000_000_000+i,
		)
	}
	n.requireRows(t, last)
	for _, p := range all {
		require.Equal(t, pieceRows, p.written)
	}
	require.Greater(t, tg.Stats().Slices, int64(1))
	require.EqualValues(t, n.files, tg.Stats().Files)
}

// Rows count as soon as their slice is there, while others are yet to come.
func TestSliceIsSettledBeforeTheNext(t *testing.T) {
	first, second := &pieces{}, &pieces{}
	tg, _ := newTarget(t, func(o *Options) { o.Slice = 1 })
	settled := make(chan struct{})
	first.mayBeWritten = func() bool { close(settled); return true }
	in := tg.Intake(readings.Columns)
	ended := make(chan error)
	go func() { ended <- tg.Run(t.Context()) }()
	require.NoError(
		t,
		in.Put(t.Context(), []*write.Row{reading(first, 1, 1, "a", 1_700_000_000_000_000)}),
	)
	<-settled
	require.NoError(
		t,
		in.Put(t.Context(), []*write.Row{reading(second, 2, 1, "b", 1_700_000_000_000_000)}),
	)
	tg.Finish()
	require.NoError(t, <-ended)
	require.Equal(t, 1, first.written)
	require.Equal(t, 1, second.written)
	require.EqualValues(t, 2, tg.Stats().Slices)
}

// All slices together leave at most one SSTable for each half of a full one, and one for each set
// of replicas.
func TestSlicesLeaveFewFiles(t *testing.T) {
	p := &pieces{}
	var rows []*write.Row
	for i := range 1000 {
		rows = append(
			rows,
			reading(p, int32(i), 1, fmt.Sprintf("%0100d", i), 1_700_000_000_000_000),
		)
	}
	tg, n := newTarget(t, func(o *Options) { o.Slice = int64(o.queues()) * o.FileBytes })
	in := tg.Intake(readings.Columns)
	ended := make(chan error)
	go func() { ended <- tg.Run(t.Context()) }()
	for i := 0; i < len(rows); i += 10 {
		require.NoError(t, in.Put(t.Context(), rows[i:i+10]))
	}
	tg.Finish()
	require.NoError(t, <-ended)
	stats := tg.Stats()
	require.Greater(t, stats.Slices, int64(3))
	require.True(t, tg.o.bySet())
	require.LessOrEqual(
		t,
		int64(n.files),
		stats.Bytes/(tg.o.FileBytes/2)+2*int64(tg.o.sets()),
		"on two replicas each",
	)
}

// A slice has room for a full file of each queue: of each node, where there are too many sets of
// replicas.
func TestDefaultSlice(t *testing.T) {
	placement, nodes := ring(t)
	o := Options{Placement: placement, Nodes: nodes}
	require.EqualValues(t, 4<<30, o.DefaultSlice())
	o.FileBytes = 4 << 30
	require.EqualValues(t, 3*4<<30, o.DefaultSlice())

	var many []token.Node
	o.Nodes = nil
	for i := range 30 {
		n := token.Node{ID: fmt.Sprint(i), DC: "dc1", Rack: "r1"}
		for v := range 16 {
			n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
		}
		many, o.Nodes = append(many, n), append(o.Nodes, n.ID)
	}
	r, err := token.NewRing(token.Murmur3, many)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "3"},
	)
	require.NoError(t, err)
	o.Placement, o.FileBytes = r.Place(strategy), 0
	require.EqualValues(t, 30*DefaultFileBytes, o.DefaultSlice())
}

// If rows cannot be sent, callers that put more get the error, and the load ends.
func TestRowsThatComeWhileOthersFail(t *testing.T) {
	for name, slice := range map[string]int64{"a slice": 1, "memory is short": 0} {
		t.Run(name, func(t *testing.T) {
			p := &pieces{}
			tg, n := newTarget(t, func(o *Options) { o.Slice = slice })
			tg.memoryWait = time.Millisecond
			in := tg.Intake(readings.Columns)
			later := make(chan error, 1)
			var once sync.Once
			n.fail = func(string, int) error {
				once.Do(func() {
					go func() {
						later <- in.Put(context.Background(), []*write.Row{reading(p, 2, 1, "b", 1_700_000_000_000_000)})
					}()
				})
				return fault.New(fault.Fatal, errors.New("gone"))
			}
			require.NoError(
				t,
				in.Put(t.Context(), []*write.Row{reading(p, 1, 1, "a", 1_700_000_000_000_000)}),
			)
			tg.MemoryLow(true)
			require.ErrorContains(t, tg.Run(t.Context()), "gone")
			require.ErrorContains(t, <-later, "gone")
			require.Zero(t, p.written)
		})
	}
}

// Nothing of a slice is sent before its pieces are known for good.
func TestSlicesBeginBeforeTheyAreSent(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 200)
	lost := errors.New("the disk of the journal is full")
	tg, n := newTarget(t, func(o *Options) { o.Begin = func() error { return lost } })
	require.ErrorIs(t, load(t, tg, rows), lost)
	require.Zero(t, n.files)
	require.Zero(t, p.written)

	begun := 0
	tg, n = newTarget(t, func(o *Options) { o.Begin = func() error { begun++; return nil } })
	n.fail = func(string, int) error { require.Equal(t, 1, begun); return nil }
	require.NoError(t, load(t, tg, rows))
	require.Equal(t, 200, p.written)
}
