package scan

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestEveryRowOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 7, 40} {
		for _, width := range []int{0, 3, 20000, 2 * flushSize} {
			t.Run(fmt.Sprintf("%d workers, rows of %d bytes", workers, width), func(t *testing.T) {
				rows := min(2000, 8*flushSize/max(width, 1))
				table := numbered(rows, width)
				job, out := newJob(t, table, workers)
				job.EncodeBuffers = workers / 2
				result, err := job.Run(context.Background())
				require.NoError(t, err)
				require.NoError(t, table.Check())
				require.Empty(t, result.Failed)
				require.False(t, result.Limited)
				require.NoError(
					t,
					token.Cover(token.Murmur3, token.Whole(token.Murmur3), result.Done),
				)
				requireRows(t, job, table.Rows, out, result)
				c := job.Counters
				share, known := c.Share()
				require.True(t, known)
				require.Equal(t, 1.0, share)
				require.Zero(t, c.Retries.Load())
				require.Zero(t, c.Failed.Load())
			})
		}
	}
}

func TestEmptyTable(t *testing.T) {
	table := &sweeptest.Table{}
	job, out := newJob(t, table, 3)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	requireRows(t, job, nil, out, result)
	require.Len(t, result.Done, 20)
}

// A job can be run again. A run changes nothing in it.
func TestJobIsNotChanged(t *testing.T) {
	table := numbered(100, 5)
	job, out := newJob(t, table, 3)
	first, err := job.Run(context.Background())
	require.NoError(t, err)
	second, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, first.Sum, second.Sum)
	require.EqualValues(t, 100, second.Rows)
	require.Len(t, out.lines(), 200)
	require.Zero(t, job.PartitionMemory)
}

// A serial plan has one range and no tokens: rows are written as they come.
func TestSerialPlan(t *testing.T) {
	table := numbered(500, 5)
	job, out := newJob(t, table, 4)
	job.Splits, job.Partitioner, job.Key, job.WriteRows = []token.Split{{}}, nil, nil, 13
	table.Fail = faults(1, 3)
	job.Sweep.MaxAttempts, job.Sweep.PageRows = 1000, 50
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, []token.Range{{}}, result.Done)
	requireRows(t, job, table.Rows, out, result)
	require.Equal(t, 13, out.most)
	require.Equal(t, 1, table.MostUnderway())
}

// countedOutput is an output that counts its encoders.
type countedOutput struct {
	format.Output
	encoders *int
}

func (o countedOutput) NewEncoder() format.Encoder {
	*o.encoders++
	return o.Output.NewEncoder()
}

// There are no more encoders and writers than buffers.
func TestSlots(t *testing.T) {
	for buffers, want := range map[int]int{-1: 1, 0: 1, 1: 1, 3: 3} {
		table := numbered(300, 5)
		job, out := newJob(t, table, 8)
		encoders, writers := 0, 0
		job.EncodeBuffers = buffers
		job.Output = countedOutput{job.Output, &encoders}
		job.NewWriter = func() Writer { writers++; return out }
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, encoders)
		require.Equal(t, want, writers)
		requireRows(t, job, table.Rows, out, result)
	}
}

// fullDisk accepts that many bytes and no more.
func fullDisk(room int) func(int, []byte) error {
	return func(_ int, text []byte) error {
		if room -= len(text); room < 0 {
			return errFull
		}
		return nil
	}
}

var errFull = errors.New("no space left on device")

func TestOutputErrorEndsTheRun(t *testing.T) {
	for _, room := range []int{0, 3, 100, 3000, 100000} {
		for _, limit := range []int64{0, 1900} {
			table := numbered(2000, 80)
			job, out := newJob(t, table, 4)
			job.EncodeBuffers, job.Limit, job.SpoolDir = 3, limit, t.TempDir()
			out.fail = fullDisk(room)
			result, err := job.Run(context.Background())
			require.ErrorIs(t, err, errFull)
			require.ErrorContains(t, err, "no space left")
			require.NoError(t, table.Check())
			require.LessOrEqual(t, out.text.Len(), room)
			require.EqualValues(t, out.text.Len(), job.Counters.Bytes.Load())
			require.EqualValues(t, len(out.lines()), result.Rows)
			requireEmpty(t, job.SpoolDir)
			goleak.VerifyNone(t)
		}
	}
}

