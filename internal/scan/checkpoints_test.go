package scan

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// pointRecorder keeps the points of a run, each with the length of the output at its checkpoint.
type pointRecorder struct {
	out     *output
	calls   int
	lengths []int
	points  []Point
	misuse  error

	underway     atomic.Bool
	onCheckpoint func(call int) error // calls count from 0; may be nil
	onKeep       func(call int) error
}

// keepPoints makes a job record its points, at checkpoints that follow each other closely.
func keepPoints(job *Job, out *output) *pointRecorder {
	k := &pointRecorder{out: out}
	job.Checkpoint, job.CheckpointEvery, job.CheckpointBytes = k.checkpoint, 1, 1
	return k
}

func (k *pointRecorder) length() int {
	k.out.mu.Lock()
	defer k.out.mu.Unlock()
	return k.out.text.Len()
}

func (k *pointRecorder) checkpoint() (func(Point) error, error) {
	if k.underway.Swap(true) {
		k.misuse = errors.New("a checkpoint before the last one was kept")
	}
	call := k.calls
	k.calls++
	length := k.length()
	if k.onCheckpoint != nil {
		if err := k.onCheckpoint(call); err != nil {
			return nil, err
		}
	}
	runtime.Gosched()
	if k.length() != length {
		k.misuse = errors.New("a write during a checkpoint")
	}
	return func(p Point) error {
		if k.onKeep != nil {
			if err := k.onKeep(call); err != nil {
				return err
			}
		}
		k.lengths, k.points = append(k.lengths, length), append(k.points, p)
		k.underway.Store(false)
		return nil
	}, nil
}

// ranges returns the ranges of all points.
func (k *pointRecorder) ranges() []token.Range {
	var all []token.Range
	for _, p := range k.points {
		all = append(all, p.Ranges...)
	}
	return all
}

// requireExact checks that at each checkpoint the output was exactly the rows of the points so far,
// each once, and that no two ranges overlap.
func (k *pointRecorder) requireExact(t *testing.T, job *Job, table *sweeptest.Table) {
	t.Helper()
	require.NoError(t, k.misuse)
	hasher := job.Checksum.hasher()
	before := 0
	for i, p := range k.points {
		var want []string
		var sum rowsum.Sum
		for _, r := range within(table, p.Ranges) {
			want = append(want, lineOf(r))
			sum = sum.Add(hasher.row(r.Cells))
		}
		got := (&output{text: *bytes.NewBuffer(k.out.text.Bytes()[before:k.lengths[i]])}).lines()
		slices.Sort(got)
		slices.Sort(want)
		require.True(t, slices.Equal(want, got), "checkpoint %d: want %q, got %q", i, want, got)
		require.EqualValues(t, len(want), p.Rows)
		require.Equal(t, sum, p.Sum)
		require.EqualValues(t, k.lengths[i]-before, p.TextBytes)
		require.NotEmpty(t, p.Ranges)
		before = k.lengths[i]
	}
	whole := token.Whole(token.Murmur3)
	all := k.ranges()
	rest := token.Subtract([]token.Range{whole}, all)
	require.NoError(t, token.Cover(token.Murmur3, whole, append(rest, all...)))
}

// requireAll checks that nothing came after the last point.
func (k *pointRecorder) requireAll(t *testing.T, result Result) {
	t.Helper()
	var rows int64
	var sum rowsum.Sum
	last := 0
	for i, p := range k.points {
		rows += p.Rows
		sum = sum.Add(p.Sum)
		last = k.lengths[i]
	}
	require.Equal(t, k.out.text.Len(), last)
	require.Equal(t, result.Rows, rows)
	require.Equal(t, result.Sum, sum)
	require.Empty(t, token.Subtract(result.Done, k.ranges()), "a range that is done is in a point")
}

