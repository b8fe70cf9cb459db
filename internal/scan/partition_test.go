package scan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Random faults: the output is the rows of the ranges that are done, each once, without rows of
// unfinished partitions. No write has too many rows, the checksum is that of the rows, and no file
// remains.
func TestRandomFaults(t *testing.T) {
	failures, spooled := 0, 0
	for seed := range uint64(250) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			table := mixed(r, r.IntN(60), []int{8, 8, 8, 3000}[r.IntN(4)])
			table.Fail, table.Trailing = faults(seed, r.IntN(8)), r.IntN(2) == 0
			job, out := newJob(t, table, 1+r.IntN(8))
			job.EncodeBuffers, job.SpoolDir = 1+r.IntN(4), t.TempDir()
			job.Splits = sweeptest.Splits(1+r.IntN(8), r)
			job.Sweep.PageRows, job.Sweep.MaxAttempts = 1+r.IntN(20), 2+r.IntN(6)
			job.PartitionMemory = []int64{0, 1, 200, 5000}[r.IntN(4)]
			job.WriteRows = []int64{0, 1, 2, 10, 1000}[r.IntN(5)]
			result, err := job.Run(context.Background())
			require.NoError(t, err)
			require.NoError(t, table.Check())
			all := result.Done
			for _, f := range result.Failed {
				all = append(all, f.Range)
			}
			require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), all))
			requireRows(t, job, within(table, result.Done), out, result)
			requireEmpty(t, job.SpoolDir)
			failures += len(result.Failed)
			if job.PartitionMemory == 1 {
				spooled++
			}
		})
	}
	require.Greater(t, failures, 100)
	require.Greater(t, spooled, 20)
}

// A partition of many pages is complete in the output, however little memory and however few rows
// per write are allowed.
func TestLargePartitions(t *testing.T) {
	for _, hold := range []int64{0, 1, 1000, 400000, 1 << 30} {
		for _, writeRows := range []int64{0, 1, 7, 10, 11, 100000} {
			t.Run(fmt.Sprintf("hold %d, write %d rows", hold, writeRows), func(t *testing.T) {
				table := tableOf(
					partition{5, 3, 10},
					partition{1 << 40, 900, 1000},
					partition{1 << 41, 1, 1},
					partition{1 << 62, 50, 4000},
					partition{1 << 62, 20, 5},
				)
				job, out := newJob(t, table, 2)
				job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
				job.PartitionMemory, job.WriteRows, job.SpoolDir = hold, writeRows, t.TempDir()
				job.Sweep.PageRows = 70
				result, err := job.Run(context.Background())
				require.NoError(t, err)
				require.NoError(t, table.Check())
				requireRows(t, job, table.Rows, out, result)
				requireEmpty(t, job.SpoolDir)
				if writeRows > 0 && writeRows < 100 {
					require.EqualValues(t, writeRows, out.most)
				}
				for i, line := range out.lines() {
					require.Equal(t, lineOf(table.Rows[i]), line, "in the order of the ring")
				}
			})
		}
	}
}

// Each write has as many rows as are allowed, even if partitions do not fit evenly.
func TestWriteRows(t *testing.T) {
	var partitions []partition
	for i := range 100 {
		partitions = append(partitions, partition{uint64(1+i) << 40, 1 + i%5, 3})
	}
	for writeRows := int64(1); writeRows <= 12; writeRows++ {
		table := tableOf(partitions...)
		job, out := newJob(t, table, 3)
		job.Sweep.PageRows, job.WriteRows = 50, writeRows
		job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		requireRows(t, job, table.Rows, out, result)
		if writeRows >= 5 {
			require.GreaterOrEqual(t, int64(out.most), writeRows-4)
		}
	}
}

// Small partitions fill each write to the last row.
func TestWritesAreFull(t *testing.T) {
	for writeRows := int64(1); writeRows <= 12; writeRows++ {
		table := numbered(50, 3)
		job, out := newJob(t, table, 1)
		job.Sweep.PageRows, job.WriteRows = 100, writeRows
		job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
		_, err := job.Run(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, writeRows, out.most)
	}
}