// If the output blocks, as a pipe without a reader, the run can be canceled: it ends once the write
// gives up.
func TestCancelWithABlockedOutput(t *testing.T) {
	for _, buffers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		table := numbered(2000, 50)
		job, out := newJob(t, table, 4)
		job.EncodeBuffers = buffers
		out.fail = func(int, []byte) error {
			cancel()
			<-ctx.Done()
			return nil
		}
		_, err := job.Run(ctx)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.NoError(t, table.Check())
	}
}

func TestCancel(t *testing.T) {
	for at := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		table := numbered(2000, 50)
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Number == at {
				cancel()
			}
			return nil
		}
		job, out := newJob(t, table, 4)
		result, err := job.Run(ctx)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.NoError(t, table.Check())
		require.NoError(t, out.misuse, "whole rows only")
		require.EqualValues(t, len(out.lines()), result.Rows)
		goleak.VerifyNone(t)
	}
}

// A cell that is no value of its column ends the run: the table does not match the schema.
func TestMalformedCellEndsTheRun(t *testing.T) {
	table := numbered(500, 5)
	table.Rows[250].Cells[1] = []byte{1, 2, 3}
	job, out := newJob(t, table, 4)
	_, err := job.Run(context.Background())
	require.ErrorContains(t, err, `column "b": malformed int value`)
	require.NoError(t, table.Check())
	require.NoError(t, out.misuse)
}

func TestFatalErrorEndsTheRun(t *testing.T) {
	refused := fault.New(fault.Fatal, errors.New("no right to read"))
	table := numbered(500, 5)
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Number == 9 {
			return refused
		}
		return nil
	}
	job, _ := newJob(t, table, 4)
	_, err := job.Run(context.Background())
	require.ErrorIs(t, err, refused)
	require.NoError(t, table.Check())
}

// The job's own callbacks are called, and those of the options are kept.
func TestOptionsReachTheSweep(t *testing.T) {
	table := numbered(100, 5)
	job, _ := newJob(t, table, 2)
	var paced atomic.Int64
	job.Sweep.Hosts = func(int) []string { return []string{"node"} }
	job.Sweep.Pace = func(_ context.Context, _, _ func() int64) (sweep.Admission, error) {
		return func(_ context.Context, rows, _ int64) error {
			paced.Add(rows)
			return nil
		}, nil
	}
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	for _, r := range table.Requests() {
		require.Equal(t, "node", r.Host)
		require.Equal(t, 7, r.Rows)
	}
	require.LessOrEqual(t, table.MostUnderway(), 2)
	require.EqualValues(t, 100, paced.Load())
}

// Cells beyond the selection, such as a key that is not selected, are not in the output.
func TestCellsBeyondTheSelection(t *testing.T) {
	table := tableOf(partition{5, 3, 2}, partition{9, 1, 1})
	for i, r := range table.Rows {
		table.Rows[i].Cells = [][]byte{r.Cells[1], r.Cells[2], r.Cells[0]}
	}
	job, out := newJob(t, table, 2)
	columns := tabletest.Selectors("int", "text")
	job.Output = delimited(t, columns)
	job.Key = []int{2}
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"0,aa", "1,bb", "2,cc", "3,d"}, out.lines())
}

// A range that failed in its middle is listed. The output has what came before.
func TestFailedRange(t *testing.T) {
	table := numbered(400, 5)
	job, out := newJob(t, table, 3)
	bad := job.Splits[4].Range
	gone := &fault.Error{Class: fault.Transient, Err: errors.New("no replica"), Answered: true}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == bad && r.Page == 1 {
			return gone
		}
		return nil
	}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	in := within(table, []token.Range{bad})
	require.Greater(t, len(in), 7)
	require.Equal(
		t,
		[]sweep.Failure{{Range: token.Range{Start: in[5].Token, End: bad.End}, Err: gone}},
		result.Failed,
	)
	require.EqualValues(t, 1, job.Counters.Failed.Load())
	requireRows(t, job, within(table, result.Done), out, result)
}
