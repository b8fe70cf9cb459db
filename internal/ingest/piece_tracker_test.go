package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// If reading or parsing fails, the target is not finished: it does not have all rows.
func TestATargetIsNotFinishedByAFailure(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, breaks := range map[string]func(*Job){
		"too many errors": func(j *Job) { j.MaxParseErrors = 3 },
		"a broken input": func(j *Job) {
			j.Inputs[0].Open = func() (io.ReadCloser, error) {
				in := io.MultiReader(strings.NewReader(lines(100)), iotest.ErrReader(broken))
				return io.NopCloser(in), nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := newBasket(true)
			job, _ := newJob(tabletest.Names, to, lines(5000))
			job.ChunkSize = 300
			breaks(job)
			require.Error(t, newRun(job.withDefaults()).execute(t.Context()))
			select {
			case <-to.finished:
				require.Fail(t, "it was finished")
			default:
			}
		})
	}
}

// A target may release rows at once and complete them after all of the input was read. The chunks
// are reused meanwhile, and the rejects keep what they need of them.
func TestATargetMayCompleteAtOnceOrInTheEnd(t *testing.T) {
	const rows = 5000
	for _, patient := range []bool{false, true} {
		t.Run(fmt.Sprintf("patient %t", patient), func(t *testing.T) {
			to := newBasket(patient)
			job, b := newJob(tabletest.Names, to, lines(rows))
			job.ChunkSize = 300
			run := newRun(job.withDefaults())
			require.NoError(t, run.execute(t.Context()))
			require.Equal(
				t,
				Tally{
					Read:         rows,
					Written:      rows - 200,
					ParseErrors:  100,
					InsertErrors: 100,
					Sum:          b.tally.Sum,
				},
				b.tally,
			)
			require.Equal(t, b.tally, run.totals.Tally)
			require.Equal(t, rows-100, to.count)
			require.Greater(
				t,
				len(b.completed),
				10*cap(run.empty),
				"there are fewer chunks than pieces",
			)
			if patient {
				require.Greater(t, b.completed[0].Offset, b.completed[len(b.completed)-1].Offset)
			}
			require.Len(t, b.rejects, 200)
			seen := map[string]bool{}
			for _, r := range b.rejects {
				require.Regexp(t, `^k\d+,(x,no number|bad,\d+)\n$`, string(r.Raw))
				require.Equal(t, strings.Contains(string(r.Raw), "bad"), r.Stage == Insert)
				seen[string(r.Raw)] = true
			}
			require.Len(t, seen, 200)
			require.Zero(t, run.memory.Used())
			require.Empty(t, run.openPieces.list())
			require.EqualValues(t, rows-200, job.Counters.Rows.Load())
		})
	}
}

// All chunks are empty again when a run ends well.
func TestChunksComeBack(t *testing.T) {
	for _, text := range []string{lines(1000), "k,v,n\n", "k,v,n\nx\n", lines(50)} {
		job, _ := newJob(tabletest.Names, newBasket(false), text)
		job.ChunkSize = 100
		run := newRun(job.withDefaults())
		require.NoError(t, run.execute(t.Context()))
		require.Len(t, run.empty, cap(run.empty))
		for range cap(run.empty) {
			c := <-run.empty
			require.Zero(t, c.held.Load())
			require.Nil(t, c.file)
			require.Nil(t, c.tracker)
		}
	}
}

// A record much longer than a chunk does not hold its memory for good.
func TestLongRecordsLeaveNoLongBuffers(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,v\n")
	for i := range 50 {
		fmt.Fprintf(&b, "%d,%s\n", i, strings.Repeat("x", 5000))
	}
	job, book := newJob(tabletest.Names, newBasket(false), b.String())
	job.ChunkSize = 100
	run := newRun(job.withDefaults())
	require.NoError(t, run.execute(t.Context()))
	require.EqualValues(t, 50, book.tally.Written)
	for range cap(run.empty) {
		require.LessOrEqual(t, cap((<-run.empty).buffer), 4*job.ChunkSize)
	}
}

// Records that cannot be rows must not cost the memory of the rows they are not.
func TestShortRecordsOfAWideTable(t *testing.T) {
	columns := []schema.Column{tabletest.Column("k", schema.PartitionKey, 0, "int")}
	header := "k"
	for i := range 1000 {
		name := fmt.Sprintf("c%d", i)
		columns = append(columns, tabletest.Column(name, schema.Regular, 0, "int"))
		header += "," + name
	}
	job, b := newJob(
		schema.New("demo", "wide", columns),
		newBasket(false),
		header+"\n"+strings.Repeat("1\n", 1000)+"1"+strings.Repeat(",", 1000)+"\n",
	)
	run := newRun(job.withDefaults())
	require.NoError(t, run.execute(t.Context()))
	require.EqualValues(t, 1000, b.tally.Rejected())
	require.EqualValues(t, 1, b.tally.Written)
	for range cap(run.empty) {
		require.LessOrEqual(t, cap((<-run.empty).values.Cells), 8000)
	}
}

// Of a piece that is read by several views the rows come in several parts, and the piece counts as
// read once.
func TestPieceThatIsReadyInParts(t *testing.T) {
	job, _ := newJob(tabletest.Names, newBasket(true), lines(1))
	run := newRun(job.withDefaults())
	a := &pieceTracker{run: run, text: 100, stored: 40}
	a.Ready(3)
	a.Ready(2)
	require.EqualValues(t, 5, run.job.Counters.Ready.Load())
	run.job.Counters.Total.Store(80)
	c := run.job.Counters
	c.Stage.Begin(progress.StageSorting, progress.StageSending)
	read := func() float64 { return *c.ReadNow(time.Now()).Stage.Share }
	require.InDelta(t, 0.5, read(), 1e-9)
	share, _ := c.Share()
	require.Zero(t, share)
	run.countCompleted(a)
	require.InDelta(t, 0.5, read(), 1e-9)
	share, _ = c.Share()
	require.InDelta(t, 0.5, share, 1e-9)
}
