package load

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
)

// What has been read when a load is interrupted is still written, if there is time:
// no counter is in doubt then.
func TestLinger(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 20000))
	job.ChunkSize, job.Linger = 100, time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var calls atomic.Int64
	c.answer = func(ctx context.Context, r request) (bool, error) {
		if calls.Add(1) == 20 {
			cancel()
		}
		return ctx.Err() == nil, ctx.Err()
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.Empty(t, c.broken)
	require.Empty(t, rejects.rejects)
	require.Equal(t, result.Read, result.Written)
	require.EqualValues(t, len(c.acked), result.Written)
	require.Less(t, result.Read, int64(20000))
	require.Equal(t, len(c.sent), len(c.acked))
}

// It does not wait for longer than it is told to.
func TestLingerEnds(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 20000))
	job.ChunkSize, job.Linger = 100, time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.answer = func(ctx context.Context, _ request) (bool, error) {
		cancel()
		<-ctx.Done()
		return true, fault.New(fault.Canceled, ctx.Err())
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NotZero(t, result.InDoubt)
	require.EqualValues(t, len(c.sent), result.InDoubt)
	require.Len(t, rejects.rejects, int(result.InDoubt))
	goleak.VerifyNone(t)
}

// An input that keeps silent is not waited for, nor is the time to linger when there is
// nothing to wait for.
func TestLingerWithoutAnInput(t *testing.T) {
	job, c, _ := newJob(t, events)
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
	require.Empty(t, c.broken)
	close(in.release)
	goleak.VerifyNone(t)
}
