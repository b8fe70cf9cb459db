package cql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// freed is a tracker that counts the rows that are released.
type freed struct {
	name string
	rows int
}

func (*freed) Begun() bool                                     { return false }
func (*freed) Ready(int)                                       {}
func (*freed) Written(int, rowsum.Sum) error                   { return nil }
func (*freed) NotApplied(*write.Row, error) error              { return nil }
func (*freed) Reject(*write.Row, write.Outcome, error) error   { return nil }
func (*freed) Find(context.Context, int64) (*write.Row, error) { return nil, nil }
func (f *freed) Release(rows int)                              { f.rows += rows }

// full is a row with everything that a row may have.
func full(n int, p write.Tracker, set *write.Replicas) *write.Row {
	cells := []row.Cell{
		{Bytes: fmt.Appendf(nil, "key %d", n), State: row.Set},
		{State: row.Null},
		{},
		{Bytes: []byte{}, State: row.Set},
	}
	r := &write.Row{
		Row: row.Row{
			Cells:     cells,
			Timestamp: -int64(n) - 1,
			TTL:       row.Forever,
			Token:     token.Token{Hi: 1 << 63, Lo: uint64(n)},
		},
		Replicas:     set,
		MutationSize: n * 1000,
		Sum:          rowsum.Sum{Hi: 1<<64 - 1, Lo: uint64(n)},
		Tracker:      p,
		Source: write.Source{
			Raw:    fmt.Appendf(nil, "line %d\n", n),
			Line:   int64(n),
			Offset: 1 << 40,
			Stamp:  1_700_000_000_000_000,
		},
	}
	for i := range n % 3 {
		r.More = append(
			r.More,
			row.Row{
				Cells:     cells[:3:3],
				Timestamp: int64(i),
				TTL:       7,
				Token:     r.Token,
				Update:    i == 0,
			},
		)
	}
	return r
}

func TestRowsAreCopiedWhole(t *testing.T) {
	set := &write.Replicas{Index: 3}
	a, b := &freed{name: "a"}, &freed{name: "b"}
	var rows []*write.Row
	for n := range 10 {
		rows = append(rows, full(n, []write.Tracker{a, b}[n%2], set))
	}
	text, pieces := appendRows([]byte("before"), rows)
	require.Equal(t, []write.Tracker{a, b}, pieces)
	got := parseRows(text[len("before"):], pieces, set)
	require.Equal(t, rows, got)
	for i := range rows {
		require.Same(t, rows[i].Tracker, got[i].Tracker)
		require.NotNil(t, got[i].Cells[3].Bytes, "empty is not null")
	}

	tg := New(write.NewRouter(nil, nil, nil), Options{})
	repeatable := &batch{
		writer: &sponge{true},
		set:    set,
		rows:   rows,
	}
	once := &batch{
		writer: &sponge{false},
		set:    set,
		rows:   rows,
	}
	tg.detach(once)
	require.Same(t, rows[0], once.rows[0], "what must not be written twice stays")
	tg.detach(repeatable)
	require.Equal(t, []int{5, 5}, []int{a.rows, b.rows}, "the rows are freed")
	require.Equal(t, rows, repeatable.rows)
	require.NotSame(t, rows[0], repeatable.rows[0])
	tg.detach(repeatable)
	repeatable.free()
	require.Equal(t, []int{5, 5}, []int{a.rows, b.rows}, "once")
}

// The memory of copies is counted nowhere else.
func TestLargeRowsAreNotCopied(t *testing.T) {
	set := &write.Replicas{}
	piece := &freed{}
	large := full(0, piece, set)
	large.Cells = append(large.Cells, row.Cell{Bytes: make([]byte, mostCopied), State: row.Set})
	b := &batch{writer: &sponge{true}, set: set, rows: []*write.Row{large}}
	New(write.NewRouter(nil, nil, nil), Options{}).detach(b)
	require.Same(t, large, b.rows[0])
	require.Zero(t, piece.rows)
	a := &spillFile{space: newSpillSpace(t.TempDir(), 1<<30, t.Logf)}
	require.False(t, a.put(b))
	require.True(t, a.empty())
}

func TestAside(t *testing.T) {
	dir := t.TempDir()
	set := &write.Replicas{}
	one := func(n int) *batch {
		return &batch{writer: &sponge{true}, set: set, rows: []*write.Row{full(n, &freed{}, set)}}
	}
	text, _ := appendRows(nil, one(1).rows)
	s := newSpillSpace(dir, int64(3*len(text)), func(string, ...any) { t.Error("a warning") })
	a := &spillFile{space: s}
	defer a.discard()
	for round := range 3 {
		require.True(t, a.empty())
		for n := 1; n <= 3; n++ {
			require.True(t, a.put(one(n)), "round %d, batch %d", round, n)
		}
		require.False(t, a.put(one(4)), "there is no room")
		require.False(
			t,
			a.put(&batch{writer: &sponge{false}, set: set, rows: one(1).rows}),
			"it must not be written twice",
		)
		for n := 1; n <= 3; n++ {
			b, err := a.take()
			require.NoError(t, err)
			require.Equal(t, one(n).rows[0].Raw, b.rows[0].Raw)
			require.True(t, b.own)
		}
	}
	require.EqualValues(t, 3*len(text), s.room.Load())
	require.EqualValues(t, mostSpilled, s.batches.Load())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "the file has no name")
}

// If nothing can be spilled, rows stay in memory, and one warning is printed.
func TestAsideWithoutAFolder(t *testing.T) {
	told := 0
	a := &spillFile{
		space: newSpillSpace(filepath.Join(t.TempDir(), "none"), 1<<20, func(string, ...any) { told++ }),
	}
	set := &write.Replicas{}
	for range 3 {
		require.False(
			t,
			a.put(
				&batch{writer: &sponge{true}, set: set, rows: []*write.Row{full(1, &freed{}, set)}},
			),
		)
	}
	require.Equal(t, 1, told)
	require.EqualValues(t, 1<<20, a.space.room.Load())
	require.True(t, a.empty())
}

// A node's queue that is never empty takes no more memory the longer it runs.
func TestALaneForgetsWhatItHasSent(t *testing.T) {
	lanes := newNodeQueues(
		write.NewRouter(nil, nil, nil),
		Options{InFlight: 1},
		newSpillSpace(t.TempDir(), 0, nil),
	)
	l := lanes[""]
	b := &batch{}
	for range 10 {
		l.put(b)
	}
	for range 100_000 {
		l.put(b)
		got, err := l.next(t.Context())
		require.NoError(t, err)
		require.Same(t, b, got)
	}
	require.Less(t, cap(l.waiting), 100)
}
