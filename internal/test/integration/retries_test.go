//go:build integration

package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// flaky puts mishaps of all sorts between a load and the real cluster. It is safe
// for concurrent use.
type flaky struct {
	real   cql.Writer
	mishap *mishaps
}

// mishaps are shared by the writers of a load.
type mishaps struct {
	mu     sync.Mutex
	random *rand.Rand
	late   []func(ctx context.Context) error // requests that reach the cluster after all others

	lost, applied, overloaded atomic.Int64
}

func (f *flaky) Idempotent() bool { return f.real.Idempotent() }

// Write fails three times in ten: the request was lost, was carried out but not
// answered, or was refused for too much load. Some of those that were lost are on
// their way still.
func (f *flaky) Write(ctx context.Context, host string, rows []row.Row) error {
	m := f.mishap
	m.mu.Lock()
	dice := m.random.IntN(100)
	if dice < 3 {
		kept := copyRows(rows)
		m.late = append(
			m.late,
			func(ctx context.Context) error { return f.real.Write(ctx, host, kept) },
		)
	}
	m.mu.Unlock()
	switch {
	case dice < 10:
		m.lost.Add(1)
		return fault.New(fault.Unknown, errors.New("no answer, and nothing was sent"))
	case dice < 20:
		if err := f.real.Write(ctx, host, rows); err != nil {
			return err
		}
		m.applied.Add(1)
		return fault.New(fault.Unknown, errors.New("no answer, but all was written"))
	case dice < 30:
		m.overloaded.Add(1)
		return fault.New(fault.Overloaded, errors.New("too much to do"))
	default:
		return f.real.Write(ctx, host, rows)
	}
}

// copyRows makes rows that outlive the call they were given to.
func copyRows(rows []row.Row) []row.Row {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Cells = slices.Clone(out[i].Cells)
		for k, c := range out[i].Cells {
			out[i].Cells[k].Bytes = bytes.Clone(c.Bytes)
		}
	}
	return out
}

// jobOn makes a load of one text into a table of the test cluster, with writers of
// the test's own.
func jobOn(
	t *testing.T,
	keyspace, name, input string,
	writer func(*schema.Table, []schema.Column) cql.Writer,
) *load.Job {
	t.Helper()
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	replication, err := session.Replication(t.Context(), keyspace)
	require.NoError(t, err)
	p, err := plan.Make(cluster, replication, plan.Options{Seed: 1})
	require.NoError(t, err)
	server := session.Limits(t.Context())
	return &load.Job{
		Job: ingest.Job{
			Table: described,
			Inputs: []ingest.Input{
				{
					Name: "in.csv",
					Open: func() (io.ReadCloser, error) {
						return io.NopCloser(strings.NewReader(input)), nil
					},
				},
			},
			Format:  format.CSV,
			Header:  true,
			Router:  write.NewRouter(p.Partitioner(), p.Placement(), p.Hosts),
			Limits:  ingest.Limits{MaxMutationBytes: server.MaxMutationBytes},
			Rejects: reject.New(t.TempDir()+"/run", ".csv"),

			MaxParseErrors:  -1,
			MaxInsertErrors: -1,
			Counters:        &progress.Counters{},
		},
		CQL: cql.Options{
			NewWriter: func(columns []schema.Column) cql.Writer {
				return writer(described, columns)
			},
			Limits: cql.Limits{
				MaxRows:        100,
				Partitions:     server.BatchWarnPartitions,
				Bytes:          server.BatchWarnBytes,
				PartitionBytes: 64 << 10,
			},
			InFlight: 64,
			Attempts: 100, // a request that is in luck seven times in ten gets through
			Backoff:  pace.Backoff{Base: time.Millisecond, Max: 5 * time.Millisecond},
		},
	}
}

// repeats returns an input that has each of the keys five times. Near ones are in one piece of it,
// one after the other or a few rows apart, and far ones at a distance of several MB. Every row has
// its number in each column. last has the row that must remain, by its key.
func repeats(keys int) (input string, last map[string]string) {
	var b strings.Builder
	b.WriteString("p,k,a,b,note\n")
	last = make(map[string]string)
	padding := strings.Repeat("x", 700)
	rows := 0
	add := func(sort string, k int) {
		rows++
		key := fmt.Sprintf("p%d,%s%d", k/3, sort, k)
		row := fmt.Sprintf("%s,a%d,b%d,%d%s\n", key, rows, rows, rows, padding)
		b.WriteString(row)
		last[key] = row
	}
	for round := range 5 {
		for k := range keys {
			add("far", k)
			if k%5 == round {
				for range 5 {
					add("near", k)
					add("few", k-k%10) // the same from other rows of this round, and of others
				}
			}
		}
	}
	return b.String(), last
}

// TestLastRowWinsWhateverHappens loads keys that come five times while requests
// are lost, repeated and late: of each key the last row stands, whole.
func TestLastRowWinsWhateverHappens(t *testing.T) {
	lengthy(t)
	t.Parallel()
	// a row of the input has 700 bytes, and there are two more for each
	keys := min(testRows(t, either(8_000, 20_000)), 100_000) / 5
	table(t, "it1.repeated", "(p text, k text, a text, b text, note text, PRIMARY KEY (p, k))")
	m := &mishaps{random: rand.New(rand.NewPCG(1, 2))}
	input, want := repeats(keys)
	t.Logf("%d MB between the rows of one key", len(input)/5>>20)
	job := jobOn(
		t,
		"it1",
		"repeated",
		input,
		func(described *schema.Table, columns []schema.Column) cql.Writer {
			return &flaky{session.Writer(described, columns), m}
		},
	)
	result, err := job.Run(t.Context())
	require.NoError(t, err)
	require.Zero(t, result.Rejected()+result.InDoubt)
	require.EqualValues(t, strings.Count(input, "\n")-1, result.Written)
	for _, late := range m.late {
		require.NoError(t, late(t.Context()))
	}
	t.Logf(
		"%d requests acknowledged; %d lost, %d written without an answer, %d refused, %d arrived after all others",
		result.Batches,
		m.lost.Load(),
		m.applied.Load(),
		m.overloaded.Load(),
		len(m.late),
	)
	require.Positive(t, m.lost.Load()*m.applied.Load()*m.overloaded.Load())
	require.NotEmpty(t, m.late)
	require.Positive(t, job.Counters.Retries.Load())

	out := ok(t, "scan", "it1.repeated", "--header=false", "--columns", "p,k,a,b,note").out
	require.Equal(t, len(want), strings.Count(out, "\n"), "rows")
	for line := range strings.Lines(out) {
		fields := strings.SplitN(line, ",", 3)
		if stands := want[fields[0]+","+fields[1]]; stands != line {
			require.Equal(t, stands, line, "another row than the last of its key")
		}
	}
}