// Checkpoints come every two seconds, and one at the end.
func TestCheckpointEveryTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := numbered(70, 3)
		table.Fail = func(context.Context, sweeptest.Request) error {
			time.Sleep(700 * time.Millisecond)
			return nil
		}
		job, out := newJob(t, table, 1)
		job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
		k := keepPoints(job, out)
		job.CheckpointEvery, job.CheckpointBytes = 0, 0
		begin := time.Now()
		var at []time.Duration
		k.onCheckpoint = func(int) error {
			at = append(at, time.Since(begin))
			return nil
		}
		result, err := job.Run(t.Context())
		require.NoError(t, err)
		require.Equal(
			t,
			[]time.Duration{2 * time.Second, 4 * time.Second, 6 * time.Second, 7 * time.Second},
			at,
		)
		k.requireExact(t, job, table)
		k.requireAll(t, result)
		// A page has seven rows. The partition at its end may not be complete.
		require.EqualValues(t, 13, k.points[0].Rows)
		require.Equal(
			t,
			[]token.Range{{Start: token.Murmur3.Min(), End: table.Rows[12].Token}},
			k.points[0].Ranges,
		)
		require.Equal(
			t,
			[]token.Range{{Start: table.Rows[12].Token, End: table.Rows[33].Token}},
			k.points[1].Ranges,
		)
	})
}

// If there is much text, the next checkpoint comes early, and the one after it at the usual
// distance. There is no checkpoint with nothing to record.
func TestCheckpointBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := numbered(70, 100)
		table.Fail = func(context.Context, sweeptest.Request) error {
			time.Sleep(700 * time.Millisecond)
			return nil
		}
		job, out := newJob(t, table, 1)
		job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
		k := keepPoints(job, out)
		job.CheckpointEvery, job.CheckpointBytes = time.Second, 3000
		k.onKeep = func(int) error {
			time.Sleep(100 * time.Second)
			return nil
		}
		_, err := job.Run(t.Context())
		require.NoError(t, err)
		var rows []int64
		for _, p := range k.points {
			rows = append(rows, p.Rows)
		}
		require.Equal(t, []int64{6, 64}, rows, "the scan does not wait for a point to be kept")

		out.text.Reset()
		k = keepPoints(job, out)
		job.CheckpointEvery, job.CheckpointBytes = 5*time.Second, 3000
		var at []time.Duration
		begin := time.Now()
		k.onCheckpoint = func(int) error {
			at = append(at, time.Since(begin))
			return nil
		}
		result, err := job.Run(t.Context())
		require.NoError(t, err)
		k.requireExact(t, job, table)
		k.requireAll(t, result)
		require.Equal(
			t,
			[]time.Duration{2800 * time.Millisecond, 5600 * time.Millisecond, 7 * time.Second},
			at,
		)
	})
}

// An empty table has ranges to record. A scan that read nothing does not.
func TestCheckpointsWithoutRows(t *testing.T) {
	table := &sweeptest.Table{}
	job, out := newJob(t, table, 3)
	k := keepPoints(job, out)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	k.requireExact(t, job, table)
	k.requireAll(t, result)
	require.Len(t, k.ranges(), 20)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	k = keepPoints(job, out)
	_, err = job.Run(ctx)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.Zero(t, k.calls)
}

// A scan that cannot be resumed has no checkpoints.
func TestNoCheckpoints(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"limit":  func(j *Job) { j.Limit = 1000 },
		"serial": func(j *Job) { j.Partitioner, j.Key, j.Splits = nil, nil, []token.Split{{}} },
	} {
		table := numbered(300, 5)
		job, out := newJob(t, table, 3)
		k := keepPoints(job, out)
		change(job)
		result, err := job.Run(context.Background())
		require.NoError(t, err, name)
		requireRows(t, job, table.Rows, out, result)
		require.Zero(t, k.calls, name)
	}
}

// If a checkpoint fails, the scan ends with its error, and there are no more.
func TestCheckpointErrorEndsTheRun(t *testing.T) {
	broken := errors.New("the journal cannot be written")
	for _, calls := range []int{0, 1, 3} {
		for _, late := range []bool{false, true} {
			table := numbered(2000, 5)
			job, out := newJob(t, table, 4)
			k := keepPoints(job, out)
			fail := func(call int) error {
				if call == calls {
					return broken
				}
				return nil
			}
			if late {
				k.onKeep = fail
			} else {
				k.onCheckpoint = fail
			}
			// After every forty requests the next ones wait for a checkpoint.
			begun := make([]chan struct{}, calls+1)
			for i := range begun {
				begun[i] = make(chan struct{})
			}
			inner := job.Checkpoint
			job.Checkpoint = func() (func(Point) error, error) {
				close(begun[k.calls])
				return inner()
			}
			table.Fail = func(_ context.Context, r sweeptest.Request) error {
				if n := r.Number / 40; n > 0 {
					<-begun[min(n, len(begun))-1]
				}
				return nil
			}
			_, err := job.Run(context.Background())
			require.ErrorIs(t, err, broken)
			require.NotEqual(t, fault.Canceled, fault.ClassOf(err))
			require.NoError(t, table.Check())
			require.Equal(t, calls+1, k.calls)
			require.Len(t, k.points, calls)
			k.requireExact(t, job, table)
		}
	}
}

