package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Run loads. That rows were rejected, or are in doubt, is no error.
func (l *Load) Run(ctx context.Context) (LoadReport, error) {
	r := l.newReport()
	if err := l.begin(); err != nil {
		r.Outcome = run.OutcomeOf(ctx, err, false)
		return r, err
	}
	err := l.runJob(ctx, &r)
	r.Explained = l.explained
	r.Outcome = run.OutcomeOf(ctx, err, r.Rejected()+r.InDoubt > 0)
	idle := l.idle(r.Result)
	r.StartOver = idle && r.Outcome == run.Interrupted && !r.DryRun
	l.advise(ctx, &r, err)
	if closeErr := l.closeRun(r.Outcome, err, idle); closeErr != nil {
		err = errors.Join(err, closeErr)
		r.Outcome = run.OutcomeOf(ctx, err, false)
	}
	l.reportSSTables(ctx, &r, err)
	l.reportRows(&r)
	if l.journal != nil && r.Outcome != run.Done && !(err != nil && idle) && !l.run.lost() {
		r.RunDir = l.run.path
		if !errors.As(err, new(*run.RefusedError)) {
			r.Next = l.next(&r, err)
		}
	}
	if l.journal != nil && r.Outcome == run.Done && len(r.Rejects.NotApplied) > 0 {
		r.RunDir = l.run.path // which stays
	}
	if r.Outcome == run.Done && r.Files != nil &&
		slices.ContainsFunc(r.Files.Imports, func(i Imported) bool { return i.Err != nil }) {
		r.Outcome = run.Partly
	}
	if noteErr := l.remember(&r); noteErr != nil {
		l.env.Warn("the load is done, but is not recorded in the history: %v", noteErr)
	}
	return r, l.runError(err, &r)
}

// runJob runs the job, while the progress of the run is recorded and shown.
func (l *Load) runJob(ctx context.Context, r *LoadReport) (err error) {
	l.run.show(l.board)
	l.showRejects()
	if l.spec.Via == spec.ViaCQL && !l.spec.DryRun {
		var stopProbes func()
		l.job.CQL.Keeper, stopProbes = keepTarget(ctx, l.t, l.env, l.spec.TargetP99, l.counters)
		defer stopProbes()
	}
	defer l.lookFar(ctx)()
	stopSync, stopNotes := l.syncEvery(), l.noteStreams()
	stopPace := l.run.notePace(l.counters, l.env.Warn)
	r.Result, err = l.job.Run(ctx)
	r.end(l.job.Counters, l.t)
	stopPace()
	stopNotes()
	stopSync()
	if err == nil {
		err = l.droppedMeanwhile(ctx)
		l.warnOfTruncationMeanwhile(ctx, r.Result)
		l.warnOfChangedInputs()
	} else if l.spec.Via == spec.ViaCQL && l.gone(ctx) {
		err = run.Refused(fmt.Errorf("the table was dropped meanwhile (%w)", err))
	}
	return err
}

// recordInputs records the inputs and the table of a load that keeps a journal.
func (l *Load) recordInputs(ctx context.Context, inputs []source.Input) error {
	if !l.spec.Journaled() {
		return nil
	}
	list, err := records.LookAtAll(l.env.Stores, len(inputs), func(i int) string {
		if inputs[i].Stdin() {
			return records.Standard
		}
		return inputs[i].Name
	})
	if err != nil {
		return err
	}
	l.inputs, l.piped = list, list.Standard()
	return nil
}

// begin creates the run directory, or resumes that of an earlier run. The job keeps its journal and
// rejects there.
func (l *Load) begin() (err error) {
	if l.run.continued {
		if err = l.journal.Resume(l.missingRejects); err == nil {
			l.rejects, err = reject.Resume(l.run.path, l.rejectsExt(), l.journal.Loaded().Rejects)
		}
		if err == nil && len(l.reread.Note) > 0 {
			err = l.journal.Reread(l.reread.Note)
		}
	} else {
		err = l.makeRun()
	}
	if err != nil {
		return err
	}
	rejects := l.check.Watch(l.rejects)
	l.job.Rejects = rejects
	for _, path := range l.replacedInputs {
		l.env.Warn(
			"input %s was changed since the run began. "+
				"Nothing of it had been loaded, and it is loaded as it is now",
			path,
		)
	}
	if l.journal != nil {
		l.journal.Use(rejects, l.countsTwice)
		l.job.Journal = l.journal
		l.job.CQL.SpillDir = l.run.path
	}
	if l.retried != nil {
		l.job.Journal = l.retried.Journal(l.journal, l.run.path)
	}
	if l.delivery != nil {
		return l.startStream()
	}
	return nil
}

