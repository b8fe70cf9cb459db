package sample

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Look is a check of the inputs of a load.
type Look struct {
	Load   *spec.Load // with its format chosen
	Inputs []source.Input
	Latin1 bool        // the inputs are read as Latin-1
	Job    *ingest.Job // as the load reads them; nil: the table is not known, or Unfit
	Unfit  error       // why there is no job for the table
}

// Findings reads the first rows of each input, and returns what doctor finds in them. Without a job
// only the first text of each input is judged.
func (l Look) Findings(ctx context.Context) []doctor.Finding {
	samples := All(ctx, l.Inputs, l.Job)
	out := doctor.Inputs(samples, l.Load.Format)
	add := func(name string, findings []doctor.Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("encoding", doctor.Encoding(samples, l.Latin1))
	if l.Unfit != nil {
		add("header", []doctor.Finding{doctor.FailOf(l.Unfit)})
	}
	if l.Job == nil {
		return out
	}
	if of, ok := l.Job.Format.(format.Delimited); ok {
		add("delimiter", doctor.Delimiter(samples, of.DelimiterText()))
	}
	add("header", doctor.Fields(samples, l.Job.Header, l.Job.Format.Named()))
	reading := ReadingOf(l.Load)
	order := doctor.AsOrder(samples, reading.Copied)
	if len(order) > 0 && order[0].State == doctor.Failure {
		add("header", order)
		return out
	}
	add("rows", doctor.Rows(samples))
	out = append(out, doctor.AsValues(samples, reading)...)
	add("estimate", doctor.Estimate(samples, l.Load.IngestRate))
	return out
}