// If the last checkpoint of an interrupted scan fails, the error reports both.
func TestLastCheckpointFailsAfterCancel(t *testing.T) {
	broken := errors.New("the journal cannot be written")
	ctx, cancel := context.WithCancel(context.Background())
	table := numbered(2000, 5)
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Number == 50 {
			cancel()
		}
		return nil
	}
	job, out := newJob(t, table, 4)
	k := keepPoints(job, out)
	job.CheckpointEvery, job.CheckpointBytes = time.Hour, 1<<40
	k.onCheckpoint = func(int) error { return broken }
	_, err := job.Run(ctx)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.ErrorIs(t, err, broken)
}

// If a temporary file cannot be read back to its end, a part of its partition is in the output.
// Then there are no more checkpoints.
func TestNoCheckpointAfterAPartOfAPartition(t *testing.T) {
	table := tableOf(partition{10, 5, 20}, partition{20, 15, 20})
	whole := token.Whole(token.Murmur3)
	for name, cut := range map[string]bool{"whole": false, "cut short": true} {
		job, out := newJob(t, table, 1)
		job.PartitionMemory, job.SpoolDir = 1, t.TempDir()
		k := keepPoints(job, out)
		w := newWorker(job)
		w.checkpoints = newCheckpoints(job)
		w.checkpoints.addWorker(w)
		page, err := table.Page(context.Background(), "", token.Range{}, nil, 10)
		require.NoError(t, err)
		require.NoError(t, w.Page(whole, page))
		page.Close()
		if cut {
			require.NoError(t, w.partition.file.Truncate(30))
		}
		require.Equal(t, cut, w.Done(whole) != nil, name)
		require.NoError(t, w.checkpoints.checkpoint())
		require.Equal(t, cut, k.calls == 0, name)
	}
}

// speechless returns no text with its error, which comes at one row.
type speechless struct {
	format.Encoder
	rows int
}

func (e *speechless) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	if e.rows--; e.rows < 0 {
		return nil, errBroken
	}
	return e.Encoder.AppendRow(dst, cells)
}

// speechlessOutput has encoders that fail at one row.
type speechlessOutput struct {
	format.Output
	rows int
}

func (o speechlessOutput) NewEncoder() format.Encoder {
	return &speechless{o.Output.NewEncoder(), o.rows}
}

// The complete partitions before a row that cannot be encoded are written. What the output has
// refused is not written again.
func TestWriteAfterAnError(t *testing.T) {
	for name, full := range map[string]bool{"encoder": false, "output": true} {
		job, out := newJob(
			t,
			tableOf(partition{10, 2, 5}, partition{20, 3, 5}, partition{30, 4, 5}),
			1,
		)
		job.Output = speechlessOutput{job.Output, 7}
		job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
		job.Sweep.PageRows = 20
		writes := 0
		if full {
			job.WriteRows = 3
			out.fail = func(int, []byte) error { writes++; return errFull }
		}
		k := keepPoints(job, out)
		_, err := job.Run(context.Background())
		require.Error(t, err, name)
		if full {
			require.ErrorIs(t, err, errFull)
			require.Equal(t, 1, writes)
			require.Empty(t, k.points)
			continue
		}
		require.ErrorIs(t, err, errBroken)
		require.Len(t, out.lines(), 5)
		require.Equal(
			t,
			[]token.Range{{Start: token.Murmur3.Min(), End: token.Token{Lo: 20}}},
			k.ranges(),
		)
	}
}

// unmarked is an output whose files have no mark before their end.
type unmarked struct{ format.Output }

func (unmarked) Marks() format.MarkPlace { return format.MarkAfterFile }

// A format without marks after rows has no checkpoints.
func TestNoCheckpointsWithoutMarks(t *testing.T) {
	job, out := newJob(t, numbered(100, 5), 2)
	k := keepPoints(job, out)
	job.Output = unmarked{job.Output}
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Zero(t, k.calls)
}
