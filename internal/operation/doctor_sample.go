package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// sampledRows is the number of rows of a sample.
const sampledRows = 1000

// sampleOf reads the first rows of an input as the load reads them, and returns what was found.
// job: nil if the table is not known; then only the first text is read.
func sampleOf(ctx context.Context, in source.Input, job *ingest.Job) doctor.Sample {
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
	looked := newLookedAt(in.Name, job)
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
				return r, nil // for a hint about its first line
			}
			opened = true
			return &headed{r, head}, nil
		},
	}
	sampled, err := one.Sample(ctx, input, sampledRows, looked.row)
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
	s.Whole = sampled.Rows < sampledRows && (job.MaxRows == 0 || sampled.Rows < job.MaxRows)
	s.Missing = missingOf(job.Table, sampled.Columns)
	noteRejects(&s, sampled.Rejects, job)
	s.Order = orderOf(s.Head, job, looked.read)
	looked.found(&s)
	return s
}

// explained says what may be done about an input that cannot be read, and what is wrong with it.
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

// missingOf are the columns that no field goes to.
func missingOf(t *schema.Table, columns []schema.Column) (missing []string) {
	for _, c := range t.Columns {
		if !slices.ContainsFunc(columns, func(o schema.Column) bool { return o.Name == c.Name }) {
			missing = append(missing, c.Name)
		}
	}
	return missing
}
