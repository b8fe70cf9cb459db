package loadtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// BatchLimits are the limits of the batches of a load that [NewJob] makes.
var BatchLimits = cql.Limits{MaxRows: 100, Partitions: 10, Bytes: 5 << 10, PartitionBytes: 64 << 10}

// RowLimits are the limits of its rows.
var RowLimits = ingest.Limits{MaxMutationBytes: 16 << 20}

// quick is a backoff that does not delay a test.
var quick = pace.Backoff{Base: time.Nanosecond, Max: time.Nanosecond}

// NewJob returns a job that loads texts into a fake cluster, with the cluster and its rejects.
func NewJob(table *schema.Table, texts ...string) (*load.Job, *Cluster, *Recorder) {
	c, r := newCluster(table), &Recorder{}
	job := &load.Job{
		Job: ingest.Job{
			Table:           table,
			Format:          format.CSV,
			Header:          true,
			Router:          c.Router,
			Limits:          RowLimits,
			Rejects:         r,
			Counters:        &progress.Counters{},
			MaxParseErrors:  -1,
			MaxInsertErrors: -1,
		},
		CQL: cql.Options{NewWriter: c.Writer, Limits: BatchLimits, InFlight: 4, Backoff: quick},
	}
	for i, s := range texts {
		job.Inputs = append(job.Inputs, Input(fmt.Sprintf("file%d.csv", i+1), s))
	}
	return job, c, r
}

// Counts returns a result without its checksum.
func Counts(r load.Result) load.Result {
	r.Sum = rowsum.Sum{}
	return r
}

// MustRun runs a job that must succeed, and checks that its numbers fit each other.
func MustRun(t testing.TB, job *load.Job, c *Cluster) load.Result {
	t.Helper()
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, c.Broken)
	require.Equal(
		t,
		result.Read,
		result.Written+result.Existing+result.Rejected()+result.InDoubt,
		"%+v",
		result,
	)
	require.Equal(t, result.Written, job.Counters.Rows.Load())
	require.Equal(t, result.Rejected(), job.Counters.Rejected.Load())
	return result
}
