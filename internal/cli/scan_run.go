package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// scanRun is the run directory of a scan: without a journal, nothing.
type scanRun struct {
	dir     string
	plan    resume.ScanExtra // that the first run was begun with
	journal *resume.Scan     // nil: none is kept
	earlier *resume.Scanned
	again   bool // the run goes on with an earlier one
}

// journaled says whether a scan can be gone on with: it needs an output that can be
// cut off, and ranges that can be named.
func (o *ScanOptions) journaled(t *target) bool {
	return !o.NoJournal && o.path() != "" && o.Limit < 0 && t.plan.Serial == "" && t.plan.Partitioner() != nil
}

// openRun opens the output and makes its run directory, or goes on with those of an
// earlier run.
func (o *ScanOptions) openRun(f *pflag.FlagSet, s streams, t *target, header []byte) (*scanRun, *sink.Output, error) {
	r := &scanRun{dir: o.RunDir, earlier: &resume.Scanned{}, plan: resume.ScanExtra{
		Cluster: t.cluster.Name, Partitioner: t.cluster.Partitioner, Seed: t.plan.Seed, PlanHash: t.plan.Hash(), Splits: len(t.plan.Splits),
	}}
	if o.resumed != nil {
		r, out, err := o.goOn(r, t, header)
		if err != nil {
			err = fatal(err)
		}
		return r, out, err
	}
	if err := o.freeManifest(); err != nil {
		return nil, nil, err
	}
	out, err := sink.Open(o.sinkOptions(s.out, header))
	if err != nil || !o.journaled(t) {
		return r, out, err
	}
	if err := o.begin(r, f, t, out); err != nil {
		err = fatal(fmt.Errorf("%w; another folder can be named with --run-dir, --no-journal does without one", err))
		return nil, nil, errors.Join(err, o.takeBack(out))
	}
	return r, out, nil
}

// takeBack removes an output that was never begun.
func (o *ScanOptions) takeBack(out *sink.Output) error {
	err := out.Abort()
	for _, part := range out.Parts() {
		err = errors.Join(err, os.Remove(part))
	}
	return err
}

// begin makes the run directory, beside the output where no other is named.
func (o *ScanOptions) begin(r *scanRun, f *pflag.FlagSet, t *target, out *sink.Output) error {
	path, err := filepath.Abs(o.path())
	if err != nil {
		return err
	}
	if r.dir == "" {
		r.dir = filepath.Join(filepath.Dir(path), runName("scan", t.table))
	}
	options := record(f, []string{t.table.String()})
	for name, value := range map[string]string{"output": o.Output, "dir": o.Dir} {
		if value != "" {
			options.Flags[name] = []string{path}
		}
	}
	options.Flags["format"] = []string{o.Format}
	options.Flags["compression"] = []string{cmp.Or(o.Compression, "none")}
	m, err := newManifest("scan", t.table, options, r.plan)
	if err != nil {
		return err
	}
	var ranges []token.Range
	for _, s := range t.plan.Splits {
		ranges = append(ranges, s.Range)
	}
	if r.journal, err = resume.NewScan(r.dir, m, ranges); err != nil {
		return err
	}
	if err := r.journal.Begin(out); err != nil {
		return errors.Join(err, r.journal.Abandon(), resume.Discard(r.dir))
	}
	return nil
}

// goOn checks that nothing that matters has changed since the earlier run.
func (o *ScanOptions) goOn(r *scanRun, t *target, header []byte) (*scanRun, *sink.Output, error) {
	r.journal, r.again = o.resumed, true
	r.earlier = r.journal.Scanned()
	if err := checkRun(r.journal.Manifest(), t); err != nil {
		return nil, nil, err
	}
	if t.plan.Serial != "" {
		return nil, nil, fmt.Errorf("the run cannot go on: %s", t.plan.Serial)
	}
	var err error
	if r.plan, err = resume.ScanExtraOf(r.journal.Manifest()); err != nil {
		return nil, nil, err
	}
	mark, err := r.earlier.Output()
	if err != nil {
		return nil, nil, err
	}
	if t.cluster.Partitioner != r.plan.Partitioner {
		return nil, nil, fmt.Errorf("the run began with %s, and the cluster's partitioner is %s: it cannot go on", r.plan.Partitioner, t.cluster.Partitioner)
	}
	if err := o.ownManifest(r); err != nil {
		return nil, nil, err
	}
	options := o.sinkOptions(nil, header)
	options.Verify = true
	out, err := sink.Resume(options, mark)
	if err != nil {
		return nil, nil, err
	}
	return r, out, r.journal.GoOn()
}

