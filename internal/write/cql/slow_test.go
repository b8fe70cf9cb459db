package cql_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// If a node is slow, or accepts nothing for a while, the rows of other nodes are written at their
// own speed. The rows of the slow node follow.
func TestASlowNodeHoldsUpNoOther(t *testing.T) {
	for name, slow := range map[string]harm{
		"slow":                      {time.Second, nil},
		"no connection for a while": harms["no connection"],
		"no answer for a while":     harms["no answer"],
		"not available for a while": harms["unavailable"],
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const rows = 3000
				a := newAway(t, tabletest.Events, slow, loadtest.Numbered("k,c,id", rows))
				a.job.CQL.Attempts = 1 << 30
				a.set("node1", true)
				begin := time.Now()
				var mu sync.Mutex
				var others time.Duration // until the last row of another node was written
				last := a.Answer
				a.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
					if r.Host != "node1" {
						mu.Lock()
						others = time.Since(begin)
						mu.Unlock()
						return true, pace.Sleep(ctx, 10*time.Millisecond)
					}
					if slow.err == nil {
						if err := pace.Sleep(ctx, slow.takes); err != nil {
							return false, fault.New(fault.Canceled, err)
						}
						return true, nil
					}
					return last(ctx, r)
				}
				back := time.AfterFunc(40*time.Second, func() { a.set("node1", false) })
				defer back.Stop()
				result := loadtest.MustRun(t, a.job, a.Cluster)
				require.EqualValues(t, rows, result.Written)
				require.Less(t, others, 8*time.Second)
				require.Greater(t, time.Since(begin), 15*time.Second)
				for id := range rows {
					require.Equal(t, 1, a.Applied[id], "row %d", id)
				}
			})
		})
	}
}

// Rows that were spilled to disk are written with all that they had: nulls, times of columns,
// several statements for a row. If they are rejected later, they are kept byte for byte.
func TestSpilledRowsAreWrittenAsTheyWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := "k,c,id,v,ttl(v),writetime(v)\n"
		for id := range 900 {
			line := []string{"%d,0,%d,\"x, %d\",60,1234\n", "%d,0,%d,,,\n", "%d,0,%d,\"y %d\",,\n"}[id%3]
			text += fmt.Sprintf(
				line,
				append([]any{id}, []any{id, id}[:strings.Count(line, "%d")-1]...)...)
		}
		plain := newAway(t, tabletest.Events, harm{}, text)
		require.EqualValues(t, 900, loadtest.MustRun(t, plain.job, plain.Cluster).Written)

		a := newAway(t, tabletest.Events, harm{time.Second, nil}, text)
		a.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
			if r.Host != "node1" {
				return true, nil
			}
			if err := pace.Sleep(ctx, time.Second); err != nil {
				return false, fault.New(fault.Canceled, err)
			}
			if slices.ContainsFunc(
				r.Rows,
				func(one row.Row) bool { return one.Timestamp == 1234 },
			) &&
				len(r.IDs) == 1 &&
				r.IDs[0]%2 == 0 {
				return false, loadtest.Failure(fault.Permanent, "even")
			}
			if len(r.IDs) > 1 &&
				slices.ContainsFunc(r.IDs, func(id int) bool { return id%6 == 0 }) {
				return false, loadtest.Failure(fault.Permanent, "some are even")
			}
			return true, nil
		}
		result := loadtest.MustRun(t, a.job, a.Cluster)
		require.NotZero(t, result.Rejected())
		for _, r := range a.rejects.Rejects {
			require.True(t, a.of(t, r, "node1"))
			require.Contains(t, text, "\n"+string(r.Raw))
		}
		refused := 0
		for key, cells := range plain.Cells {
			if len(a.Cells[key]) == 0 {
				refused++
				continue
			}
			for name, v := range cells {
				require.Equal(t, v.Value, a.Cells[key][name].Value, "%s of %s", name, key)
			}
		}
		require.EqualValues(t, result.Rejected(), refused)
	})
}

// Without room to set rows aside a slow node holds up the others, as far as memory lasts,
// and nothing is lost.
func TestWithoutRoomASlowNodeHoldsUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAway(t, tabletest.Events, harm{}, loadtest.Numbered("k,c,id", 3000))
		a.job.CQL.Spill = 20_000
		a.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
			if r.Host == "node1" {
				return true, pace.Sleep(ctx, time.Second)
			}
			return true, nil
		}
		require.EqualValues(t, 3000, loadtest.MustRun(t, a.job, a.Cluster).Written)
	})
}
