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
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// harm is how the requests to a node that is away end.
type harm struct {
	takes time.Duration
	err   error
}

var harms = map[string]harm{
	"no connection": {0, fault.New(fault.Transient, errors.New("there is no connection to it"))},
	"no answer":     {12 * time.Second, fault.New(fault.Unknown, errors.New("no answer in time"))},
	"unavailable":   {time.Millisecond, loadtest.Failure(fault.Transient, "not all replicas are up")},
	"timeout":       {2 * time.Second, loadtest.Failure(fault.Unknown, "operation timed out")},
}

// away is a cluster of three nodes with one replica. Some nodes are away.
type away struct {
	*loadtest.Cluster
	job     *load.Job
	rejects *loadtest.Recorder
	harm    harm

	mu    sync.Mutex
	nodes map[string]bool // that are away
	warns []string
}

func newAway(t *testing.T, table *schema.Table, h harm, texts ...string) *away {
	job, c, rejects := loadtest.NewJob(table, texts...)
	a := &away{Cluster: c, job: job, rejects: rejects, harm: h, nodes: map[string]bool{}}
	c.Router = loadtest.RingOf(t, 3, 4, 1)
	job.Router, job.ChunkSize = c.Router, 400
	job.CQL.Backoff, job.CQL.Patience, job.CQL.InFlight = pace.Backoff{}, time.Minute, 12
	job.Warn = func(format string, args ...any) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.warns = append(a.warns, fmt.Sprintf(format, args...))
	}
	job.CQL.NodeName = func(host string) string { return "the " + host }
	job.CQL.Ping = func(_ context.Context, hosts []string) error {
		if hosts == nil {
			hosts = []string{"node0", "node1", "node2"}
		}
		if slices.ContainsFunc(
			hosts,
			func(host string) bool { return !a.isAway(host) || fault.Answered(h.err) },
		) {
			return nil
		}
		return h.err
	}
	c.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
		if !a.isAway(r.Host) {
			return true, nil
		}
		if err := pace.Sleep(ctx, a.harm.takes); err != nil {
			return false, fault.New(fault.Canceled, err)
		}
		return false, a.harm.err
	}
	return a
}

func (a *away) isAway(host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.nodes[host]
}

func (a *away) set(host string, gone bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.nodes[host] = gone
}

// of says whether a rejected row belongs to a node.
func (a *away) of(t *testing.T, r ingest.Reject, host string) bool {
	var id int
	_, err := fmt.Sscanf(string(r.Raw), "%d,", &id)
	require.NoError(t, err)
	_, set := a.Router.Route([]byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
	return set.Hosts[0] == host
}

// If a node is away for longer than the patience, its rows are rejected. All others are written,
// and the load reaches its end.
func TestRowsOfADeadNodeAreRejectedAndAllOthersWritten(t *testing.T) {
	for name, h := range harms {
		for _, table := range []*schema.Table{tabletest.Events, tabletest.Hits} {
			t.Run(name+", "+table.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					text := loadtest.Numbered("k,c,id", 3000)
					if table == tabletest.Hits {
						text = loadtest.Numbered("id,n", 3000)
					}
					a := newAway(t, table, h, text)
					a.set("node1", true)
					begin := time.Now()
					result := loadtest.MustRun(t, a.job, a.Cluster)
					require.Less(t, time.Since(begin), 4*time.Minute)
					require.Less(
						t,
						5*result.InDoubt,
						result.Rejected(),
						"what is given up is not sent",
					)
					named := 0
					for _, r := range a.rejects.Rejects {
						require.True(t, a.of(t, r, "node1"), "%s", r.Raw)
						if strings.Contains(r.Reason, "the node1") &&
							strings.Contains(r.Reason, h.err.Error()) {
							named++
						}
					}
					require.Greater(t, named, len(a.rejects.Rejects)/2)
					require.Greater(t, len(a.rejects.Rejects), 300)
					for id := range 3000 {
						require.LessOrEqual(t, a.Applied[id], 1)
					}
					require.Len(t, a.warns, 1)
					require.Contains(t, a.warns[0], "the node1")
				})
			})
		}
	}
}

// A node that comes back takes its rows again.
func TestADeadNodeComesBack(t *testing.T) {
	for name, h := range harms {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAway(t, tabletest.Events, h, loadtest.Numbered("k,c,id", 6000))
				// Nothing is spilled to disk, so that the input is not read ahead of what is
				// written.
				a.job.CQL.Rate, a.job.CQL.Spill = pace.NewLimiter(10), -1
				a.set("node1", true)
				back := time.AfterFunc(3*time.Minute, func() { a.set("node1", false) })
				defer back.Stop()
				result := loadtest.MustRun(t, a.job, a.Cluster)
				require.NotZero(t, result.Rejected())
				last := a.rejects.Sorted()[len(a.rejects.Rejects)-1]
				require.Less(t, last.Line, int64(5000), "rows behind it were written")
			})
		})
	}
}

// While no node answers, no row is given up: the run ends, and can be resumed.
func TestAClusterThatIsGoneIsNoDeadNode(t *testing.T) {
	for _, name := range []string{"no connection", "no answer"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAway(t, tabletest.Events, harms[name], loadtest.Numbered("k,c,id", 3000))
				var sent atomic.Int64
				answer := a.Answer
				a.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
					if sent.Add(1) == 50 {
						for i := range 3 {
							a.set(fmt.Sprintf("node%d", i), true)
						}
					}
					return answer(ctx, r)
				}
				begin := time.Now()
				result, err := a.job.Run(t.Context())
				require.ErrorContains(t, err, "the cluster has taken no write for 1m")
				require.Equal(t, fault.Fatal, fault.ClassOf(err))
				require.NotZero(t, result.Written)
				require.Zero(t, result.Rejected())
				require.Less(t, time.Since(begin), 3*time.Minute)
			})
		})
	}
}

// A silence that ends before the patience does costs no row.
func TestANodeThatComesBackInTimeCostsNoRow(t *testing.T) {
	for _, name := range []string{"no connection", "no answer"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAway(t, tabletest.Events, harms[name], loadtest.Numbered("k,c,id", 3000))
				a.set("node1", true)
				back := time.AfterFunc(45*time.Second, func() { a.set("node1", false) })
				defer back.Stop()
				require.EqualValues(t, 3000, loadtest.MustRun(t, a.job, a.Cluster).Written)
				require.Empty(t, a.warns)
			})
		})
	}
}
