package tableboard

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// waits is a table whose ranges must be opened before they are read.
type waits struct {
	*sweeptest.Table
	opened map[token.Range]bool
}

func (w waits) Open(_ context.Context, within token.Range) (token.Range, error) {
	w.opened[within] = true
	return within, nil
}

func (w waits) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	if !w.opened[within] {
		panic("a range was read that was not opened")
	}
	return w.Table.Page(ctx, host, within, state, rows)
}

// A shown run (--http, --report) waits for the files and the memory of a range before it takes a
// part of the budget. A run that is not shown does the same.
func TestShownRunsWaitForTheirFiles(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	ring := board.NewRing(token.Murmur3, []board.Owned{{Range: whole}}, false)
	rows := &sweeptest.Table{Rows: sweeptest.Numbered(10)}
	var reader sweep.Reader = waits{rows, make(map[token.Range]bool)}
	var o sweep.Options
	ShowSweep(&board.Board{Ring: ring}, &o, &reader, false)
	result, err := sweep.Run(
		t.Context(),
		[]token.Split{{Range: whole}},
		reader,
		o,
		func() (sweep.Consumer, error) { return sweeptest.Discard{}, nil },
	)
	require.NoError(t, err)
	require.Equal(t, []token.Range{whole}, result.Done)
}

// A page of a count has a number of rows, and is no row itself.
func TestPagesOfACountAreNoRows(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	nodes := []board.Member{{ID: "1", Address: "a"}}
	for _, counts := range []bool{false, true} {
		ring := board.NewRing(token.Murmur3, []board.Owned{{Range: whole, Node: "1"}}, false)
		var reader sweep.Reader = &sweeptest.Table{Rows: sweeptest.Numbered(5000)}
		var o sweep.Options
		ShowSweep(&board.Board{Ring: ring}, &o, &reader, counts)
		_, err := sweep.Run(
			t.Context(),
			[]token.Split{{Range: whole}},
			reader,
			o,
			func() (sweep.Consumer, error) { return sweeptest.Discard{}, nil },
		)
		require.NoError(t, err)
		var rows int64
		for _, n := range ring.State(nodes)[0].Rows {
			rows += n
		}
		require.Equal(t, counts, rows == 0)
	}
}
