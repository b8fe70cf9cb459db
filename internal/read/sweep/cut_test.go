package sweep

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// sized makes a table of partitions with the given numbers of rows, evenly over the ring. The rows
// of a partition share a token.
func sized(partitions ...int) *sweeptest.Table {
	table := &sweeptest.Table{}
	for i, p := range sweeptest.Numbered(len(partitions)) {
		for n := range partitions[i] {
			table.Rows = append(
				table.Rows,
				sweeptest.Row{
					Token: p.Token,
					Cells: [][]byte{fmt.Appendf(nil, "row %d of %d", n, i)},
				},
			)
		}
	}
	return table
}

// If time runs out in the middle of a range, the part whose rows have all come is done. The rest is
// read as a range of its own, from its first page, with pages as small as the last ones.
func TestCutAtProgress(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(40)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == whole && r.Page >= 2 {
			return errUnknown
		}
		return nil
	}
	k := take(table)
	result, err := Run(bg(), one(whole), table, Options{PageRows: 10, Backoff: brief}, k.consumer)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Empty(t, result.Failed)
	at := table.Rows[18].Token // the last of the 20 rows may not be its partition's last
	rest := token.Range{Start: at, End: whole.End}
	require.Equal(t, []token.Range{{Start: whole.Start, End: at}, rest}, result.Done)
	k.requireRows(t, table, result)
	requests := table.Requests()
	require.Equal(t, []int{10, 10, 10, 5, 2, 4, 8, 10}, rowsOf(requests))
	for i, r := range requests[4:] {
		require.Equal(t, rest, r.Within)
		require.Equal(t, i, r.Page, "no paging state of the range before")
	}
}

// A range is cut at the end of a partition, wherever the page ends.
func TestCutBetweenPartitions(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	for pageRows := 1; pageRows <= 12; pageRows++ {
		table := sized(1, 4, 2, 1, 1, 5, 3, 1)
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Within == whole && r.Page*pageRows >= 9 {
				return errUnknown
			}
			return nil
		}
		k := take(table)
		result, err := Run(
			bg(),
			one(whole),
			table,
			Options{PageRows: pageRows, Backoff: brief},
			k.consumer,
		)
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Empty(t, result.Failed)
		requireCover(t, one(whole), result)
		k.requireRows(t, table, result)
		if pageRows < 9 {
			require.Len(t, result.Done, 2)
		}
	}
}

// A range can be cut any number of times, as long as a page comes between two cuts.
func TestCutsFollowEachOther(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Page > 0 && r.Rows > 3 {
			return errUnknown
		}
		return nil
	}
	k := take(table)
	result, err := Run(
		bg(),
		many(2),
		table,
		Options{Workers: 2, PageRows: 40, MaxAttempts: 3, Backoff: brief},
		k.consumer,
	)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Empty(t, result.Failed)
	require.Greater(t, len(result.Done), 5)
	requireCover(t, many(2), result)
	k.requireRows(t, table, result)
}

// A partition of many pages has no token to cut at. Its page is retried with fewer rows, and the
// pages before it are kept.
func TestHugePartitionIsReadOnce(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	table := sized(200)
	table.Fail = failTimes(errUnknown, 1, 3)
	k := take(table)
	result, err := Run(bg(), one(whole), table, Options{PageRows: 40, Backoff: brief}, k.consumer)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, []token.Range{whole}, result.Done)
	require.Empty(t, result.Failed)
	k.requireRows(t, table, result)
	var pages []int
	for _, r := range table.Requests() {
		require.Equal(t, whole, r.Within)
		pages = append(pages, r.Page)
	}
	require.Equal(t, []int{0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7}, pages)
	require.Equal(t, []int{40, 40, 20, 10, 5, 5, 10, 20, 40, 40, 40}, rowsOf(table.Requests()))
}

