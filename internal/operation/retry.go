package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/retry"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Retry tries only what failed in a run again. It is a resumed scan, or a load of rejects whose run
// directory is inside that of the first load.
type Retry struct {
	Scan        *Scan // nil of a load
	Load        *Load // nil of a scan
	RunDir      string
	LeftInDoubt int             // rows in doubt that are not written
	DoubtDir    string          // the run directory that has them
	Before      []retry.Earlier // earlier loads of the rejects that this one loads
}

// PrepareRetry reads a run directory, and prepares what tries its failures again. The rows in doubt
// of a load are among them when the changes have repeat-in-doubt.
func PrepareRetry(ctx context.Context, env spec.Environment, settings spec.Resume) (*Retry, error) {
	status, err := journal.Read(settings.RunDir, func(journal.Record) error { return nil })
	if err != nil {
		return nil, refusedRun(settings.RunDir, err)
	}
	if status.Live {
		return nil, run.Refused(&journal.InUseError{Dir: settings.RunDir, Holder: status.Holder})
	}
	if status.Manifest.Command != run.CommandLoad {
		resumed, err := PrepareResume(ctx, env, settings)
		if err != nil {
			return nil, err
		}
		return &Retry{RunDir: settings.RunDir, Scan: resumed.Scan}, nil
	}
	first, err := records.OpenLoad(settings.RunDir) // no other process may take it meanwhile
	if err != nil {
		return nil, run.Refused(err)
	}
	plan, err := retry.NewPlan(settings, first)
	if err != nil {
		_ = first.Abandon()
		return nil, err
	}
	l, err := prepareLoad(ctx, env, plan.Spec, earlierRuns{plan.Readings, nil, first})
	if err != nil {
		_ = first.Abandon()
		return nil, err
	}
	return &Retry{
		Load:        l,
		RunDir:      plan.RunDir,
		LeftInDoubt: plan.LeftInDoubt,
		DoubtDir:    plan.DoubtDir,
		Before:      plan.Before,
	}, nil
}

// Removed is the number of rows that were rejected and are no longer in the files of rejects.
func (r *Retry) Removed() int64 { return r.Load.retried.Removed }

// LeftOver returns the run directories of earlier retries that have rows which no later retry has
// loaded.
func (r *Retry) LeftOver() ([]string, error) { return retry.LeftOver(r.RunDir) }

// NotApplied returns the files of rows whose condition did not hold, of the first load and of its
// retries.
func (r *Retry) NotApplied() ([]string, error) { return retry.NotApplied(r.RunDir) }
