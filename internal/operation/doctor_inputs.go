package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// findInputs finds the inputs that the user named.
func (d *Doctor) findInputs() {
	if len(d.load.Inputs) == 0 {
		return
	}
	if d.inputs, _, d.missing = source.Find(
		d.load.Inputs,
		d.env.Stdin,
	); d.missing == nil &&
		len(d.inputs) == 0 {
		d.missing = errNoFile
	}
}

// lookAtInputs reads the first rows of each input. If the table is known, it reads them as the load
// does.
func (d *Doctor) lookAtInputs(ctx context.Context) []doctor.Finding {
	if d.missing != nil {
		return doctor.Failures(d.missing)
	}
	settings := *d.load // ChooseFormat sets the format in the copy
	format, err := settings.ChooseFormat(d.inputs[0].Name)
	var reading ingest.Reading
	if err == nil {
		reading, err = dialect.Reading(&settings, &format)
	}
	if err != nil {
		return []doctor.Finding{doctor.Fail("", "%s", oneLine(err))}
	}
	var job *ingest.Job
	var unfit []doctor.Finding
	if d.t != nil && d.t.Plan != nil {
		l := &Load{
			env:      spec.Environment{Warn: d.said.add},
			spec:     settings,
			t:        d.t,
			counters: new(progress.Counters),
		}
		if err := l.makeJob(ctx, format, reading, d.inputs); err != nil {
			unfit = []doctor.Finding{doctor.Fail("", "%s", oneLine(err))}
		} else {
			job = &l.job.Job
		}
	}
	samples := sample.All(ctx, d.inputs, job)
	out := doctor.Inputs(samples, settings.Format)
	add := func(name string, findings []doctor.Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("encoding", doctor.Encoding(samples, reading.Latin1))
	add("header", unfit)
	if job == nil {
		return out
	}
	if !job.JSON {
		add("delimiter", doctor.Delimiter(samples, job.Format.Delimiter))
	}
	add("header", doctor.Fields(samples, job.Header, job.JSON))
	if order := doctor.AsOrder(samples, sample.ReadingOf(&settings).Copied); len(order) > 0 &&
		order[0].State == doctor.Failure {
		add("header", order)
		return out
	}
	add("rows", doctor.Rows(samples))
	out = append(out, doctor.AsValues(samples, sample.ReadingOf(&settings))...)
	add("estimate", doctor.Estimate(samples, settings.IngestRate))
	return out
}
