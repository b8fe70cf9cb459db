package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// numbered is a file for the table hits or events with so many rows.
func numbered(header string, n int) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		switch strings.Count(header, ",") {
		case 1:
			fmt.Fprintf(&b, "%d,1\n", i)
		default:
			fmt.Fprintf(&b, "%d,0,%d\n", i, i)
		}
	}
	return b.String()
}

func TestRetriesGoToTheOtherReplicas(t *testing.T) {
	job, c, _ := newJob(t, events, "k,c,id\n1,2,3\n")
	c.router = ring(t, 3, 4)
	job.Router = c.router
	var hosts []string
	c.answer = func(_ context.Context, r request) (bool, error) {
		hosts = append(hosts, r.host)
		if len(hosts) < 5 {
			return false, failure(fault.Transient, "unavailable")
		}
		return true, nil
	}
	result := mustRun(t, job, c)
	require.Equal(
		t,
		Result{Tally: ingest.Tally{Read: 1, Written: 1}, Stats: cql.Stats{Batches: 1}},
		counts(result),
	)
	require.Len(t, hosts, 5)
	require.NotEqual(t, hosts[0], hosts[1])
	require.Equal(t, hosts[0], hosts[2])
	require.EqualValues(t, 4, job.Counters.Retries.Load())
}

func TestAttemptsAreCounted(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded, fault.Unknown} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, rejects := newJob(t, events, "k,c,id\n1,2,3\n")
			job.CQL.Attempts = 7
			c.answer = func(context.Context, request) (bool, error) { return false, failure(class, "no answer") }
			result := mustRun(t, job, c)
			require.Equal(t, Result{Tally: ingest.Tally{Read: 1, InsertErrors: 1}}, counts(result))
			require.Equal(t, 7, c.requests)
			require.Equal(t, ingest.Insert, rejects.rejects[0].Stage)
			require.Equal(t, "no answer", rejects.rejects[0].Reason)
			require.Equal(t, "1,2,3\n", string(rejects.rejects[0].Raw))
			require.EqualValues(t, 2, rejects.rejects[0].Line)
		})
	}
}

// A counter may not be added to twice.
func TestCountersAreNeverRepeatedWhenInDoubt(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 400))
	job.ChunkSize = 100
	job.CQL.InFlight = 3
	var calls atomic.Int64
	c.answer = func(_ context.Context, r request) (bool, error) {
		switch n := calls.Add(1); {
		case n%5 == 0:
			return n%2 == 0, failure(fault.Unknown, "timeout")
		case n%5 == 1:
			return false, failure(fault.Overloaded, "overloaded")
		case slices.ContainsFunc(r.ids, func(id int) bool { return id%50 == 0 }):
			return false, failure(fault.Permanent, "invalid")
		default:
			return true, nil
		}
	}
	result := mustRun(t, job, c)
	require.NotZero(t, result.InDoubt)
	require.NotZero(t, result.Rejected())
	doubt := map[string]bool{}
	for _, r := range rejects.rejects {
		if r.Stage == ingest.InDoubt {
			doubt[string(r.Raw)] = true
		} else {
			require.Equal(t, ingest.Insert, r.Stage)
		}
	}
	require.Len(t, doubt, int(result.InDoubt))
	for id := range 400 {
		require.LessOrEqual(t, c.applied[id], 1, "row %d", id)
		if doubt[fmt.Sprintf("%d,1\n", id)] {
			require.Zero(t, c.acked[id])
		}
	}
}

// Of a batch over several partitions a server may have written some when it refuses it:
// what may not be written twice travels by partition, and that is refused as a whole.
func TestARefusedBatchThatWasWrittenInPartIsNotWrittenTwice(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, _ := newJob(t, hits, numbered("id,n", 400))
			c.answer = func(_ context.Context, r request) (bool, error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				if c.sent[r.ids[0]] > 1 {
					return true, nil
				}
				for _, id := range r.ids[:len(r.ids)/2] { // each is a partition
					c.applied[id]++
				}
				return false, failure(class, "not all replicas are up")
			}
			require.EqualValues(t, 400, mustRun(t, job, c).Written)
			for id := range 400 {
				require.Equal(t, 1, c.applied[id], "row %d", id)
			}
		})
	}
}

