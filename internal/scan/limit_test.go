package scan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// requireSome checks that the output has n rows of the table, none twice.
func requireSome(t *testing.T, table *sweeptest.Table, out *output, result Result, n int) {
	t.Helper()
	require.NoError(t, out.misuse)
	there := make(map[string]bool)
	for _, r := range table.Rows {
		there[lineOf(r)] = true
	}
	lines := out.lines()
	require.Len(t, lines, n)
	require.EqualValues(t, n, result.Rows)
	for _, line := range lines {
		require.True(t, there[line])
		delete(there, line)
	}
}

// The output has the number of rows of the limit, whichever workers read them.
func TestLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 6, 7, 8, 100, 999, 1000, 1001, 5000} {
		for _, workers := range []int{1, 3, 16} {
			for _, writeRows := range []int64{0, 5} {
				t.Run(
					fmt.Sprintf("%d rows, %d workers, writes of %d", limit, workers, writeRows),
					func(t *testing.T) {
						table := numbered(1000, 10)
						job, out := newJob(t, table, workers)
						job.EncodeBuffers, job.Limit, job.WriteRows = 3, int64(limit), writeRows
						result, err := job.Run(context.Background())
						require.NoError(t, err)
						require.NoError(t, table.Check())
						require.Equal(t, limit < 1000, result.Limited)
						requireSome(t, table, out, result, min(limit, 1000))
						require.EqualValues(t, result.Rows, job.Counters.Rows.Load())
					},
				)
			}
		}
	}
}

// The limit also ends a scan in the middle of a partition whose rows are held back, in memory or in
// a file.
func TestLimitInAPartition(t *testing.T) {
	for _, hold := range []int64{0, 1, 500} {
		for limit := 1; limit < 60; limit += 7 {
			table := tableOf(partition{10, 3, 20}, partition{20, 100, 50})
			job, out := newJob(t, table, 2)
			job.PartitionMemory, job.Limit, job.SpoolDir = hold, int64(limit), t.TempDir()
			result, err := job.Run(context.Background())
			require.NoError(t, err)
			require.True(t, result.Limited)
			requireSome(t, table, out, result, limit)
			requireEmpty(t, job.SpoolDir)
		}
	}
}

// Rows that were read and dropped do not count, however often.
func TestLimitUnderFaults(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		table := mixed(r, 60, 10)
		table.Fail = faults(seed, 5)
		job, out := newJob(t, table, 1+r.IntN(8))
		job.EncodeBuffers, job.Limit, job.Sweep.MaxAttempts = 1+r.IntN(
			3,
		), int64(
			1+r.IntN(len(table.Rows)+20),
		), 1000
		job.Splits, job.Sweep.PageRows = sweeptest.Splits(1+r.IntN(8), r), 1+r.IntN(20)
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Empty(t, result.Failed)
		require.Equal(t, int(job.Limit) < len(table.Rows), result.Limited)
		requireSome(t, table, out, result, min(int(job.Limit), len(table.Rows)))
	}
}

// If a range is given up, the limit allows other rows instead of those of its unfinished partition.
func TestLimitAfterACut(t *testing.T) {
	table := tableOf(partition{10, 2, 5}, partition{20, 40, 5}, partition{1 << 62, 30, 5})
	job, out := newJob(t, table, 1)
	job.Limit = 25
	job.Splits = []token.Split{
		{Range: token.Range{End: token.Token{Lo: 20}}},
		{Range: token.Range{Start: token.Token{Lo: 20}, End: token.Murmur3.Max()}},
	}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within.End == (token.Token{Lo: 20}) && r.Page == 3 {
			return &fault.Error{
				Class:    fault.Overloaded,
				Err:      errors.New("too much"),
				Answered: true,
			}
		}
		return nil
	}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.True(t, result.Limited)
	require.Len(t, result.Failed, 1)
	requireSome(t, table, out, result, 25)
	require.Equal(t, lineOf(table.Rows[42]), out.lines()[2])
}

// If the limit is reached while a range is given up, its rows stay: they have been counted.
func TestCutAfterTheLimit(t *testing.T) {
	table := tableOf(partition{10, 5, 5})
	job, out := newJob(t, table, 1)
	job.Limit, job.PartitionMemory = 6, 1000
	w := newWorker(job)
	page, err := table.Page(context.Background(), "", token.Range{}, nil, 5)
	require.NoError(t, err)
	require.NoError(t, w.Page(token.Whole(token.Murmur3), page))
	page.Close()
	w.left.Store(-1) // another worker took the sixth row and one more
	require.ErrorIs(t, w.Cut(token.Whole(token.Murmur3)), errLimit)
	require.NoError(t, w.Done(token.Whole(token.Murmur3)))
	require.Len(t, out.lines(), 5)
}

// An error of the output is reported even if another worker reaches the limit at the same time.
func TestLimitDoesNotHideAnError(t *testing.T) {
	table := tableOf(partition{10, 5, 5}, partition{20, 5, 5})
	job, out := newJob(t, table, 1)
	job.Limit = 100
	out.fail = fullDisk(0)
	w := newWorker(job)
	page, err := table.Page(context.Background(), "", token.Range{}, nil, 10)
	require.NoError(t, err)
	require.ErrorIs(t, w.Page(token.Whole(token.Murmur3), page), errFull)
	page.Close()
	require.ErrorIs(t, w.Done(token.Whole(token.Murmur3)), errFull)
}
