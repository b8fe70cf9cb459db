package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/internal/sweep/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var brief = pace.Backoff{Base: time.Microsecond, Max: 20 * time.Microsecond}

// numbered is a table of n rows: a number and a text of so many bytes.
func numbered(n, width int) *sweeptest.Table {
	rows := sweeptest.Numbered(n)
	for i := range rows {
		rows[i].Cells = [][]byte{int32Cell(int32(i)), []byte(strings.Repeat(string(rune('a'+i%26)), width))}
	}
	return &sweeptest.Table{Rows: rows}
}

// lineOf is the line of a numbered table's row.
func lineOf(r sweeptest.Row) string {
	return fmt.Sprintf("%d,%s", int32(uint32(r.Cells[0][2])<<8|uint32(r.Cells[0][3])), r.Cells[1])
}

func newJob(t testing.TB, table *sweeptest.Table, workers int) (*Job, *bytes.Buffer) {
	var out bytes.Buffer
	return &Job{
		Columns:  columnsOf(t, "int", "text"),
		Format:   dsv.DefaultFormat,
		Header:   true,
		Reader:   table,
		Splits:   sweeptest.Splits(20, rand.New(rand.NewPCG(1, 2))),
		Sweep:    sweep.Options{Workers: workers, PageRows: 7, Backoff: brief},
		Output:   &out,
		Counters: &progress.Counters{},
	}, &out
}

// requireLines checks that the output is the header and each row once, in any
// order.
func requireLines(t *testing.T, table *sweeptest.Table, out string) {
	t.Helper()
	require.True(t, strings.HasPrefix(out, "a,b\n"))
	require.True(t, strings.HasSuffix(out, "\n"))
	got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")[1:]
	var want []string
	for _, r := range table.Rows {
		want = append(want, lineOf(r))
	}
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, got)
}

func TestEveryRowOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 7, 40} {
		for _, width := range []int{3, 20000, 2 * bufferSize} {
			t.Run(fmt.Sprintf("%d workers, rows of %d bytes", workers, width), func(t *testing.T) {
				rows := min(2000, 8*bufferSize/width)
				table := numbered(rows, width)
				job, out := newJob(t, table, workers)
				result, err := job.Run(context.Background())
				require.NoError(t, err)
				require.NoError(t, table.Check())
				require.Empty(t, result.Failed)
				requireLines(t, table, out.String())
				c := job.Counters
				require.EqualValues(t, rows, c.Rows.Load())
				require.EqualValues(t, out.Len(), c.Bytes.Load())
				require.EqualValues(t, 20, c.Total.Load())
				require.EqualValues(t, 20, c.Done.Load())
				require.Zero(t, c.Retries.Load())
				require.Zero(t, c.Failed.Load())
			})
		}
	}
}

func TestEmptyTable(t *testing.T) {
	for header, want := range map[bool]string{true: "a,b\n", false: ""} {
		job, out := newJob(t, &sweeptest.Table{}, 3)
		job.Header = header
		_, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, out.String())
	}
}

// Faults on the way change nothing in the output.
func TestRowsOnceUnderFaults(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		table := numbered(400, 5)
		var requests atomic.Uint64
		table.Fail = func(context.Context, sweeptest.Request) error {
			n := requests.Add(1)
			if x := rand.New(rand.NewPCG(seed, n)).IntN(10); x < 3 {
				return fault.New([]fault.Class{fault.Transient, fault.Overloaded, fault.Unknown}[x], errors.New("no answer"))
			}
			return nil
		}
		job, out := newJob(t, table, 1+r.IntN(8))
		job.Sweep.MaxAttempts = 1000
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Empty(t, result.Failed)
		requireLines(t, table, out.String())
		require.Positive(t, job.Counters.Retries.Load())
	}
}

