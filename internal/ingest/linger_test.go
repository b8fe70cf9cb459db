package ingest_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// What has been read when a load is interrupted is still written, if there is time:
// no counter is in doubt then.
func TestLinger(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 20000))
	job.ChunkSize, job.Linger = 100, time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var calls atomic.Int64
	c.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
		if calls.Add(1) == 20 {
			cancel()
		}
		return ctx.Err() == nil, ctx.Err()
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.Empty(t, c.Broken)
	require.Empty(t, rejects.Rejects)
	require.Equal(t, result.Read, result.Written)
	require.EqualValues(t, len(c.Acked), result.Written)
	require.Less(t, result.Read, int64(20000))
	require.Equal(t, len(c.Sent), len(c.Acked))
}

// It does not wait for longer than Linger.
func TestLingerEnds(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 20000))
	job.ChunkSize, job.Linger = 100, time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.Answer = func(ctx context.Context, _ loadtest.Request) (bool, error) {
		cancel()
		<-ctx.Done()
		return true, fault.New(fault.Canceled, ctx.Err())
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NotZero(t, result.InDoubt)
	require.EqualValues(t, len(c.Sent), result.InDoubt)
	require.Len(t, rejects.Rejects, int(result.InDoubt))
	goleak.VerifyNone(t)
}

// An input that keeps silent is not waited for, nor is the time to linger when there is
// nothing to wait for.
func TestLingerWithoutAnInput(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events)
	in := &held{
		text:    strings.NewReader("k,c,id\n1,2,3\n"),
		waiting: make(chan struct{}),
		release: make(chan struct{}),
	}
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	job.ChunkSize, job.Linger = 4, time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-in.waiting
		cancel()
	}()
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, result.Read, result.Written)
	require.Empty(t, c.Broken)
	close(in.release)
	goleak.VerifyNone(t)
}
