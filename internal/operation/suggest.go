package operation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/suggest"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

var (
	errSuggestTable = errors.New("--suggest: name the table and the files to load")
	errSuggestPipe  = errors.New(
		"--suggest: the standard input can be read once, and the load is to read it: name a file",
	)
)

// CheckSuggest reports what a doctor lacks to suggest a load.
func (d *Doctor) CheckSuggest() error {
	if d.name == (spec.TableName{}) || len(d.load.Inputs) == 0 {
		return errSuggestTable
	}
	if slices.ContainsFunc(d.load.Inputs, source.ReadsStdin) {
		return errSuggestPipe
	}
	return nil
}

// Suggest finds settings by which the inputs fit the table, and returns the load with them. It
// calls its argument with each remaining finding that is not OK. There is no suggestion if the
// table or the inputs cannot be read, or if no setting makes the fields fit.
func (d *Doctor) Suggest(
	ctx context.Context,
	tell func(doctor.Finding),
) (*advice.Load, DoctorReport, error) {
	r := DoctorReport{Table: d.Table(), Started: time.Now()}
	defer d.close()
	s, err := d.suggest(ctx, func(f doctor.Finding) {
		r.Findings = append(r.Findings, f)
		if f.State != doctor.OK {
			tell(f)
		}
	})
	r.Duration = time.Since(r.Started)
	r.Outcome = run.OutcomeOf(ctx, err, r.Count(doctor.Failure) > 0)
	return s, r, err
}

func (d *Doctor) suggest(ctx context.Context, found func(doctor.Finding)) (*advice.Load, error) {
	limited, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	if !d.offline {
		for _, f := range d.connect(limited) {
			if f.Name = "connection"; f.State == doctor.Failure {
				found(f)
			}
		}
	}
	if d.offline || d.t != nil {
		if err := d.describe(limited); err != nil && ctx.Err() == nil {
			f := doctor.FailOf(err)
			f.Name = "table"
			found(f)
			return nil, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	if d.t == nil || d.t.Plan == nil {
		return nil, nil // which was reported
	}
	search := suggest.Search{Load: d.load, Look: d.lookAtInputs, Patience: d.patience}
	if len(d.inputs) > 0 {
		search.Input = d.inputs[0].Name
	}
	return search.Run(ctx, found)
}
