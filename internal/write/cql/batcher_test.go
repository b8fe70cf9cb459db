package cql

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// sponge is a writer that takes everything and keeps nothing.
type sponge struct{ idempotent bool }

func (*sponge) Write(context.Context, string, []row.Row) error { return nil }
func (s *sponge) Idempotent() bool                             { return s.idempotent }

func TestHold(t *testing.T) {
	a, b := &write.Replicas{Index: 0}, &write.Replicas{Index: 1}
	limits := Limits{MaxRows: 4, Partitions: 10, Bytes: 1000, PartitionBytes: 1000}
	h := newBatcher(3, 2, limits)
	var w, other Writer = &sponge{true}, &sponge{true}
	lengths := func(batches []*batch) []int {
		var n []int
		for _, b := range batches {
			n = append(n, len(b.rows))
		}
		slices.Sort(n)
		return n
	}
	one := func(set *write.Replicas, at uint64) *write.Row { return row1(set, at, 1) }
	require.Equal(
		t,
		[]int{3},
		lengths(h.add(w, a, []*write.Row{one(a, 1), one(a, 2), one(a, 3)})),
		"enough",
	)
	require.Empty(t, h.add(w, a, []*write.Row{one(a, 4), one(a, 9)}))
	require.Empty(t, h.add(w, b, []*write.Row{one(b, 5)}), "other replicas")
	require.Empty(t, h.add(other, a, []*write.Row{one(a, 5)}), "other columns")
	require.Empty(t, h.next())
	full := h.add(w, a, []*write.Row{one(a, 4), one(a, 5)})
	require.Equal(t, []int{4}, lengths(full))
	require.Equal(
		t,
		full[0].rows[0].Token,
		full[0].rows[1].Token,
		"rows of a partition stand together",
	)
	require.Equal(t, []int{1, 1}, lengths(h.next()), "two pieces later")
	require.Empty(t, h.add(w, a, []*write.Row{one(a, 4)}))
	require.Equal(t, []int{1}, lengths(h.memoryLow(true)))
	require.Equal(t, []int{1}, lengths(h.add(w, a, []*write.Row{one(a, 4)})), "pressed")
	require.Empty(t, h.memoryLow(false))
	require.Empty(t, h.add(w, a, []*write.Row{one(a, 4)}))
	require.Empty(t, h.idle(), "a piece came meanwhile")
	require.Equal(t, []int{1}, lengths(h.idle()))
}