// A range that failed midway is named; the pages that were read are whole in the
// output.
func TestFailedRange(t *testing.T) {
	table := numbered(400, 5)
	job, out := newJob(t, table, 3)
	bad := job.Splits[4].Range
	gone := fault.New(fault.Transient, errors.New("no replica"))
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == bad && r.Page == 1 {
			return gone
		}
		return nil
	}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []sweep.Failure{{Range: bad, Pages: 1, Err: gone}}, result.Failed)
	require.EqualValues(t, 1, job.Counters.Failed.Load())
	var there []sweeptest.Row
	inBad := 0
	for _, r := range table.Rows {
		if bad.Contains(r.Token) {
			if inBad++; inBad > job.Sweep.PageRows {
				continue
			}
		}
		there = append(there, r)
	}
	require.Greater(t, inBad, job.Sweep.PageRows)
	requireLines(t, &sweeptest.Table{Rows: there}, out.String())
}

// fullDisk takes so many bytes and no more.
type fullDisk struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.Len()+len(b) > d.room {
		n, _ := d.Buffer.Write(b[:d.room-d.Len()])
		return n, errFull
	}
	return d.Buffer.Write(b)
}

func TestOutputErrorEndsTheRun(t *testing.T) {
	for _, room := range []int{0, 3, 4, 5, 100, 3000} {
		table := numbered(2000, 50)
		job, _ := newJob(t, table, 4)
		disk := &fullDisk{room: room}
		job.Output = disk
		_, err := job.Run(context.Background())
		require.ErrorIs(t, err, errFull)
		require.ErrorContains(t, err, "writing the output: no space left")
		require.NoError(t, table.Check())
		require.EqualValues(t, room, job.Counters.Bytes.Load())
		goleak.VerifyNone(t)
	}
}

// A run whose output does not go on, as a pipe that nobody reads, is not stuck:
// it ends when it is cancelled, once the write gives up.
func TestCancelWithABlockedOutput(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	table := numbered(2000, 50)
	job, _ := newJob(t, table, 4)
	job.Header = false
	job.Output = writerFunc(func(b []byte) (int, error) {
		cancel()
		<-ctx.Done()
		return len(b), nil
	})
	_, err := job.Run(ctx)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.NoError(t, table.Check())
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

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
		_, err := job.Run(ctx)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.NoError(t, table.Check())
		require.True(t, strings.HasSuffix(out.String(), "\n"), "whole rows only")
		goleak.VerifyNone(t)
	}
}

// A cell that is no value of its column ends the run: the table is not what the
// schema says.
func TestMalformedCellEndsTheRun(t *testing.T) {
	table := numbered(500, 5)
	table.Rows[250].Cells[0] = []byte{1, 2, 3}
	job, _ := newJob(t, table, 4)
	_, err := job.Run(context.Background())
	require.ErrorContains(t, err, `column "a": malformed int value`)
	require.NoError(t, table.Check())
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

// What cannot be encoded is said before anything is asked for or written.
func TestBadJob(t *testing.T) {
	table := numbered(10, 5)
	job, out := newJob(t, table, 4)
	job.Null = "N,A"
	_, err := job.Run(context.Background())
	require.ErrorContains(t, err, "text for null values")
	require.Empty(t, table.Requests())
	require.Zero(t, out.Len())
}

// The job's own hooks count; what else the options say is kept.
func TestOptionsReachTheSweep(t *testing.T) {
	table := numbered(100, 5)
	job, _ := newJob(t, table, 2)
	job.Sweep.Hosts = func(int) []string { return []string{"node"} }
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	for _, r := range table.Requests() {
		require.Equal(t, "node", r.Host)
		require.Equal(t, 7, r.Rows)
	}
	require.LessOrEqual(t, table.MostUnderway(), 2)
}

// BenchmarkScan is a whole scan of small rows without a database or a disk.
func BenchmarkScan(b *testing.B) {
	const rows = 20000
	table := numbered(rows, 40)
	job, out := newJob(b, table, 4)
	job.Sweep.PageRows = 1000
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if _, err := job.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(out.Len()))
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
