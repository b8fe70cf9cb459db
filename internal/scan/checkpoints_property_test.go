package scan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var errBroken = errors.New("broken")

// ends are the ways in which a scan may end. Each says when it happens, and whether the last
// checkpoint then has all of the output.
var ends = []struct {
	name  string
	setUp func(s *scanCase)
	all   bool
}{
	{"well", func(*scanCase) {}, true},
	{"cancelled at a request", func(s *scanCase) {
		inner := s.table.Fail
		s.table.Fail = func(ctx context.Context, r sweeptest.Request) error {
			if r.Number == s.moment {
				s.cancel()
			}
			return inner(ctx, r)
		}
	}, true},
	{
		"cancelled in a write",
		func(s *scanCase) { s.out.fail = s.atWrite(func([]byte) error { s.cancel(); return nil }) },
		true,
	},
	{
		"canceled in a checkpoint",
		func(s *scanCase) {
			s.recorder.onCheckpoint = s.atCall(func() error { s.cancel(); return nil })
		},
		true,
	},
	{
		"canceled after a checkpoint",
		func(s *scanCase) { s.recorder.onKeep = s.atCall(func() error { s.cancel(); return nil }) },
		true,
	},
	{"output full in the middle of a row", func(s *scanCase) {
		s.out.fail = s.atWrite(func(text []byte) error {
			s.out.text.Write(text[:s.r.IntN(len(text)+1)])
			return errBroken
		})
	}, false},
	{"malformed cell", func(s *scanCase) {
		if len(s.table.Rows) > 0 {
			s.table.Rows[s.r.IntN(len(s.table.Rows))].Cells[1] = []byte{1, 2, 3}
		}
	}, true},
	{
		"no temporary file",
		func(s *scanCase) {
			s.job.SpoolDir, s.job.PartitionMemory = filepath.Join(s.job.SpoolDir, "missing"), 100
		},
		true,
	},
	{
		"checkpoint fails",
		func(s *scanCase) { s.recorder.onCheckpoint = s.atCall(func() error { return errBroken }) },
		false,
	},
	{
		"point not kept",
		func(s *scanCase) { s.recorder.onKeep = s.atCall(func() error { return errBroken }) },
		false,
	},
}

// scanCase is a random scan.
type scanCase struct {
	r        *rand.Rand
	table    *sweeptest.Table
	job      *Job
	out      *output
	recorder *pointRecorder
	moment   int
	cancel   func()
}

func newTrial(t *testing.T, seed uint64, cancel func()) *scanCase {
	r := rand.New(rand.NewPCG(seed, 11))
	table := mixed(r, r.IntN(60), []int{8, 8, 8, 3000}[r.IntN(4)])
	table.Fail, table.Trailing = faults(seed, r.IntN(6)), r.IntN(2) == 0
	job, out := newJob(t, table, 1+r.IntN(8))
	job.EncodeBuffers, job.SpoolDir = 1+r.IntN(4), t.TempDir()
	job.Splits = sweeptest.Splits(1+r.IntN(8), r)
	job.Sweep.PageRows, job.Sweep.MaxAttempts = 1+r.IntN(20), 2+r.IntN(6)
	job.PartitionMemory = []int64{0, 1, 200, 5000}[r.IntN(4)]
	job.WriteRows = []int64{0, 1, 2, 10, 1000}[r.IntN(5)]
	k := keepPoints(job, out)
	job.CheckpointEvery = []time.Duration{1, 20 * time.Microsecond, time.Hour}[r.IntN(3)]
	job.CheckpointBytes = []int64{1, 300, 1 << 40}[r.IntN(3)]
	return &scanCase{r, table, job, out, k, r.IntN(1 + len(table.Rows)/job.Sweep.PageRows), cancel}
}

// atWrite calls a function at the write whose time has come. Once an output has failed, it fails at
// each later write.
func (s *scanCase) atWrite(do func(text []byte) error) func(int, []byte) error {
	n := -1
	return func(_ int, text []byte) error {
		if n++; n >= s.moment {
			return do(text)
		}
		return nil
	}
}

func (s *scanCase) atCall(do func() error) func(int) error {
	return func(call int) error {
		if call == s.moment%4 {
			return do()
		}
		return nil
	}
}

// However a scan ends, at each checkpoint the output is exactly the rows of the points so far, each
// once. Nothing that could be recorded is missing.
func TestCheckpointsAtRandom(t *testing.T) {
	checkpoints, between, ended := 0, 0, make(map[string]int)
	for seed := range uint64(600) {
		end := ends[seed%uint64(len(ends))]
		t.Run(fmt.Sprintf("%d %s", seed, end.name), func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := newTrial(t, seed, cancel)
			end.setUp(s)
			result, err := s.job.Run(ctx)
			require.NoError(t, s.table.Check())
			s.recorder.requireExact(t, s.job, s.table)
			if err == nil || end.all {
				s.recorder.requireAll(t, result)
			}
			checkpoints += len(s.recorder.points)
			if len(s.recorder.points) > 1 {
				between++
			}
			if err != nil {
				ended[end.name]++
				require.Equal(t, ctx.Err() != nil, fault.ClassOf(err) == fault.Canceled)
				return
			}
			// The points are exactly the ring without the ranges that failed.
			all := s.recorder.ranges()
			for _, f := range result.Failed {
				all = append(all, f.Range)
			}
			require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), all))
			requireRows(t, s.job, within(s.table, result.Done), s.out, result)
		})
	}
	require.Greater(t, checkpoints, 1000)
	require.Greater(t, between, 200, "runs with checkpoints in their middle")
	for _, end := range ends[1:] {
		require.Positive(t, ended[end.name], end.name)
	}
}
