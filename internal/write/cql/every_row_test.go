package cql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// made is a random file for the table events, with what it should come to.
type made struct {
	text  string
	rows  int                            // records
	bad   map[int]bool                   // ids of records that make no row
	ids   map[int]bool                   // ids of records that do
	final map[[2]int32]map[string]string // by key: the last value of each column
}

// makeFile draws records with keys that repeat near and far, and faults in some.
func makeFile(rng *rand.Rand, n int, badShare float64, firstID int) made {
	m := made{bad: map[int]bool{}, ids: map[int]bool{}, final: map[[2]int32]map[string]string{}}
	var b strings.Builder
	b.WriteString("k,c,id,v\n")
	partitions := 1 + rng.IntN(40)
	for i := range n {
		id := firstID + i
		k, c := int32(rng.IntN(partitions)), int32(rng.IntN(5))
		if rng.IntN(5) == 0 && len(m.final) > 0 {
			k, c = int32(0), int32(0)
		}
		m.rows++
		if rng.IntN(20) == 0 {
			b.WriteString(strings.Repeat("\n", 1+rng.IntN(2)))
		}
		if rng.Float64() < badShare {
			m.bad[id] = true
			fmt.Fprintf(
				&b,
				[]string{"%d,%d,%d\n", "x%d,%d,%d,\"v\nw\"\n", "%d,%d,%d,\"v\"w\n", "%d,%d,%d,v,,\n"}[rng.IntN(4)],
				k,
				c,
				id,
			)
			continue
		}
		m.ids[id] = true
		final := m.final[[2]int32{k, c}]
		if final == nil {
			final = map[string]string{}
			m.final[[2]int32{k, c}] = final
		}
		final["id"] = strconv.Itoa(id)
		v := strings.Repeat("x", rng.IntN(60)) + strconv.Itoa(id)
		switch rng.IntN(4) {
		case 0: // unset: what was there stays
			fmt.Fprintf(&b, "%d,%d,%d,\n", k, c, id)
		case 1:
			v += "\n,"
			final["v"] = v
			fmt.Fprintf(&b, "%d,%d,%d,\"%s\"\r\n", k, c, id, v)
		default:
			final["v"] = v
			fmt.Fprintf(&b, "%d,%d,%d,%s\n", k, c, id, v)
		}
	}
	m.text = b.String()
	if rng.IntN(2) == 0 {
		m.text = strings.TrimRight(m.text, "\r\n")
	}
	return m
}

// verify compares what the cluster holds with the file's last values.
func (m made) verify(t *testing.T, c *loadtest.Cluster) {
	t.Helper()
	require.Len(t, c.Cells, len(m.final))
	for key, final := range m.final {
		cells := c.Cells[fmt.Sprintf("k=%08x c=%08x ", uint32(key[0]), uint32(key[1]))]
		require.NotNil(t, cells, "key %v", key)
		require.Equal(t, final["v"], cells["v"].Value, "key %v", key)
		id, err := strconv.Atoi(final["id"])
		require.NoError(t, err)
		require.Equal(
			t,
			fmt.Sprintf("%08x", id),
			fmt.Sprintf("%x", cells["id"].Value),
			"key %v",
			key,
		)
	}
}

// randomLimits draws bounds of batches, tight ones too.
func randomLimits(rng *rand.Rand) cql.Limits {
	return cql.Limits{
		MaxRows: 1 + rng.IntN(30), Partitions: 1 + rng.IntN(8), Bytes: 100 + rng.IntN(3000),
		PartitionBytes: 100 + rng.IntN(6000),
	}
}

// Whatever the file, the chunks, the limits and the transient faults, each row is written or
// rejected once. Of several rows with a key, the last one stays.
func TestEveryRowIsWrittenOrRejectedAndTheLastOneWins(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			m := makeFile(rng, rng.IntN(600), 0.05, 1)
			job, c, rejects := loadtest.NewJob(tabletest.Events, m.text)
			job.ChunkSize = 16 + rng.IntN(2000)
			job.CQL.InFlight = 1 + rng.IntN(8)
			job.CQL.Attempts = 1000
			job.CQL.Limits = randomLimits(rng)
			c.Limits = job.CQL.Limits
			if rng.IntN(3) > 0 {
				c.Router = loadtest.Ring(t, 3, 4)
				job.Router = c.Router
			}
			c.Answer = passingFaults(rng.Uint64(), 0.3)
			result := loadtest.MustRun(t, job, c)
			require.EqualValues(t, m.rows, result.Read)
			require.EqualValues(t, len(m.bad), result.Rejected())
			require.Len(t, rejects.Rejects, len(m.bad))
			require.Zero(t, result.InDoubt)
			for id := range m.ids {
				require.Equal(t, 1, c.Acked[id], "row %d", id)
			}
			require.Len(t, c.Acked, len(m.ids))
			m.verify(t, c)
		})
	}
}

// passingFaults answers a share of the requests with errors that a retry mends,
// some of them after the rows were applied.
func passingFaults(
	seed uint64,
	share float64,
) func(context.Context, loadtest.Request) (bool, error) {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 1))
	return func(context.Context, loadtest.Request) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		if rng.Float64() >= share {
			return true, nil
		}
		switch rng.IntN(3) {
		case 0:
			return false, loadtest.Failure(fault.Transient, "unavailable")
		case 1:
			return false, loadtest.Failure(fault.Overloaded, "overloaded")
		default:
			return rng.IntN(2) == 0, loadtest.Failure(fault.Unknown, "timeout")
		}
	}
}

// With faults that stay, too, no row is lost or counted twice, and rows the
// cluster never takes do not keep their neighbours out.
func TestPoisonedRowsStandAlone(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 8))
			m := makeFile(rng, 300, 0.02, 1)
			job, c, rejects := loadtest.NewJob(tabletest.Events, m.text)
			job.ChunkSize = 200 + rng.IntN(4000)
			job.CQL.Attempts = 1000
			poisoned := func(id int) bool { return id%17 == 0 }
			passing := passingFaults(seed, 0.2)
			c.Answer = func(ctx context.Context, r loadtest.Request) (bool, error) {
				for _, id := range r.IDs {
					if poisoned(id) {
						return false, loadtest.Failure(fault.Permanent, "invalid value")
					}
				}
				return passing(ctx, r)
			}
			result := loadtest.MustRun(t, job, c)
			refused := 0
			for id := range m.ids {
				if poisoned(id) {
					refused++
					require.Zero(t, c.Applied[id])
				} else {
					require.Equal(t, 1, c.Acked[id], "row %d", id)
				}
			}
			require.EqualValues(t, refused+len(m.bad), result.Rejected())
			stages := map[ingest.Stage]int{}
			for _, r := range rejects.Rejects {
				stages[r.Stage]++
				if r.Stage == ingest.Insert {
					require.Equal(t, "invalid value", r.Reason)
					require.Contains(t, m.text, string(r.Raw))
					require.Equal(t, string(r.Raw), m.text[r.Offset:int(r.Offset)+len(r.Raw)])
					require.EqualValues(t, 1+strings.Count(m.text[:r.Offset], "\n"), r.Line)
				}
			}
			require.Equal(t, refused, stages[ingest.Insert])
			require.Equal(t, len(m.bad), stages[ingest.Parse])
		})
	}
}
