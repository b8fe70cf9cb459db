package cql_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

func TestRetriesGoToTheOtherReplicas(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events, "k,c,id\n1,2,3\n")
	c.Router = loadtest.Ring(t, 3, 4)
	job.Router = c.Router
	var hosts []string
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		hosts = append(hosts, r.Host)
		if len(hosts) < 5 {
			return false, loadtest.Failure(fault.Transient, "unavailable")
		}
		return true, nil
	}
	result := loadtest.MustRun(t, job, c)
	require.Equal(
		t,
		load.Result{Tally: ingest.Tally{Read: 1, Written: 1}, Stats: cql.Stats{Batches: 1}},
		loadtest.Counts(result),
	)
	require.Len(t, hosts, 5)
	require.NotEqual(t, hosts[0], hosts[1])
	require.Equal(t, hosts[0], hosts[2])
	require.EqualValues(t, 4, job.Counters.Retries.Load())
}

func TestAttemptsAreCounted(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded, fault.Unknown} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(tabletest.Events, "k,c,id\n1,2,3\n")
			job.CQL.Attempts = 7
			c.Answer = func(context.Context, loadtest.Request) (bool, error) {
				return false, loadtest.Failure(class, "no answer")
			}
			result := loadtest.MustRun(t, job, c)
			require.Equal(
				t,
				load.Result{Tally: ingest.Tally{Read: 1, InsertErrors: 1}},
				loadtest.Counts(result),
			)
			require.Equal(t, 7, c.Requests)
			require.Equal(t, ingest.Insert, rejects.Rejects[0].Stage)
			require.Equal(t, "no answer", rejects.Rejects[0].Reason)
			require.Equal(t, "1,2,3\n", string(rejects.Rejects[0].Raw))
			require.EqualValues(t, 2, rejects.Rejects[0].Line)
		})
	}
}

// A counter may not be added to twice.
func TestCountersAreNeverRepeatedWhenInDoubt(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 400))
	job.ChunkSize = 100
	job.CQL.InFlight = 3
	var calls atomic.Int64
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		switch n := calls.Add(1); {
		case n%5 == 0:
			return n%2 == 0, loadtest.Failure(fault.Unknown, "timeout")
		case n%5 == 1:
			return false, loadtest.Failure(fault.Overloaded, "overloaded")
		case slices.ContainsFunc(r.IDs, func(id int) bool { return id%50 == 0 }):
			return false, loadtest.Failure(fault.Permanent, "invalid")
		default:
			return true, nil
		}
	}
	result := loadtest.MustRun(t, job, c)
	require.NotZero(t, result.InDoubt)
	require.NotZero(t, result.Rejected())
	doubt := map[string]bool{}
	for _, r := range rejects.Rejects {
		if r.Stage == ingest.InDoubt {
			doubt[string(r.Raw)] = true
		} else {
			require.Equal(t, ingest.Insert, r.Stage)
		}
	}
	require.Len(t, doubt, int(result.InDoubt))
	for id := range 400 {
		require.LessOrEqual(t, c.Applied[id], 1, "row %d", id)
		if doubt[fmt.Sprintf("%d,1\n", id)] {
			require.Zero(t, c.Acked[id])
		}
	}
}

// If a server refuses a batch over several partitions, it may have written some of them. So rows
// that must not be written twice have a batch for each partition, and that is refused as a whole.
func TestARefusedBatchThatWasWrittenInPartIsNotWrittenTwice(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, _ := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 400))
			c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
				c.Mu.Lock()
				defer c.Mu.Unlock()
				if c.Sent[r.IDs[0]] > 1 {
					return true, nil
				}
				for _, id := range r.IDs[:len(r.IDs)/2] { // each is a partition
					c.Applied[id]++
				}
				return false, loadtest.Failure(class, "not all replicas are up")
			}
			require.EqualValues(t, 400, loadtest.MustRun(t, job, c).Written)
			for id := range 400 {
				require.Equal(t, 1, c.Applied[id], "row %d", id)
			}
		})
	}
}