// While nothing is taken, the run ends instead of rejecting the whole input.
func TestRunEndsWhenTheClusterTakesNothing(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded, fault.Unknown} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, _ := newJob(t, events, numbered("k,c,id", 3000))
			job.ChunkSize, job.CQL.InFlight, job.CQL.Attempts = 400, 5, 2
			c.answer = func(context.Context, request) (bool, error) { return false, failure(class, "no answer") }
			result, err := job.Run(context.Background())
			require.ErrorContains(
				t,
				err,
				"the cluster does not take writes: more than 32 requests in a row failed, the last with: no answer",
			)
			require.Equal(t, fault.Fatal, fault.ClassOf(err))
			require.Zero(t, result.Written)
			require.Less(t, result.Rejected(), int64(500))
		})
	}
}

func TestRunEndsWhenEveryCounterIsInDoubt(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 3000))
	job.ChunkSize, job.CQL.InFlight = 400, 5
	c.answer = func(context.Context, request) (bool, error) { return true, failure(fault.Unknown, "timeout") }
	result, err := job.Run(context.Background())
	require.ErrorContains(t, err, "the cluster does not take writes")
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	// Every row that was sent is told.
	require.Len(t, rejects.rejects, len(c.sent))
	require.EqualValues(t, len(c.sent), result.InDoubt)
}

// Requests that wait while others are left in doubt count when they fail in their turn.
func TestRunEndsSoonWhenEveryCounterIsInDoubt(t *testing.T) {
	job, c, _ := newJob(t, hits, numbered("id,n", 30_000))
	job.CQL.InFlight, job.CQL.Limits.MaxRows = 64, 10
	c.limits = job.CQL.Limits
	c.answer = func(context.Context, request) (bool, error) {
		time.Sleep(time.Millisecond)
		return false, failure(fault.Unknown, "timeout")
	}
	result, err := job.Run(t.Context())
	require.ErrorContains(t, err, "more than 32 requests in a row failed")
	require.Less(t, result.InDoubt, int64(20*32*job.CQL.Limits.MaxRows))
}

// One acknowledged request in between shows that the cluster still works.
func TestScatteredFailuresDoNotEndTheRun(t *testing.T) {
	job, c, _ := newJob(t, events, numbered("k,c,id", 2000))
	job.ChunkSize, job.CQL.InFlight, job.CQL.Attempts = 400, 1, 1
	job.CQL.Limits.MaxRows = 1
	c.limits = job.CQL.Limits
	c.answer = func(_ context.Context, r request) (bool, error) {
		if c.requests%2 == 0 {
			return false, failure(fault.Transient, "unavailable")
		}
		return true, nil
	}
	result := mustRun(t, job, c)
	require.EqualValues(t, 1000, result.Rejected())
	require.EqualValues(t, 1000, result.Written)
}

func TestFatalErrorEndsTheRun(t *testing.T) {
	job, c, rejects := newJob(t, events, numbered("k,c,id", 2000))
	job.ChunkSize = 200
	c.answer = func(_ context.Context, r request) (bool, error) {
		if slices.Contains(r.ids, 700) {
			return false, failure(fault.Fatal, "access denied")
		}
		return true, nil
	}
	result, err := job.Run(context.Background())
	require.EqualError(t, err, "access denied")
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.Less(t, result.Written, int64(2000))
	require.Empty(t, rejects.rejects)
}

