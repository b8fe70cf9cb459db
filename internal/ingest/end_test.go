package ingest_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestRejectsThatCannotBeKeptEndTheRun(t *testing.T) {
	for name, input := range map[string]string{
		"parse":  "k,c,id\nx,2,3\n",
		"insert": "k,c,id\n1,2,666\n",
		"piece":  "k,c,id\n1,2," + strings.Repeat("x", 3000) + "\n",
		"bad":    "k,c,id\n1,2,\"3\n",
	} {
		t.Run(name, func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(tabletest.Events, input+strings.Repeat("1,2,3\n", 5000))
			job.ChunkSize, job.MaxRecord = 100, 1000
			rejects.Fail = errors.New("disk full")
			c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
				if slices.Contains(r.IDs, 666) {
					return false, loadtest.Failure(fault.Permanent, "no")
				}
				return true, nil
			}
			_, err := job.Run(context.Background())
			require.ErrorIs(t, err, rejects.Fail)
		})
	}
}

// held is a reader that gives some text and then nothing until it is let go.
type held struct {
	text    io.Reader
	waiting chan struct{} // closed when nothing is left
	once    sync.Once
	release chan struct{}
}

func (h *held) Read(p []byte) (int, error) {
	if n, err := h.text.Read(p); err == nil {
		return n, nil
	}
	h.once.Do(func() { close(h.waiting) })
	<-h.release
	return 0, io.EOF
}

func (h *held) Close() error { return nil }

// An input that delivers nothing, such as an idle pipe, does not hold up the end.
func TestCancellationDoesNotWaitForTheInput(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events)
	in := &held{
		text:    strings.NewReader("k,c,id\n1,2,3\n"),
		waiting: make(chan struct{}),
		release: make(chan struct{}),
	}
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	job.ChunkSize = 4
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-in.waiting
		cancel()
	}()
	_, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, c.Broken)
	close(in.release)
	goleak.VerifyNone(t)
}

func TestFatalErrorDoesNotWaitForTheInput(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events)
	in := &held{
		text:    strings.NewReader("k,c,id\n1,2,3\n"),
		waiting: make(chan struct{}),
		release: make(chan struct{}),
	}
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	job.ChunkSize = 4
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		<-in.waiting
		return false, loadtest.Failure(fault.Fatal, "access denied")
	}
	_, err := job.Run(context.Background())
	require.EqualError(t, err, "access denied")
	close(in.release)
	goleak.VerifyNone(t)
}

// The context ends while requests, retries and parsers are under way.
func TestCancellation(t *testing.T) {
	for _, state := range []string{"requests that hang", "retries", "before the start"} {
		t.Run(state, func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 20000))
			job.ChunkSize = 500
			ctx, cancel := context.WithCancel(context.Background())
			var calls atomic.Int64
			c.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
				n := calls.Add(1)
				switch {
				case n == 20:
					cancel()
				case n < 20:
					return true, nil
				}
				<-ctx.Done() // no row is given up before
				if state == "retries" {
					return false, loadtest.Failure(fault.Transient, "unavailable")
				}
				return false, fault.New(fault.Canceled, ctx.Err())
			}
			if state == "before the start" {
				cancel()
			}
			result, err := job.Run(ctx)
			cancel()
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, fault.Canceled, fault.ClassOf(err))
			require.Empty(t, rejects.Rejects)
			require.Less(t, result.Written, int64(20000))
			require.Empty(t, c.Broken)
		})
	}
}

// The number of chunks is fixed: a cluster that does not answer stops the reading.
func TestSlowClusterStopsTheReading(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events)
	var read atomic.Int64
	source := &tally{r: strings.NewReader(loadtest.Numbered("k,c,id", 200000)), n: &read}
	job.Inputs = []ingest.Input{
		{Name: "big", Open: func() (io.ReadCloser, error) { return io.NopCloser(source), nil }},
	}
	job.ChunkSize, job.CQL.InFlight = 1000, 2
	job.CQL.Limits.MaxRows = 1
	c.Limits = job.CQL.Limits
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := make(chan struct{}, 2)
	c.Answer = func(ctx context.Context, _ loadtest.Request) (bool, error) {
		began <- struct{}{}
		<-ctx.Done()
		return false, fault.New(fault.Canceled, ctx.Err())
	}
	go func() {
		<-began
		<-began
		cancel()
	}()
	_, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	chunks := 2*runtime.GOMAXPROCS(0) + 2 + 4
	require.LessOrEqual(t, read.Load(), int64((chunks+3)*job.ChunkSize))
}

// tally counts the bytes read.
type tally struct {
	r io.Reader
	n *atomic.Int64
}

func (r *tally) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n.Add(int64(n))
	return n, err
}
