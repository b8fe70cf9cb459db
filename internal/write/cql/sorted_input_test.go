package cql_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
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
		job, c, _ := loadtest.NewJob(tabletest.Events, b.String())
		job.ChunkSize, job.CQL.MinBatch = 64, tc.least
		result := loadtest.MustRun(t, job, c)
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
	job, c, _ := loadtest.NewJob(tabletest.Names)
	job.ChunkSize = 16
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	done := make(chan error)
	go func() {
		_, err := job.Run(context.Background())
		done <- err
	}()
	_, err := out.Write([]byte("k,v,n\na,b,1\nb,c,1\nc,c,1\nd,d,1\ne,e,1\n"))
	require.NoError(t, err)
	require.Eventually(
		t,
		func() bool { return job.Counters.Rows.Load() > 0 },
		time.Minute,
		time.Millisecond,
	)
	require.NoError(t, out.Close())
	require.NoError(t, <-done)
	require.Len(t, c.Cells, 5)
}

// A budget that the held chunks use up does not stop the run.
func TestHoldGivesWayToMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i, i, i)
	}
	for _, memory := range []int64{1, 3000, 1 << 20} {
		job, c, _ := loadtest.NewJob(tabletest.Events, b.String())
		c.Router = loadtest.Ring(t, 5, 16)
		job.Router, job.ChunkSize, job.CQL.MinBatch, job.Memory = c.Router, 128, 100, memory
		require.EqualValues(t, 3000, loadtest.MustRun(t, job, c).Written)
	}
}