// If a range is given up, exactly its complete partitions are in the output. It does not matter
// whether the rows of the unfinished one were in memory or in a file.
func TestCutDropsTheUnfinishedPartition(t *testing.T) {
	gone := &fault.Error{Class: fault.Overloaded, Err: errors.New("too much"), Answered: true}
	for _, hold := range []int64{0, 1, 2000} {
		for _, writeRows := range []int64{0, 2} {
			for pageRows := 1; pageRows <= 8; pageRows++ {
				table := tableOf(
					partition{10, 2, 500},
					partition{20, 3, 500},
					partition{30, 1, 5},
					partition{30, 12, 500},
					partition{40, 1, 5},
				)
				job, out := newJob(t, table, 1)
				whole := token.Whole(token.Murmur3)
				job.Splits = []token.Split{{Range: whole}}
				job.PartitionMemory, job.WriteRows, job.SpoolDir = hold, writeRows, t.TempDir()
				job.Sweep.PageRows = pageRows
				table.Fail = func(_ context.Context, r sweeptest.Request) error {
					if (r.Page+1)*pageRows > 16 {
						return gone
					}
					return nil
				}
				result, err := job.Run(context.Background())
				require.NoError(t, err)
				require.NoError(t, table.Check())
				// Of 18 rows at least 9 and at most 16 came: two partitions are complete.
				at := token.Token{Lo: 20}
				require.Equal(t, []token.Range{{Start: whole.Start, End: at}}, result.Done)
				require.Len(t, result.Failed, 1)
				require.Equal(t, token.Range{Start: at, End: whole.End}, result.Failed[0].Range)
				requireRows(t, job, table.Rows[:5], out, result)
				requireEmpty(t, job.SpoolDir)
			}
		}
	}
}

// The rest of a range that was cut is read by the same worker, like any range.
func TestRestAfterACut(t *testing.T) {
	slow := &fault.Error{Class: fault.Unknown, Err: errors.New("no answer in time"), Answered: true}
	table := tableOf(
		partition{10, 2, 50},
		partition{20, 3, 50},
		partition{30, 12, 50},
		partition{40, 1, 5},
	)
	job, out := newJob(t, table, 1)
	whole := token.Whole(token.Murmur3)
	job.Splits = []token.Split{{Range: whole}}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == whole && r.Page == 1 {
			return slow
		}
		return nil
	}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Equal(
		t,
		[]token.Range{
			{Start: whole.Start, End: token.Token{Lo: 20}},
			{Start: token.Token{Lo: 20}, End: whole.End},
		},
		result.Done,
	)
	requireRows(t, job, table.Rows, out, result)
}

// The checksum is that of the rows. Workers, pages, files, the limit of a write and the order of
// the columns in the output do not matter.
func TestChecksum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	table := mixed(r, 150, 60)
	var want rowsum.Sum
	for i := range 24 {
		job, _ := newJob(t, table, 1+i%5)
		job.EncodeBuffers = 1 + i%3
		job.Sweep.PageRows = 1 + 7*(i%4)
		job.PartitionMemory = int64(1 + 1000*(i%2))
		job.WriteRows = int64(i % 6)
		job.Splits, job.SpoolDir = sweeptest.Splits(1+i, r), t.TempDir()
		if i%2 == 1 { // the text first, then the number, then the key
			job.Checksum.Cells = []int{2, 1, 0}
			job.Key = []int{2}
			job.Output = jsonLines(t, tabletest.Selectors("text", "int", "blob"))
			job.Reader = reversed(table)
		}
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, len(table.Rows), result.Rows)
		if i == 0 {
			want = result.Sum
			hasher := rowsum.New(job.Checksum.Types)
			var sum rowsum.Sum
			for _, r := range table.Rows {
				sum = sum.Add(hasher.Row(r.Cells))
			}
			require.Equal(t, sum, want)
		}
		require.Equal(t, want, result.Sum)
	}
}

// reversed returns a table with its columns in reverse order.
func reversed(table *sweeptest.Table) *sweeptest.Table {
	other := &sweeptest.Table{}
	for _, r := range table.Rows {
		other.Rows = append(
			other.Rows,
			sweeptest.Row{Token: r.Token, Cells: [][]byte{r.Cells[2], r.Cells[1], r.Cells[0]}},
		)
	}
	return other
}