func TestRejectsThatCannotBeKeptEndTheRun(t *testing.T) {
	for name, input := range map[string]string{
		"parse":  "k,c,id\nx,2,3\n",
		"insert": "k,c,id\n1,2,666\n",
		"piece":  "k,c,id\n1,2," + strings.Repeat("x", 3000) + "\n",
		"bad":    "k,c,id\n1,2,\"3\n",
	} {
		t.Run(name, func(t *testing.T) {
			job, c, rejects := newJob(t, events, input+strings.Repeat("1,2,3\n", 5000))
			job.ChunkSize, job.MaxRecord = 100, 1000
			rejects.fail = errors.New("disk full")
			c.answer = func(_ context.Context, r request) (bool, error) {
				if slices.Contains(r.ids, 666) {
					return false, failure(fault.Permanent, "no")
				}
				return true, nil
			}
			_, err := job.Run(context.Background())
			require.ErrorIs(t, err, rejects.fail)
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
	job, c, _ := newJob(t, events)
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
	require.Empty(t, c.broken)
	close(in.release)
	goleak.VerifyNone(t)
}

func TestFatalErrorDoesNotWaitForTheInput(t *testing.T) {
	job, c, _ := newJob(t, events)
	in := &held{
		text:    strings.NewReader("k,c,id\n1,2,3\n"),
		waiting: make(chan struct{}),
		release: make(chan struct{}),
	}
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	job.ChunkSize = 4
	c.answer = func(context.Context, request) (bool, error) {
		<-in.waiting
		return false, failure(fault.Fatal, "access denied")
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
			job, c, rejects := newJob(t, events, numbered("k,c,id", 20000))
			job.ChunkSize = 500
			ctx, cancel := context.WithCancel(context.Background())
			var calls atomic.Int64
			c.answer = func(ctx context.Context, r request) (bool, error) {
				n := calls.Add(1)
				switch {
				case n == 20:
					cancel()
				case n < 20:
					return true, nil
				}
				<-ctx.Done() // nobody gives a row up before
				if state == "retries" {
					return false, failure(fault.Transient, "unavailable")
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
			require.Empty(t, rejects.rejects)
			require.Less(t, result.Written, int64(20000))
			require.Empty(t, c.broken)
		})
	}
}

// Counters that were under way when the run was interrupted may have been applied.
func TestInterruptedCountersAreInDoubt(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 2000))
	job.ChunkSize = 100
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var calls atomic.Int64
	c.answer = func(ctx context.Context, r request) (bool, error) {
		if calls.Add(1) <= 3 {
			return true, nil
		}
		cancel()
		return true, fault.New(fault.Canceled, context.Canceled)
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, len(c.sent), result.Written+result.InDoubt)
	require.Len(t, rejects.rejects, int(result.InDoubt))
	require.NotZero(t, result.InDoubt)
	for _, r := range rejects.rejects {
		require.Equal(t, ingest.InDoubt, r.Stage)
	}
}

// The number of chunks is fixed: a cluster that does not answer stops the reading.
func TestSlowClusterStopsTheReading(t *testing.T) {
	job, c, _ := newJob(t, events)
	var read atomic.Int64
	source := &tally{r: strings.NewReader(numbered("k,c,id", 200000)), n: &read}
	job.Inputs = []ingest.Input{
		{Name: "big", Open: func() (io.ReadCloser, error) { return io.NopCloser(source), nil }},
	}
	job.ChunkSize, job.CQL.InFlight = 1000, 2
	job.CQL.Limits.MaxRows = 1
	c.limits = job.CQL.Limits
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := make(chan struct{}, 2)
	c.answer = func(ctx context.Context, _ request) (bool, error) {
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

// A node that never answers costs its time limit now and then, not with every
// batch that it should have.
func TestASilentNodeStandsBack(t *testing.T) {
	var text strings.Builder
	text.WriteString("k,c,id\n")
	for i := range 4000 {
		fmt.Fprintf(&text, "%d,0,%d\n", i, i)
	}
	job, c, _ := newJob(t, events, text.String())
	c.router = ring(t, 3, 8)
	job.Router = c.router
	var mu sync.Mutex
	asked := map[string]int{}
	c.answer = func(_ context.Context, r request) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.host]++
		if r.host == "node1" {
			return false, failure(fault.Unknown, "no answer")
		}
		return true, nil
	}
	require.EqualValues(t, 4000, mustRun(t, job, c).Written)
	require.Greater(t, asked["node1"], 0)
	require.Less(t, 10*asked["node1"], asked["node0"]+asked["node2"], "%v", asked)
}

// A load does not go on for long with a cluster that answers nothing, whatever the
// attempts that are left.
func TestSilentCluster(t *testing.T) {
	var text strings.Builder
	text.WriteString("k,c,id\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d,0,%d\n", i, i)
	}
	job, c, rejects := newJob(t, events, text.String())
	job.CQL.Attempts, job.CQL.Patience = 1<<30, time.Millisecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	c.answer = func(context.Context, request) (bool, error) {
		return false, fault.New(fault.Unknown, errors.New("no answer"))
	}
	_, err := job.Run(t.Context())
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.ErrorContains(t, err, "the cluster has taken no write for")
	require.Empty(t, rejects.rejects, "a later run takes them all")
}
