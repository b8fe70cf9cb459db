package operation

// Every reason to refuse a resume or a retry is in this file, or is called from it:
//
//	the folder is no run, or its run.json was changed  journal.ReadManifest
//	another process has it                             journal.Open, PrepareRetry
//	the cluster or the table is another                records.CheckTable
//	the table has other columns                        records.CheckColumns
//	a column was dropped and added again               (*table.Table).RefuseDropped
//	scan: another partitioner, one range, no output    (*Scan).refuse
//	scan: the manifest beside the output is another's  account.Beside.CheckOwn
//	scan: a file of the output was changed             sink.Resume
//	scan: SSTables in folders are missing              (*files.Files).RefuseMissing
//	scan: text is to be read otherwise                 recorded.RefuseReading
//	load: rows are loaded that were read otherwise     (*reread.Resumed).Refuse
//	load: rows are in SSTables that are kept           (*Load).refuseKept
//	load: a pipe that was read to its end              refuseEnded
//	load: the table was truncated                      (*Load).refuseTruncated
//	load: the table is altered under it                (*Load).altered
//	load: an input was changed                         (*records.Load).CheckInputs, ingest.changed
//	load: rejects were changed                         (*Load).missingRejects, reject.Resume
//	retry: the run has not come to its end             retry.refuseUnfinished
//	retry: nothing was rejected                        retry.refuseNothing
//	retry: rows that count twice were loaded before    (*retry.Rejects).RefuseTwice
//	retry: rows in doubt have no timestamps left       retry.refuseRepeats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// refusedRun marks the reason why a run directory cannot be read. A folder that is no run directory
// is a matter of usage.
func refusedRun(dir string, err error) error {
	if !journal.HasManifest(dir) {
		return err
	}
	return run.Refused(err)
}

// refuseIfBegun marks what was no error of the run before.
func (d *runDirectory) refuseIfBegun(err error) error {
	if d.continued {
		return run.Refused(err)
	}
	return err
}

// refuse refuses to resume a scan if something that matters has changed, and loads the state of the
// earlier run.
func (s *Scan) refuse(ctx context.Context) (err error) {
	defer func() { err = run.Refused(err) }()
	m := s.journal.Manifest()
	if err := records.CheckColumns(m, s.t.Cluster.Name, s.t.Schema); err != nil {
		return err
	}
	if s.t.Plan.Serial != "" {
		return fmt.Errorf("the run cannot be resumed: %s", s.t.Plan.Serial)
	}
	if s.begunWith, err = records.ScanExtraOf(m); err != nil {
		return err
	}
	if err := s.t.RefuseDropped(ctx, s.begunWith.Dropped, scanFromStart); err != nil {
		return err
	}
	var begun bool
	if s.mark, begun = s.earlier.Output(); !begun {
		return errors.New(
			"journal: the run was stopped before its output was begun: run the command again",
		)
	}
	if s.t.Cluster.Partitioner != s.begunWith.Partitioner {
		return fmt.Errorf(
			"the run began with %s, and the cluster's partitioner is %s: it cannot be resumed",
			s.begunWith.Partitioner,
			s.t.Cluster.Partitioner,
		)
	}
	if err := s.beside().CheckOwn(s.isOwn); err != nil {
		return err
	}
	s.warnOfTruncation(ctx)
	if s.t.Files.Sum() != s.begunWith.Files {
		if err := s.t.Files.RefuseMissing(s.begunWith.Folders); err != nil {
			return err
		}
		s.env.Warn(
			"the SSTables are not those that the scan began with: they were compacted since, " +
				"or others came; the output keeps what the first ones had",
		)
	}
	return nil
}

// warnOfTruncation warns if the table was truncated after the scan began. This is no reason to
// refuse: the output has the rows that the table had when they were read.
func (s *Scan) warnOfTruncation(ctx context.Context) {
	s.truncated = s.t.Truncations(ctx)
	if s.earlier.Rows == 0 {
		return
	}
	s.t.WarnIfTruncated(ctx, s.env, s.begunWith.Truncated,
		"after the scan began: its output keeps rows from before, which are gone from the table")
}

// warnOfTruncationMeanwhile warns if the table was truncated while this run read it.
func (s *Scan) warnOfTruncationMeanwhile(ctx context.Context) {
	s.t.WarnIfTruncated(ctx, s.env, s.truncated,
		"while it was read: the output has only the rows that were read before, "+
			"and those that were written since"+
			table.ReadRepair(s.spec.Consistency))
}