// A key of several columns is serialized as servers do.
func TestCompositeKey(t *testing.T) {
	table := &sweeptest.Table{}
	for i := range int32(60) {
		cells := [][]byte{int32Cell(i / 5), fmt.Appendf(nil, "part %d", i%5)}
		table.Rows = append(
			table.Rows,
			sweeptest.Row{Token: token.Murmur3.Hash(token.AppendKey(nil, cells...)), Cells: cells},
		)
	}
	slices.SortFunc(table.Rows, func(a, b sweeptest.Row) int { return a.Token.Compare(b.Token) })
	whole := token.Whole(token.Murmur3)
	for pages := 1; pages < 20; pages++ {
		job, out := newJob(t, table, 1)
		columns := tabletest.Selectors("int", "text")
		job.Output = jsonLines(t, columns)
		job.Checksum, job.Partitioner, job.Key = Checksum{}, token.Murmur3, []int{0, 1}
		job.Splits, job.Sweep.PageRows = []token.Split{{Range: whole}}, 3
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Page == pages {
				return &fault.Error{Class: fault.Transient, Err: errors.New("gone"), Answered: true}
			}
			return nil
		}
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Equal(
			t,
			[]token.Range{{Start: whole.Start, End: table.Rows[3*pages-2].Token}},
			result.Done,
		)
		require.Len(t, out.lines(), 3*pages-1)
	}
}

// If a temporary file cannot be made, the error says so.
func TestSpoolDirError(t *testing.T) {
	table := tableOf(partition{10, 200, 2000})
	job, out := newJob(t, table, 2)
	job.PartitionMemory, job.SpoolDir = 1000, filepath.Join(t.TempDir(), "missing")
	result, err := job.Run(context.Background())
	require.ErrorContains(t, err, "temporary file: ")
	require.ErrorContains(t, err, job.SpoolDir)
	require.ErrorContains(t, err, "no such file or directory")
	require.NoError(t, table.Check())
	require.Zero(t, out.text.Len())
	require.Zero(t, result.Rows)
}

// An error in the middle of the file does not count as its end.
func TestSpoolFileError(t *testing.T) {
	table := tableOf(partition{10, 20, 20})
	job, out := newJob(t, table, 1)
	job.PartitionMemory, job.SpoolDir = 1, t.TempDir()
	for name, breakIt := range map[string]func(w *worker) error{
		"cut short": func(w *worker) error { return w.partition.file.Truncate(30) },
		"closed":    func(w *worker) error { return w.partition.file.Close() },
	} {
		w := newWorker(job)
		page, err := table.Page(context.Background(), "", token.Range{}, nil, 10)
		require.NoError(t, err)
		require.NoError(t, w.Page(token.Whole(token.Murmur3), page))
		page.Close()
		require.NoError(t, breakIt(w))
		require.ErrorContains(t, w.Done(token.Whole(token.Murmur3)), "temporary file: ", name)
		require.Zero(t, out.text.Len())
	}
}

// The memory of all partitionRows together is bounded, and all of it is freed.
func TestBacklogRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	table := mixed(r, 80, 500)
	job, _ := newJob(t, table, 1)
	job.PartitionMemory, job.SpoolDir = 3000, t.TempDir()
	one, two := newWorker(job), newWorker(job)
	two.partition.memory, two.partition.unfinished = one.partition.memory, one.partition.unfinished
	whole := token.Whole(token.Murmur3)
	for range 300 {
		w := []*worker{one, two}[r.IntN(2)]
		switch r.IntN(6) {
		case 0:
			require.NoError(t, w.Done(whole))
		case 1:
			require.NoError(t, w.Cut(whole))
		default:
			page, err := table.Page(context.Background(), "", token.Range{}, nil, 1+r.IntN(30))
			require.NoError(t, err)
			require.NoError(t, w.Page(whole, page))
			page.Close()
		}
		held := int64(len(one.partition.text) + len(two.partition.text))
		require.LessOrEqual(t, held, int64(3000))
		require.Equal(t, 3000-held, one.partition.memory.Load())
		require.Equal(
			t,
			rowsIn(&one.partition)+rowsIn(&two.partition),
			one.partition.unfinished.Load(),
		)
	}
	require.NoError(t, one.Done(whole))
	require.NoError(t, two.Cut(whole))
	require.EqualValues(t, 3000, one.partition.memory.Load())
	require.Zero(t, one.partition.unfinished.Load())
	requireEmpty(t, job.SpoolDir)
}

// rowsIn counts the rows of partitionRows.
func rowsIn(b *partitionRows) (n int64) {
	for _, piece := range slices.Concat(b.kept, b.stored) {
		n += piece.rows
	}
	return n
}
