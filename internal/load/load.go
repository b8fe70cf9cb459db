// Package load loads text into a table: it joins what makes rows of inputs (package
// ingest) with what writes them (package target/cql). Its tests look at the whole.
package load

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/target/cql"
)

// Job is one load by CQL.
type Job struct {
	ingest.Job // but for its Target
	CQL        cql.Options
}

// Result is what became of the rows, of all of them: those of an earlier run that this one
// went on with included. The requests are those of this run.
type Result struct {
	ingest.Tally
	cql.Stats
}

// Run loads. It returns an error when the run could not go on, for what reason ever; see
// [ingest.Job.Run]. What was written until then is in the result.
func (j *Job) Run(ctx context.Context) (Result, error) {
	options := j.CQL
	options.Warn = j.Warn
	options.OnRetry = func() { j.Counters.Retries.Add(1) }
	target := cql.New(j.Router, options)
	job := j.Job
	job.Target = target
	tally, err := job.Run(ctx)
	return Result{tally, target.Stats()}, err
}
