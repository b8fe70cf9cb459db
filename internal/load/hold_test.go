package load

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Sorted input makes full batches however it is cut into chunks.
func TestSortedInputMakesFullBatches(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i/200, i, i)
	}
	for _, tc := range []struct {
		least int
		most  int64 // batches
	}{{100, 5*2 + 2}, {1, 1000}} {
		job, c, _ := newJob(t, events, b.String())
		job.ChunkSize, job.MinBatch = 64, tc.least
		result := mustRun(t, job, c)
		require.EqualValues(t, 1000, result.Written)
		if tc.least > 1 {
			// A chunk holds some seven rows; two parsers trade their order.
			require.Less(t, result.Batches, int64(60))
		} else {
			require.Greater(t, result.Batches, int64(120))
		}
	}
}

// Rows are not held for an input that keeps silent.
func TestHeldRowsDoNotWaitForASilentInput(t *testing.T) {
	in, out := io.Pipe()
	job, c, _ := newJob(t, names)
	job.ChunkSize = 16
	job.Inputs = []Input{{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }}}
	done := make(chan error)
	go func() {
		_, err := job.Run(context.Background())
		done <- err
	}()
	_, err := out.Write([]byte("k,v,n\na,b,1\nb,c,1\nc,c,1\nd,d,1\ne,e,1\n"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return job.Counters.Rows.Load() > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, out.Close())
	require.NoError(t, <-done)
	require.Len(t, c.cells, 5)
}

// A budget that the held chunks use up does not stop the run.
func TestHoldGivesWayToMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i, i, i)
	}
	for _, memory := range []int64{1, 3000, 1 << 20} {
		job, c, _ := newJob(t, events, b.String())
		c.router = ring(t, 5, 16)
		job.Router, job.ChunkSize, job.MinBatch, job.Memory = c.router, 128, 100, memory
		require.EqualValues(t, 3000, mustRun(t, job, c).Written)
	}
}

func TestHold(t *testing.T) {
	a, b := &Set{index: 0}, &Set{index: 1}
	limits := Limits{MaxRows: 4, Partitions: 10, Bytes: 1000, PartitionBytes: 1000}
	h := newHold(3, 2, limits)
	var w, other Writer = &fakeWriter{c: &cluster{}}, &fakeWriter{c: &cluster{}}
	lengths := func(batches []*batch) []int {
		var n []int
		for _, b := range batches {
			n = append(n, len(b.rows))
		}
		slices.Sort(n)
		return n
	}
	row := func(set *Set, at uint64) *parsed { return row1(set, at, 1) }
	require.Equal(t, []int{3}, lengths(h.add(w, a, []*parsed{row(a, 1), row(a, 2), row(a, 3)})), "enough")
	require.Empty(t, h.add(w, a, []*parsed{row(a, 4), row(a, 9)}))
	require.Empty(t, h.add(w, b, []*parsed{row(b, 5)}), "other replicas")
	require.Empty(t, h.add(other, a, []*parsed{row(a, 5)}), "other columns")
	require.Empty(t, h.next())
	full := h.add(w, a, []*parsed{row(a, 4), row(a, 5)})
	require.Equal(t, []int{4}, lengths(full))
	require.Equal(t, full[0].rows[0].Token, full[0].rows[1].Token, "rows of a partition stand together")
	require.Equal(t, []int{1, 1}, lengths(h.next()), "two chunks later")
	require.Empty(t, h.add(w, a, []*parsed{row(a, 4)}))
	require.Equal(t, []int{1}, lengths(h.press(true)))
	require.Equal(t, []int{1}, lengths(h.add(w, a, []*parsed{row(a, 4)})), "pressed")
	require.Empty(t, h.press(false))
	require.Empty(t, h.add(w, a, []*parsed{row(a, 4)}))
	require.Empty(t, h.idle(), "a chunk came meanwhile")
	require.Equal(t, []int{1}, lengths(h.idle()))
}