// makeRun makes the run directory.
func (l *Load) makeRun() error {
	l.run.path = l.spec.RunDir
	if l.run.path == "" && l.spec.DryRun {
		l.rejects = reject.NewUnkept()
		return nil
	}
	if l.run.path == "" {
		l.run.path = runName(run.CommandLoad, l.t.Schema)
	}
	l.rejects = reject.New(l.run.path, l.rejectsExt())
	if !l.spec.Journaled() {
		return nil
	}
	options := recorded.Spec{
		Flags: l.spec.Settings().Record(spec.NewLoad().Settings(), l.spec.Given),
		Args:  []string{l.Table()},
	}
	options.Flags["format"] = []string{l.spec.Format}
	if !l.inputs.Many() {
		options.Args = append(options.Args, l.inputs.Paths()...)
	}
	if l.inputs.Len() > advice.MaxInputs && len(l.words) <= advice.MaxInputs {
		options.Named = absolute(l.words)
	}
	extra := records.Extra{
		Cluster:     l.t.Cluster.Name,
		Boot:        records.Boot(),
		Truncated:   l.truncated,
		Dropped:     l.dropped,
		CountsTwice: l.countsTwice,
	}
	files := l.inputs.Keep(&extra)
	m, err := recorded.NewManifest(l.env, run.CommandLoad, l.t.Schema, options, extra)
	if err != nil {
		return err
	}
	journal, err := records.NewLoad(l.run.path, m, files...)
	if err != nil {
		return newRunError(err)
	}
	l.inputs = nil // it is kept
	l.journal, l.run.journal = journal, journal
	return nil
}

// absolute returns the names of inputs, with their folders.
func absolute(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if path, err := stores.Abs(name); err == nil && name != records.Standard {
			out[i] = path
		}
	}
	return out
}

// rejectsExt is how the names of files of rejects end.
func (l *Load) rejectsExt() string { return "." + l.spec.Format }

// warnOfChangedInputs warns of inputs that were added or changed while the load ran. A retry does
// not warn: its inputs are rejects.
func (l *Load) warnOfChangedInputs() {
	if l.retried != nil {
		return
	}
	words := l.spec.Named
	if len(words) == 0 {
		words = l.words
	}
	sizes := make(map[string]int64, len(l.job.Inputs))
	for _, input := range l.job.Inputs {
		sizes[input.Name] = input.Size
	}
	for _, note := range finder(l.env).Changes(words, sizes) {
		l.env.Warn("%s", note)
	}
}

// syncTime is how much of a run a power failure may undo.
const syncTime = time.Second

// syncEvery has what is noted on the disk again and again, until stop is called.
func (l *Load) syncEvery() (stop func()) {
	if l.journal == nil {
		return func() {}
	}
	return l.journal.SyncEvery(syncTime)
}

// closeRun closes the run directory. It is removed if it has nothing that a later command needs.
func (l *Load) closeRun(outcome run.Outcome, runErr error, idle bool) error {
	if err := l.rejects.Close(); err != nil {
		l.run.abandon()
		return err
	}
	if l.retried != nil && l.journal != nil && outcome == run.Done {
		// before its run directory is removed, which would take the record along
		if err := l.retried.RecordDone(l.journal, l.run.path); err != nil {
			l.run.abandon()
			return err
		}
	}
	done := outcome == run.Done && !l.rejects.Used() // it has no rows that were not applied
	return l.run.end(outcome, runErr, nil, done || runErr != nil && idle)
}

// idle reports whether the run did nothing that a new run would not do as well.
func (l *Load) idle(result load.Result) bool {
	if l.delivery != nil && l.job.Stream.Begun() {
		return false // nodes may have some of the rows
	}
	if l.retried != nil && l.retried.Recorded {
		return false // the run directory of another run names this one
	}
	return l.run.isIdle(result.Written+result.Existing+result.Rejected()+result.InDoubt == 0)
}
