package operation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor/misread"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/history"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// LoadReport is the outcome of a load. The numbers of its Result include the rows of an earlier run
// that this one resumed. Requests and latencies are those of this run.
type LoadReport struct {
	Report
	load.Result
	DryRun      bool        // nothing was sent
	Streamed    bool        // the rows did not go by CQL
	Files       *KeptFiles  // SSTables that are to be imported; nil: there are none
	Compaction  *Compaction // what the nodes still have to compact; nil: no node reported it
	IfNotExists bool
	Statement   string            // INSERT, UPDATE or DELETE that was run for each row; empty: none
	Delete      bool              // rows were deleted by their primary keys
	Conditional bool              // the rows were written on a condition
	CountsTwice bool              // a row that is written twice counts twice
	Changed     []recorded.Change // how text is read otherwise than the load was begun with
	Rejects     Rejects
	// timestamps that seem to be of another unit than others of their column
	OtherUnits int64
	Explained  *Explained         // of a dry run; nil: none was asked for
	Limit      *ingest.LimitError // that the load was stopped by; nil: none
	RunDir     string             // that is left with a journal; empty when there is none
	// rows written that the journal records: a resume writes the others again; without a journal 0
	Recorded int64
	Next     advice.Step
	// interrupted before anything was written, with nothing left: the same command starts again
	StartOver bool
}

// Rejects are the rows that were not written, as they are kept.
type Rejects struct {
	Causes []reject.Cause // by the number of rows
	// rows of this run whose dates are read in another order of day and month than that of the
	// pattern alone
	Dates int64
	Rows  int64    // of this run
	Lines int64    // that these rows have
	Files []string // of the rows themselves; empty when there are none
	// files of rows that were not applied, because their condition did not hold
	NotApplied []string
	Reasons    string                   // file of the reasons
	Repeated   *misread.RepeatedRejects // rows that the next command does not load; nil: none are known
}

// newReport begins the report of the load.
func (l *Load) newReport() LoadReport {
	r := LoadReport{
		Report:      newReport(l.t),
		DryRun:      l.spec.DryRun,
		Streamed:    l.delivery != nil,
		IfNotExists: l.spec.IfNotExists,
		Statement:   l.of.Statement.Kind(),
		Delete:      l.spec.Deletes(),
		Conditional: l.conditional(),
		CountsTwice: l.countsTwice,
		Changed:     l.reread.All,
	}
	if r.Delete {
		r.Statement = "DELETE" // be it one of CQL or not
	}
	if r.Streamed {
		r.Consistency = ""
	}
	return r
}

// reportRows adds what is known of the rows when the run is over.
func (l *Load) reportRows(r *LoadReport) {
	if l.journal != nil {
		// by now it has the last pieces, which are recorded many at a time
		r.Recorded = l.journal.Recorded().Written
	}
	r.OtherUnits = l.check.OtherUnits()
	r.Rejects.Causes, r.Rejects.Dates = l.check.Causes(), l.check.WarnOfDates()
	if l.spec.Format != format.JSONName { // its rows may have many lines
		r.Rejects.Rows, r.Rejects.Lines = l.rejects.Lines()
	}
	if l.rejects.Used() {
		r.Rejects.Files, r.Rejects.NotApplied = reject.Apart(l.rejects.Files())
		r.Rejects.Reasons = l.rejects.Reasons()
	}
}

// reportSSTables adds what became of the SSTables of a load by streaming.
func (l *Load) reportSSTables(ctx context.Context, r *LoadReport, runErr error) {
	if l.delivery == nil {
		return
	}
	switch folder := l.delivery.Folder; {
	case folder != nil:
		r.Files = folder.Report()
		if runErr != nil {
			r.Files.Import = ""
		} else if l.spec.Import {
			r.Files.Imports = folder.Imports
		}
	case runErr == nil && !r.DryRun:
		r.Compaction = l.delivery.Compaction(ctx)
	}
}

// advise finds out what the next command needs so that it does not fail for the same reason.
func (l *Load) advise(ctx context.Context, r *LoadReport, runErr error) {
	var limit *ingest.LimitError
	var err error
	switch {
	case l.journal == nil:
		return
	case errors.As(runErr, &limit):
		l.run.reread, err = l.check.AfterLimit(ctx, limit)
	case r.Outcome == run.Partly && r.ParseErrors > 0:
		var found misread.Mending
		found, err = l.check.Mend(ctx)
		l.run.reread, l.run.edit, r.Rejects.Repeated = found.Settings, found.Edit, found.Again
	default:
		return
	}
	if err != nil {
		l.env.Warn("the rejected rows could not be read again to see what mends them: %v", err)
	}
	loaded := r.Written + r.Existing + r.InDoubt
	if loaded == 0 && l.retried == nil && !l.piped { // it may be started again
		l.run.startOver = l.check.CutOtherwise(ctx, r.Rejected())
	}
}

// next returns the command that continues from here.
func (l *Load) next(r *LoadReport, runErr error) advice.Step {
	dir := l.run.path
	if l.run.startOver != nil {
		if next, err := advice.StartOver(l.spec, dir, l.Table(), l.run.startOver); err == nil {
			return next
		}
	}
	settings := advice.RecordedSettings(l.run.reread)
	switch {
	case runErr != nil:
		return advice.Step{
			Command:    run.CommandResume,
			RunDir:     dir,
			Settings:   settings,
			KeepLoaded: recorded.ChangeText(l.run.reread),
			Piped:      l.piped,
		}
	case r.Rejected() > 0:
		return advice.Step{
			Command:  run.CommandRetry,
			RunDir:   dir,
			Settings: settings,
			Edit:     advice.Paths(dir, l.run.edit),
		}
	default:
		return advice.Step{Command: run.CommandRetry, RunDir: dir, RepeatInDoubt: true}
	}
}

// runError classifies an error of a run. If a header does not fit or an input is not text, and no
// row was read, it is a usage error.
func (l *Load) runError(err error, r *LoadReport) error {
	var mapping *ingest.MappingError
	var form *source.FormError
	switch {
	case (errors.As(err, &mapping) || errors.As(err, &form)) && r.Read == 0:
		return &spec.UsageError{Err: advice.WithCommands(&l.spec, err)}
	case errors.As(err, &r.Limit):
		return err
	case fault.ClassOf(err) == fault.Fatal:
		return fmt.Errorf("load of %s: %w", l.t.Schema, err)
	default:
		return err
	}
}

// remember records a load that is done in the history, unless its run directory stays. The run of a
// retry is recorded by the run that it retries.
func (l *Load) remember(r *LoadReport) error {
	if l.journal == nil || l.retried != nil || r.Outcome != run.Done || l.rejects.Used() {
		return nil
	}
	target := l.target()
	done := history.Load{
		Tool:     version.Tool + " " + l.env.Build.Version,
		Table:    l.Table(),
		Cluster:  target.Cluster,
		Hosts:    target.Hosts,
		Started:  l.journal.Manifest().Started.UTC(),
		Finished: time.Now().UTC(),
		Seconds:  r.Duration.Seconds(),
		Rows:     r.Rows,
		Rate:     r.RowsPerSecond(),
		Inputs:   []string{},
	}
	for _, in := range l.job.Inputs {
		if err := done.AddInput(in.Name); err != nil {
			return err
		}
	}
	return history.Append(filepath.Dir(l.run.path), done)
}
