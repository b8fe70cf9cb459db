package sample

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Rows is the number of rows of a sample.
const Rows = 1000

// atOnce is the number of inputs that All reads at the same time.
const atOnce = 4

// All reads the first rows of each input, and if the table is known, measures the rest.
func All(ctx context.Context, inputs []source.Input, job *ingest.Job) []doctor.Sample {
	samples := make([]doctor.Sample, len(inputs))
	var reading errgroup.Group
	reading.SetLimit(atOnce)
	for i, in := range inputs {
		reading.Go(func() error {
			if samples[i] = Of(ctx, in, job); job != nil {
				most := wholeCompressed / int64(len(inputs))
				measureRest(&samples[i], in, format.Delimiters(job.Format).CR, most)
			}
			return nil // the sample has the error
		})
	}
	_ = reading.Wait()
	return samples
}

// Of reads the first rows of an input as the job would, and returns a sample. If the table is not
// known, job is nil, and Of reads only the first text.
func Of(ctx context.Context, in source.Input, job *ingest.Job) doctor.Sample {
	s := doctor.Sample{Name: in.Name, Size: in.Size}
	if !in.Plain() && (!in.Stdin() || job == nil) {
		s.Pipe = true
		return s
	}
	if job == nil {
		head, err := headOf(in)
		s.Head = head
		s.Do, s.Err = explained(in.Name, err, nil)
		return s
	}
	looked := newValues(in.Name, job)
	one := *job
	looked.watch(&one)
	head := new(heading)
	opened := false
	input := ingest.Input{
		Name:  in.Name,
		Size:  in.Size,
		Plain: in.Plain(),
		Open: func() (io.ReadCloser, error) {
			r, err := in.Open()
			if err != nil {
				return nil, err
			}
			if opened {
				return r, nil // opened again for a hint about the first line
			}
			opened = true
			return &headed{r, head}, nil
		},
	}
	sampled, err := one.Sample(ctx, input, Rows, looked.row)
	s.Head = head.taken()
	var unfit *ingest.MappingError
	switch {
	case errors.As(err, &unfit):
		s.Hint, s.Fit = unfit.Parts()
		s.Settings, s.Guess = unfit.Settings(), unfit.Guess()
		s.Otherwise = strings.HasPrefix(s.Hint, ingest.OtherDelimiter)
		return s
	case err != nil && ctx.Err() != nil:
		s.Err = fmt.Errorf("input %s gave no text in time", in.Name)
		return s
	case err != nil:
		s.Do, s.Err = explainedCut(in.Name, err, job)
		return s
	}
	s.Rows = sampled.Rows
	s.Bad = int64(len(sampled.Rejects))
	s.Text = sampled.Text
	s.Columns = len(sampled.Columns)
	s.Lines = sampled.Lines
	s.Whole = sampled.Rows < Rows && (job.MaxRows == 0 || sampled.Rows < job.MaxRows)
	s.Missing = missingOf(job.Table, sampled.Columns)
	noteRejects(&s, sampled.Rejects, job)
	s.Order = orderOf(s.Head, job, looked.read)
	looked.found(&s)
	return s
}

// ReadingOf returns the settings of a load by which its values are judged.
func ReadingOf(o *spec.Load) doctor.Reading {
	r := doctor.Reading{
		Copied:     o.Dialect.Name == spec.DialectCQLSH,
		Timestamps: OnlyPattern(o.Dialect.DateTimeFormats),
		Dates:      OnlyPattern(o.Dialect.DateFormats),
		Marks: doctor.Marks{
			Decimal:   o.Dialect.DecimalSep,
			Thousands: o.Dialect.ThousandsSep,
			Currency:  o.Dialect.Currency,
		},
		Truths: o.Dialect.BoolStyle != "",
		Nulls:  o.Nulls,
	}
	if o.Given["timestamp-unit"] {
		r.Unit = o.Dialect.TimestampUnit
	}
	return r
}

// OnlyPattern returns the pattern of a list of one, if it has directives; else "". Texts are
// compared with the other orders of day and month of such a pattern.
func OnlyPattern(patterns []string) string {
	if len(patterns) == 1 && strings.Contains(patterns[0], "%") {
		return patterns[0]
	}
	return ""
}

// explained returns what is wrong with an input that cannot be read, and what to do about it.
func explained(name string, err error, job *ingest.Job) (do string, wrong error) {
	var form *source.FormError
	if !errors.As(err, &form) {
		return "", err
	}
	do = form.Do
	switch {
	case form.Filter == "":
	case job != nil && job.Through != nil:
		do += ": " + job.Through(name, form.Filter, nil)
	default:
		do += ": " + form.Filter
	}
	return do, fmt.Errorf("%s is %s", name, form.What)
}

// missingOf returns the columns of the table without a field.
func missingOf(t *schema.Table, columns []schema.Column) (missing []string) {
	for _, c := range t.Columns {
		if !slices.ContainsFunc(columns, func(o schema.Column) bool { return o.Name == c.Name }) {
			missing = append(missing, c.Name)
		}
	}
	return missing
}
