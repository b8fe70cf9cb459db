package operation

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// findInputs finds the inputs that are named.
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

// sampledAtOnce is the number of inputs that are sampled at the same time.
const sampledAtOnce = 4

// lookAtInputs reads the first of each input, as the load does where the table is known.
func (d *Doctor) lookAtInputs(ctx context.Context) []doctor.Finding {
	if d.missing != nil {
		var out []doctor.Finding
		for line := range strings.Lines(d.missing.Error()) {
			out = append(out, doctor.Fail("", "%s", strings.TrimSpace(line)))
		}
		return out
	}
	settings := *d.load // which learns the form
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
	samples := d.sample(ctx, job)
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
	if order := orderFindings(
		samples,
		&settings,
	); len(order) > 0 &&
		order[0].State == doctor.Failure {
		return append(out, order...)
	}
	add("rows", doctor.Rows(samples))
	out = append(out, valueFindings(samples, &settings)...)
	add("estimate", doctor.Estimate(samples, settings.IngestRate))
	return out
}

// orderFindings are what is to be known of the order of fields.
func orderFindings(samples []doctor.Sample, settings *spec.Load) []doctor.Finding {
	found := doctor.AsOrder(samples, settings.Dialect.Name == spec.DialectCQLSH)
	for i := range found {
		found[i].Name = "header"
	}
	return found
}

// valueFindings are what is to be known of names and values besides that they fit. If the fields
// are in another order than the columns, nothing else is said of the values.
func valueFindings(samples []doctor.Sample, settings *spec.Load) (out []doctor.Finding) {
	if out = orderFindings(samples, settings); len(out) > 0 && out[0].State == doctor.Failure {
		return out
	}
	add := func(name string, findings []doctor.Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("names", doctor.Names(samples))
	add(
		"dates",
		doctor.AsDates(samples, settings.Dialect.DateTimeFormat, settings.Dialect.DateFormat),
	)
	add(
		"numbers",
		doctor.AsNumbers(
			samples,
			doctor.Marks{
				Decimal:   settings.Dialect.DecimalSep,
				Thousands: settings.Dialect.ThousandsSep,
			},
		),
	)
	add("booleans", doctor.AsTruths(samples, settings.Dialect.BoolStyle != ""))
	add("nulls", doctor.AsNulls(samples, settings.Nulls))
	unit := ""
	if settings.Given["timestamp-unit"] {
		unit = settings.Dialect.TimestampUnit
	}
	add("epoch", doctor.Units(samples, unit))
	add("write times", doctor.AsStamps(samples))
	return out
}

// sample reads the first of each input; nil: the table is not known.
func (d *Doctor) sample(ctx context.Context, job *ingest.Job) []doctor.Sample {
	samples := make([]doctor.Sample, len(d.inputs))
	var reading errgroup.Group
	reading.SetLimit(sampledAtOnce)
	for i, in := range d.inputs {
		reading.Go(func() error {
			if samples[i] = sample.Of(ctx, in, job); job != nil {
				most := sample.WholeCompressed / int64(len(d.inputs))
				sample.MeasureRest(&samples[i], in, job.Format.CR, most)
			}
			return nil // which the sample has
		})
	}
	_ = reading.Wait()
	return samples
}