// use has the scan take down what its output holds.
func (r *scanRun) use(job *scan.Job, out *sink.Output) {
	if r.journal == nil {
		return
	}
	job.Mark, job.MarkEvery = r.journal.Mark(out), resume.MarkTime
	job.Counters.Rows.Add(r.earlier.Rows)
	job.Counters.Earlier.Add(r.earlier.Rows)
	job.Counters.Bytes.Add(r.earlier.TextBytes)
	for _, done := range r.earlier.Done {
		work := sweep.Work(done, job.Partitioner)
		job.Counters.Done.Add(work)
		job.Counters.Before.Add(work)
	}
}

// commit gives the output its name, once ready has made way for it.
func (r *scanRun) commit(out *sink.Output, result scan.Result, ready func() error) error {
	if r.journal != nil {
		if err := r.journal.Commit(out, result.Done); err != nil {
			return err
		}
	}
	if err := out.Ready(); err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	return out.Commit()
}

// close ends the run directory. It goes when the output is whole.
func (r *scanRun) close(ctx context.Context, s streams, failed []sweep.Failure, runErr error) {
	if r.journal == nil {
		return
	}
	end := resume.End{Outcome: resume.Done}
	switch {
	case runErr == nil:
	case exitCode(ctx, runErr) == exitInterrupted:
		end.Outcome = resume.Interrupted
	case exitCode(ctx, runErr) == exitPartly:
		end.Outcome = resume.Partly
	default:
		end = resume.End{Outcome: resume.Failed, Error: runErr.Error()}
	}
	for _, f := range failed {
		end.Failed = append(end.Failed, r.journal.Range(f.Range, f.Err))
	}
	err := r.journal.Close(end)
	switch {
	case runErr == nil:
		err = errors.Join(err, resume.Discard(r.dir))
	case end.Outcome == resume.Partly:
		s.warn("the output gets its name when all is read; read what failed with: cqlbulk retry %s", shellQuote(r.dir))
	default:
		s.warn("what is done is noted; go on with: cqlbulk resume %s", shellQuote(r.dir))
	}
	if err != nil {
		s.warn("%v", err)
	}
}

// done is how many ranges were read, of as many as the first run had planned.
func (r *scanRun) done(result scan.Result) int {
	if r.journal != nil && len(result.Failed) == 0 {
		return r.plan.Splits
	}
	return len(result.Done)
}

// begun is when the first run began.
func (r *scanRun) begun(this time.Time) time.Time {
	if r.journal != nil {
		return r.journal.Manifest().Started
	}
	return this
}

// idle says whether nothing was read that a run begun anew would not read as well. One
// that goes on keeps its directory, which somebody knows of.
func (r *scanRun) idle(result scan.Result) bool {
	return !r.again && result.Rows == 0 && len(result.Done) == 0 && len(result.Failed) == 0
}

// discard removes the run directory of a run that did nothing.
func (r *scanRun) discard() error {
	if r.journal == nil {
		return nil
	}
	return errors.Join(r.journal.Abandon(), resume.Discard(r.dir))
}

// account is a result with what earlier runs did.
func (r *scanRun) account(result scan.Result) scan.Result {
	result.Rows += r.earlier.Rows
	result.Sum = result.Sum.Add(r.earlier.Sum)
	return result
}

// resume opens the journal of an earlier run.
func (o *ScanOptions) resume(dir string, m journal.Manifest) (abandon func(), err error) {
	if o.resumed, err = resume.OpenScan(dir, m); err != nil {
		return nil, err
	}
	o.RunDir = dir
	return func() { _ = o.resumed.Abandon() }, nil
}
