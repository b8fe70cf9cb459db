package operation

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// journaled reports whether the scan can be resumed: its output must be a file that can be cut off,
// and its ranges must have names.
func (s *Scan) journaled() bool {
	return !s.spec.NoJournal && s.spec.Place() != "" && s.spec.Limit < 0 && s.t.Plan.Serial == "" &&
		s.t.Plan.Partitioner() != nil
}

// begin creates the run directory, or resumes that of an earlier run and its output.
func (s *Scan) begin() error {
	s.begun = true
	var err error
	switch {
	case s.run.continued:
		var options sink.Options
		if options, err = s.sinkOptions(); err != nil {
			return err
		}
		options.Verify = true
		if s.out, err = sink.Resume(options, s.mark); err == nil {
			s.out.Recorded(&s.mark) // what was not sent yet
			err = s.journal.Resume()
		}
	case !s.journaled():
		return nil
	default:
		if err = s.makeRun(); err != nil {
			err = errors.Join(newRunError(err), s.removeOutput())
		}
	}
	if err != nil {
		return err
	}
	// The scan records what its output holds.
	s.job.CheckpointEvery = records.MarkTime
	s.job.Checkpoint, err = s.keys.keep(s.run.path, s.journal.Mark(s.out))
	return err
}

// countEarlier counts what an earlier run did.
func (s *Scan) countEarlier() {
	c := s.job.Counters
	c.Rows.Add(s.earlier.Rows)
	c.Earlier.Add(s.earlier.Rows)
	c.Bytes.Add(s.earlier.TextBytes)
	c.EarlierBytes.Add(s.earlier.TextBytes)
	for _, done := range s.earlier.Done {
		work := sweep.Work(done, s.job.Partitioner)
		c.Done.Add(work)
		c.Before.Add(work)
	}
}

// removeOutput removes an output that was not begun.
func (s *Scan) removeOutput() error {
	return errors.Join(s.out.Abort(), s.out.RemoveParts())
}

// makeRun makes the run directory, which is beside the output unless the user named another.
func (s *Scan) makeRun() error {
	options, err := recorded.OfScan(&s.spec, s.Table())
	if err != nil {
		return err
	}
	dir := s.spec.RunDir
	if dir == "" {
		dir = filepath.Join(s.besideOutput(), runName(run.CommandScan, s.t.Schema))
	}
	m, err := recorded.NewManifest(s.env, run.CommandScan, s.t.Schema, options, s.begunWith)
	if err != nil {
		return err
	}
	var ranges []token.Range
	for _, split := range s.t.Plan.Splits {
		ranges = append(ranges, split.Range)
	}
	journal, err := records.NewScan(dir, m, ranges)
	if err != nil {
		return err
	}
	if err := errors.Join(s.keys.save(dir), journal.Begin(s.out)); err != nil {
		return errors.Join(err, journal.Abandon(), records.Discard(dir))
	}
	s.journal = journal
	s.run = runDirectory{path: dir, journal: journal}
	return nil
}

// besideOutput returns the folder on the disk for what belongs to the output. If the output is in
// object storage, that is the working directory.
func (s *Scan) besideOutput() string {
	if stores.Remote(s.spec.Place()) {
		return "."
	}
	return filepath.Dir(s.spec.Place())
}

// done returns the number of completed ranges. If a journaled scan has no failed range, this is the
// number that the first run planned.
func (s *Scan) done(result scan.Result) int {
	if s.journal != nil && len(result.Failed) == 0 {
		return s.begunWith.Splits
	}
	return len(result.Done)
}

// withEarlier is a result with what earlier runs did.
func (s *Scan) withEarlier(result scan.Result) scan.Result {
	result.Rows += s.earlier.Rows
	result.Sum = result.Sum.Add(s.earlier.Sum)
	return result
}

// newRunError says what to do when a run directory cannot be made. Nothing was done by then.
func newRunError(err error) error {
	return &spec.UsageError{
		Err: fmt.Errorf("%w; --run-dir names another folder, --no-journal does without one", err),
	}
}
