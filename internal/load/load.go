// Package load loads text into a table: it joins what makes rows of inputs (package
// ingest) with what writes them (packages write/cql and write/stream). Its tests look at
// the whole.
package load

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// Job is one load.
type Job struct {
	ingest.Job                // but for its Target
	CQL        cql.Options    // of a load by CQL
	Stream     *stream.Target // of a load by streaming; nil: it is one by CQL
}

// Result has the numbers of rows that were written or rejected. If this run resumed another, they
// include the rows of that one. The requests are only those of this run.
type Result struct {
	ingest.Tally
	cql.Stats
	Stream stream.Stats
}

// Run loads. It returns an error if the run could not continue, for any reason; see
// [ingest.Job.Run]. The result counts what was written until then.
func (j *Job) Run(ctx context.Context) (Result, error) {
	job := j.Job
	if j.Stream != nil {
		job.Target = j.Stream
		tally, err := job.Run(ctx)
		return Result{Tally: tally, Stream: j.Stream.Stats()}, err
	}
	options := j.CQL
	options.Warn = j.Warn
	options.OnRetry = j.Counters.Retried
	options.Requests = &j.Counters.Requests
	target := cql.New(j.Router, options)
	job.Target = target
	tally, err := job.Run(ctx)
	return Result{Tally: tally, Stats: target.Stats()}, err
}
