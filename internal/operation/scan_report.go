package operation

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/progress/tableboard"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// ScanReport is what became of a scan.
type ScanReport struct {
	Report
	Ranges     int           // token ranges that this run read
	Keys       *KeysReport   // of an output that is whole; nil: the whole table was read
	Failed     []FailedRange // those that could not be read
	Seed       uint64        // of their order
	Sum        rowsum.Sum    // of all rows in the output
	Whole      bool          // the output has its name; else it is kept as Unfinished
	Limited    bool          // --limit ended it: the table may have more rows
	Files      []sink.File   // of an output that is whole
	Unfinished []string      // files that a resume continues
	Output     string        // the file or folder, as it was named; empty of the standard output
	Manifest   string        // the file; empty when there is none
	RunDir     string        // that is left; empty when there is none
	Next       advice.Step
	Replaced   int // files of an earlier output in the folder that are gone
	// files of the folder that stay, though they are named as those of an output
	Beside []string
	// files of the folder that the output replaced, though they are of no earlier scan
	WroteOver []string
	Troubles  []error // what went wrong besides, and leaves the outcome as it is
}

// Run reads the table, and completes the output, the manifest and the run directory. Ranges that
// could not be read are in the report; they are no error.
func (s *Scan) Run(ctx context.Context) (ScanReport, error) {
	r := ScanReport{Report: newReadingReport(s.t), Seed: s.begunWith.Seed, Output: s.spec.Place()}
	if err := s.begin(); err != nil {
		r.Outcome = run.OutcomeOf(ctx, err, false)
		return r, err
	}
	var stopWatch func()
	s.job.Sweep, stopWatch = sweepOptions(ctx, s.env, &s.spec.Pacing, s.t, s.job.Counters)
	defer stopWatch()
	if s.keys != nil {
		s.job.Sweep.Vacant = s.keys.reader.Vacant
	}
	s.job.Sweep.Blind = s.spec.Where != ""
	s.run.show(s.board)
	if s.board != nil {
		for _, done := range s.earlier.Done {
			s.board.Ring.Done(done)
		}
		tableboard.ShowSweep(s.board, &s.job.Sweep, &s.job.Reader, false)
	}
	stopPace := s.run.notePace(s.job.Counters, s.env.Warn)
	result, err := s.job.Run(ctx)
	r.end(s.job.Counters, s.t.Table)
	stopPace()
	s.warnOfMixedTimes()
	idle := result.Rows == 0 && len(result.Done) == 0 && len(result.Failed) == 0
	result = s.withEarlier(result)
	r.Ranges, r.Sum, r.Limited = len(result.Done), result.Sum, result.Limited
	if err != nil {
		err = read.Error(err, s.spec.Where, !s.run.isIdle(idle))
	} else if !result.Limited || len(result.Failed) > 0 {
		r.Failed, err = read.Failed(ctx, s.t, result.Result)
	}
	if err == nil && s.t.Plan.Serial != "" && len(r.Failed) > 0 {
		err = errors.New("the table's only range was not read to its end")
	}
	if s.spec.Via == spec.ViaCQL && ctx.Err() == nil {
		err = s.droppedMeanwhile(ctx, err)
	}
	if err == nil && s.spec.Via == spec.ViaCQL {
		s.warnOfTruncationMeanwhile(ctx)
	}
	r.Outcome = run.OutcomeOf(ctx, err, len(r.Failed) > 0)
	// A run that is done but for some ranges leaves a whole output of the others,
	// unless they can be read later.
	switch {
	case err != nil && s.run.isIdle(idle):
		err = errors.Join(err, s.removeOutput(), s.run.discard())
	case err != nil, r.Outcome == run.Partly && s.journal != nil:
		s.leave(&r, result, err)
	default:
		err = s.finish(ctx, &r, result)
	}
	if r.Outcome == run.Done && r.Keys != nil && r.Keys.Rejected > 0 {
		r.Outcome = run.Partly
	}
	return r, err
}

// leave keeps an unfinished output for a run that resumes the scan.
func (s *Scan) leave(r *ScanReport, result scan.Result, err error) {
	r.trouble(s.out.Abort())
	r.Unfinished = s.out.Parts()
	s.closeRun(r, result, err)
}

// finish gives the output its name, and the manifest.
func (s *Scan) finish(ctx context.Context, r *ScanReport, result scan.Result) error {
	err := s.commit(r, result)
	if err == nil {
		r.Whole, r.Files = true, s.out.Files()
		err = errors.Join(s.reportKeys(r, result.Failed), s.writeManifest(r, result))
	}
	if err != nil {
		r.Outcome = run.OutcomeOf(ctx, err, false)
	}
	s.closeRun(r, result, err)
	return err
}

// commit gives the output its name, once an earlier manifest has made way for it.
func (s *Scan) commit(r *ScanReport, result scan.Result) error {
	if err := s.keys.sync(); err != nil {
		return err
	}
	if s.journal != nil {
		if err := s.journal.Commit(s.out, result.Done); err != nil {
			return err
		}
	}
	if err := s.out.Ready(); err != nil {
		return err
	}
	if s.spec.Place() != "" && s.spec.Force {
		found, err := s.out.RemoveEarlier(s.beside().EarlierFiles())
		r.Replaced, r.Beside, r.WroteOver = found.Removed, found.Left, found.Replaced
		if err != nil {
			return err
		}
	}
	if err := s.beside().Remove(s.isOwn); err != nil {
		return err
	}
	return s.out.Commit()
}

// closeRun closes the run directory, and reports the command that continues.
func (s *Scan) closeRun(r *ScanReport, result scan.Result, runErr error) {
	if s.journal == nil {
		return
	}
	var failed []records.Range
	for _, f := range result.Failed {
		failed = append(failed, s.journal.Range(f.Range, f.Err))
	}
	r.trouble(s.run.end(r.Outcome, runErr, failed, r.Outcome == run.Done))
	switch {
	case r.Outcome == run.Done || s.run.lost():
	case r.Outcome == run.Partly:
		r.RunDir, r.Next = s.run.path, advice.Step{Command: run.CommandRetry, RunDir: s.run.path}
	default:
		r.RunDir = s.run.path
		if !errors.As(runErr, new(*run.RefusedError)) { // else it would be refused
			r.Next = advice.Step{Command: run.CommandResume, RunDir: s.run.path}
		}
	}
}

func (r *ScanReport) trouble(err error) {
	if err != nil {
		r.Troubles = append(r.Troubles, err)
	}
}