// Partitions before a huge one are cut off once.
func TestHugePartitionBehindOthers(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	table := sized(1, 1, 1, 100, 1)
	slow := 0
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Page > 0 && r.Rows > 2 {
			slow++
			return errUnknown
		}
		return nil
	}
	k := take(table)
	result, err := Run(bg(), one(whole), table, Options{PageRows: 10, Backoff: brief}, k.consumer)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Empty(t, result.Failed)
	require.Len(t, result.Done, 2)
	require.Positive(t, slow)
	k.requireRows(t, table, result)
}

// The attempts on a retried page add up, so a partition that cannot be read is given up too.
func TestHugePartitionThatCannotBeRead(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	for attempts := 1; attempts <= 7; attempts++ {
		table := sized(100)
		table.Fail = failTimes(errUnknown, 1, 100)
		k := take(table)
		result, err := Run(
			bg(),
			one(whole),
			table,
			Options{PageRows: 10, MaxAttempts: attempts, Backoff: brief},
			k.consumer,
		)
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Equal(t, []Failure{{Range: whole, Err: errUnknown}}, result.Failed)
		require.Empty(t, result.Done)
		require.Empty(t, k.rows)
		require.Len(t, table.Requests(), 1+attempts)
	}
}

// If a range is given up in its middle, the part whose rows have all come is done, and the rest
// failed.
func TestGivenUpInTheMiddle(t *testing.T) {
	splits := many(3)
	bad := splits[1].Range
	for _, err := range []error{errTransient, errOverloaded} {
		table := &sweeptest.Table{Rows: sweeptest.Numbered(90)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if bad.Contains(r.Within.End) && r.Page == 2 {
				return err
			}
			return nil
		}
		k := take(table)
		result, runErr := Run(
			bg(),
			splits,
			table,
			Options{Workers: 2, PageRows: 5, Backoff: brief},
			k.consumer,
		)
		require.NoError(t, runErr)
		require.NoError(t, table.Check())
		var rows []sweeptest.Row
		for _, r := range table.Rows {
			if bad.Contains(r.Token) {
				rows = append(rows, r)
			}
		}
		at := rows[8].Token // the last of the ten rows may not be its partition's last
		require.Equal(
			t,
			[]Failure{{Range: token.Range{Start: at, End: bad.End}, Err: err}},
			result.Failed,
		)
		require.Len(t, result.Done, 3)
		require.Contains(t, result.Done, token.Range{Start: bad.Start, End: at})
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
	}
}

// A rest of a single token is not given up because it cannot be cut further.
func TestRestOfOneToken(t *testing.T) {
	end := sweeptest.At(500)
	first, two := token.Token{Lo: end.Lo - 1}, token.Token{Lo: end.Lo - 2}
	table := &sweeptest.Table{Rows: []sweeptest.Row{
		{Token: first, Cells: [][]byte{[]byte("a")}},
		{Token: end, Cells: [][]byte{[]byte("b")}},
		{Token: end, Cells: [][]byte{[]byte("c")}},
		{Token: end, Cells: [][]byte{[]byte("d")}},
	}}
	table.Fail = failTimes(errUnknown, 2, 3)
	k := take(table)
	result, err := Run(
		bg(),
		one(token.Range{Start: two, End: end}),
		table,
		Options{PageRows: 1, Backoff: brief},
		k.consumer,
	)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Empty(t, result.Failed)
	require.Equal(t, []token.Range{{Start: two, End: first}, {Start: first, End: end}}, result.Done)
	k.requireRows(t, table, result)
}

// An error of Cut ends the run.
func TestCutErrorEndsTheRun(t *testing.T) {
	for _, at := range []int{0, 1} {
		table := &sweeptest.Table{Rows: sweeptest.Numbered(40)}
		table.Fail = failTimes(errOverloaded, at, 100)
		_, err := Run(
			bg(),
			many(2),
			table,
			Options{PageRows: 10, MaxAttempts: 2, Backoff: brief},
			func() (Consumer, error) {
				c, err := take(table).consumer()
				return brokenCut{c}, err
			},
		)
		require.ErrorIs(t, err, errBroken)
		require.NoError(t, table.Check())
	}
}

type brokenCut struct{ Consumer }

func (brokenCut) Cut(token.Range) error { return errBroken }