// warnOfTruncationMeanwhile warns if the table was truncated while its rows were counted.
func (c *Count) warnOfTruncationMeanwhile(ctx context.Context, then records.Truncations) {
	c.t.WarnIfTruncated(ctx, c.env, then,
		"while it was counted: rows that were counted are gone"+table.ReadRepair(c.spec.Consistency))
}

// warnOfTruncationMeanwhile warns if the table was truncated while rows were loaded. Rows of
// SSTables that are kept in a folder were not in the table yet.
func (l *Load) warnOfTruncationMeanwhile(ctx context.Context, result load.Result) {
	if l.spec.DryRun || l.spec.Via == spec.ViaFiles || result.Written+result.Existing == 0 {
		return
	}
	l.t.WarnIfTruncated(ctx, l.env, l.truncated,
		"while rows were loaded: rows that were loaded before that are gone")
}

// refuse refuses to resume a load if something that matters has changed. The job
// compares the inputs that may still have changed.
func (l *Load) refuse(ctx context.Context) (err error) {
	defer func() { err = run.Refused(err) }()
	m := l.journal.Manifest()
	if err := records.CheckColumns(m, l.t.Cluster.Name, l.t.Schema); err != nil {
		return err
	}
	extra, err := records.ExtraOf(m)
	if err != nil {
		return err
	}
	if err := l.refuseKept(); err != nil {
		return err
	}
	if err := l.t.RefuseDropped(ctx, extra.Dropped, loadFromStart); err != nil {
		return err
	}
	if err := l.refuseTruncated(ctx, extra.Truncated); err != nil {
		return err
	}
	inputs, err := records.InputsOf(l.run.path, extra)
	if err != nil {
		return err
	}
	changed, replaced, err := l.journal.CheckInputs(l.env.Stores, inputs)
	if err != nil {
		return err
	}
	l.replacedInputs = replaced
	for i := range min(len(changed), len(l.job.Inputs)) {
		l.job.Inputs[i].Compare = changed[i]
	}
	return nil
}

// refuseTruncated refuses to resume after the rows that were loaded were truncated away.
func (l *Load) refuseTruncated(ctx context.Context, then records.Truncations) error {
	if tally := l.journal.Loaded().Tally; tally.Written+tally.Existing == 0 {
		return nil
	}
	found := l.t.TruncatedSince(ctx, then, l.env)
	if found == nil {
		return nil
	}
	return fmt.Errorf(
		"table %s was truncated at %s (node %s), after the run began: "+
			"rows that the run had loaded are gone, and it cannot be resumed; "+
			"run cqlbulk load again with the same inputs, in a run directory of its own",
		l.t.Schema,
		found.At,
		found.Node,
	)
}

// missingRejects refuses rejects that do not hold what the journal knows of; see
// [records.Load.Resume].
func (l *Load) missingRejects(s reject.State) error {
	return reject.Check(l.run.path, l.rejectsExt(), s)
}

// refuseRejects refuses to load the rejects of an earlier run into another table, and,
// where rows would count twice, those that were loaded before.
func (l *Load) refuseRejects(ctx context.Context) error {
	if l.retried == nil {
		return nil
	}
	first := l.retried.First()
	if err := records.CheckTable(first, l.t.Cluster.Name, l.t.Schema); err != nil {
		return run.Refused(err)
	}
	extra, err := records.ExtraOf(first)
	if err == nil {
		err = l.t.RefuseDropped(ctx, extra.Dropped, loadFromStart)
	}
	if err != nil {
		return run.Refused(err)
	}
	return l.retried.RefuseTwice(l.countsTwice)
}

// refuseEnded refuses to resume a load that has come to its end if it read the standard input. The
// rows of a pipe cannot be read again, and without them the journal would record the load as
// stopped.
func refuseEnded(dir string, inputs []string, end *records.End) error {
	switch {
	case end == nil || !slices.Contains(inputs, records.Standard):
		return nil
	case end.Outcome == records.Partly:
		return fmt.Errorf(
			"run %s has come to its end: try again what failed: cqlbulk retry %s",
			dir,
			setting.ShellQuote(dir),
		)
	case end.Outcome == records.Done:
		return fmt.Errorf("run %s has come to its end: nothing is left to load", dir)
	default:
		return nil
	}
}