// While nothing is taken, the run ends instead of rejecting the whole input.
func TestRunEndsWhenTheClusterTakesNothing(t *testing.T) {
	for _, class := range []fault.Class{fault.Transient, fault.Overloaded, fault.Unknown} {
		t.Run(class.String(), func(t *testing.T) {
			job, c, _ := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 3000))
			job.ChunkSize, job.CQL.InFlight, job.CQL.Attempts = 400, 5, 2
			c.Answer = func(context.Context, loadtest.Request) (bool, error) {
				return false, loadtest.Failure(class, "no answer")
			}
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
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 3000))
	job.ChunkSize, job.CQL.InFlight = 400, 5
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		return true, loadtest.Failure(fault.Unknown, "timeout")
	}
	result, err := job.Run(context.Background())
	require.ErrorContains(t, err, "the cluster does not take writes")
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	// Each row that was sent has its result.
	require.Len(t, rejects.Rejects, len(c.Sent))
	require.EqualValues(t, len(c.Sent), result.InDoubt)
}

// Requests that wait while others are left in doubt count when they fail in their turn.
func TestRunEndsSoonWhenEveryCounterIsInDoubt(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 30_000))
	job.CQL.InFlight, job.CQL.Limits.MaxRows = 64, 10
	c.Limits = job.CQL.Limits
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		time.Sleep(time.Millisecond)
		return false, loadtest.Failure(fault.Unknown, "timeout")
	}
	result, err := job.Run(t.Context())
	require.ErrorContains(t, err, "more than 32 requests in a row failed")
	require.Less(t, result.InDoubt, int64(20*32*job.CQL.Limits.MaxRows))
}

// One acknowledged request in between shows that the cluster still works.
func TestScatteredFailuresDoNotEndTheRun(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 2000))
	job.ChunkSize, job.CQL.InFlight, job.CQL.Attempts = 400, 1, 1
	job.CQL.Limits.MaxRows = 1
	c.Limits = job.CQL.Limits
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		if c.Requests%2 == 0 {
			return false, loadtest.Failure(fault.Transient, "unavailable")
		}
		return true, nil
	}
	result := loadtest.MustRun(t, job, c)
	require.EqualValues(t, 1000, result.Rejected())
	require.EqualValues(t, 1000, result.Written)
}

func TestFatalErrorEndsTheRun(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 2000))
	job.ChunkSize = 200
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		if slices.Contains(r.IDs, 700) {
			return false, loadtest.Failure(fault.Fatal, "access denied")
		}
		return true, nil
	}
	result, err := job.Run(context.Background())
	require.EqualError(t, err, "access denied")
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.Less(t, result.Written, int64(2000))
	require.Empty(t, rejects.Rejects)
}

// Counters that were under way when the run was interrupted may have been applied.
func TestInterruptedCountersAreInDoubt(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 2000))
	job.ChunkSize = 100
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var calls atomic.Int64
	c.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
		if calls.Add(1) <= 3 {
			return true, nil
		}
		cancel()
		return true, fault.New(fault.Canceled, context.Canceled)
	}
	result, err := job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, len(c.Sent), result.Written+result.InDoubt)
	require.Len(t, rejects.Rejects, int(result.InDoubt))
	require.NotZero(t, result.InDoubt)
	for _, r := range rejects.Rejects {
		require.Equal(t, ingest.InDoubt, r.Stage)
	}
}

// A node that never answers costs its time limit now and then, not with every
// batch that it should have.
func TestASilentNodeStandsBack(t *testing.T) {
	var text strings.Builder
	text.WriteString("k,c,id\n")
	for i := range 4000 {
		fmt.Fprintf(&text, "%d,0,%d\n", i, i)
	}
	job, c, _ := loadtest.NewJob(tabletest.Events, text.String())
	c.Router = loadtest.Ring(t, 3, 8)
	job.Router = c.Router
	var mu sync.Mutex
	asked := map[string]int{}
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.Host]++
		if r.Host == "node1" {
			return false, loadtest.Failure(fault.Unknown, "no answer")
		}
		return true, nil
	}
	require.EqualValues(t, 4000, loadtest.MustRun(t, job, c).Written)
	require.Greater(t, asked["node1"], 0)
	require.Less(t, 10*asked["node1"], asked["node0"]+asked["node2"], "%v", asked)
}

// If a cluster answers nothing, a load ends soon, whatever the attempts that are left.
func TestSilentCluster(t *testing.T) {
	var text strings.Builder
	text.WriteString("k,c,id\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d,0,%d\n", i, i)
	}
	job, c, rejects := loadtest.NewJob(tabletest.Events, text.String())
	job.CQL.Attempts, job.CQL.Patience = 1<<30, time.Millisecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		return false, fault.New(fault.Unknown, errors.New("no answer"))
	}
	_, err := job.Run(t.Context())
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.ErrorContains(t, err, "the cluster has taken no write for")
	require.Empty(t, rejects.Rejects, "a later run takes them all")
}
