package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// loadRun is the run directory of a load.
type loadRun struct {
	dir     string
	rejects *reject.Dir
	journal *resume.Load // nil: none is kept
	again   bool         // the run goes on with an earlier one
	noted   bool         // an earlier run knows that this one loads its rejects
	touched []bool       // inputs that may have been changed since
	mended  []string     // inputs that were changed before anything of them was taken
}

// openRun makes the run directory, or goes on with that of an earlier run.
func (o *LoadOptions) openRun(f *pflag.FlagSet, in *target, inputs []source.Input) (*loadRun, error) {
	t := in.table
	r := &loadRun{dir: o.RunDir}
	if o.resumed != nil {
		if err := o.goOn(r, in); err != nil {
			return nil, fatal(err)
		}
		return r, nil
	}
	if r.dir == "" {
		r.dir = runName("load", t)
	}
	r.rejects = reject.New(r.dir, "."+o.Format)
	if o.NoJournal || o.DryRun {
		return r, nil
	}
	args := []string{t.String()}
	extra := resume.Extra{Cluster: in.cluster.Name, Boot: resume.Boot()}
	for _, in := range inputs {
		path := in.Name
		if in.Stdin() {
			path = resume.Standard
		}
		looked, err := resume.LookAt(path)
		if err != nil {
			return nil, err
		}
		extra.Inputs = append(extra.Inputs, looked)
		args = append(args, looked.Path)
	}
	options := record(f, args)
	options.Flags["format"] = []string{o.Format}
	m, err := newManifest("load", t, options, extra)
	if err != nil {
		return nil, err
	}
	if r.journal, err = resume.NewLoad(r.dir, m); err != nil {
		return nil, fatal(fmt.Errorf("%w; another folder can be named with --run-dir, --no-journal does without one", err))
	}
	return r, nil
}

// goOn checks that nothing that matters has changed since the earlier run.
func (o *LoadOptions) goOn(r *loadRun, t *target) error {
	r.journal, r.again = o.resumed, true
	m := r.journal.Manifest()
	if err := checkRun(m, t); err != nil {
		return err
	}
	extra, err := resume.ExtraOf(m)
	if err != nil {
		return err
	}
	if r.touched, r.mended, err = r.journal.CheckInputs(extra.Inputs); err != nil {
		return err
	}
	ext := "." + o.Format
	if err := r.journal.GoOn(func(s reject.State) error { return reject.Check(r.dir, ext, s) }); err != nil {
		return err
	}
	r.rejects, err = reject.Resume(r.dir, ext, r.journal.Loaded().Rejects)
	return err
}

// use has the job keep its books here.
func (r *loadRun) use(job *load.Job, careful bool) {
	job.Rejects = r.rejects
	for _, path := range r.mended {
		job.Warn("input %s was changed since the run began: nothing of it had been loaded, and it is loaded as it is now", path)
	}
	for i := range min(len(r.touched), len(job.Inputs)) {
		job.Inputs[i].Compare = r.touched[i]
	}
	if r.journal != nil {
		r.journal.Use(r.rejects, careful)
		job.Journal = r.journal
	}
}

// syncTime is how much of a run a power failure may undo.
const syncTime = time.Second

// keep has what is noted on the disk again and again, until stop is called.
func (r *loadRun) keep() (stop func()) {
	if r.journal == nil {
		return func() {}
	}
	return r.journal.SyncEvery(syncTime)
}

// close ends the run directory. It goes when it has nothing to tell.
func (r *loadRun) close(ctx context.Context, result load.Result, runErr error) error {
	err := r.rejects.Close()
	if r.journal == nil {
		return err
	}
	if err != nil {
		return errors.Join(err, r.journal.Abandon())
	}
	end := resume.End{Outcome: resume.Done}
	switch {
	case runErr != nil && exitCode(ctx, runErr) == exitInterrupted:
		end.Outcome = resume.Interrupted
	case runErr != nil:
		end = resume.End{Outcome: resume.Failed, Error: runErr.Error()}
	case result.Rejected()+result.InDoubt > 0:
		end.Outcome = resume.Partly
	}
	err = r.journal.Close(end)
	if end.Outcome == resume.Done || runErr != nil && r.idle(result) {
		err = errors.Join(err, resume.Discard(r.dir))
	}
	return err
}

// idle says whether nothing was done that a run begun anew would not do as well. One
// that goes on keeps its directory, which somebody knows of.
func (r *loadRun) idle(result load.Result) bool {
	return !r.again && !r.noted && result.Written+result.Existing+result.Rejected()+result.InDoubt == 0
}

// tell says how to go on from here.
func (r *loadRun) tell(s streams, result load.Result, runErr error) {
	switch {
	case runErr != nil && r.journal != nil && r.idle(result):
	case runErr != nil && r.journal != nil:
		s.warn("what is done is noted; go on with: cqlbulk resume %s", shellQuote(r.dir))
		if result.InDoubt > 0 {
			s.warn("rows in doubt are best looked at when the load has come to its end: until then there may be others, and fewer")
		}
		var limit *load.LimitError
		switch {
		case !errors.As(runErr, &limit):
		case limit.Hopeless:
			s.warn("nearly every row is rejected, most for one cause: %s; --keep-going goes on all the same", r.commonest())
		default:
			s.warn("give it a higher --max%serrors; rejected rows are best mended when the load has come to its end", limit.Stage)
		}
	case result.Rejected() > 0 && r.journal != nil:
		s.warn("they load again, mended or as they are, with: cqlbulk retry %s", shellQuote(r.dir))
	case result.InDoubt > 0 && r.journal != nil:
		s.warn("rows in doubt are written again, so that of counters those count twice that were applied, with: cqlbulk retry --repeat-in-doubt %s", shellQuote(r.dir))
	}
}

// commonest is the reason for which most rows were rejected.
func (r *loadRun) commonest() string {
	causes := r.rejects.Causes()
	if len(causes) == 0 {
		return "unknown"
	}
	first := causes[0].First
	if first.Column == "" {
		return first.Reason
	}
	return fmt.Sprintf("column %q, %s", first.Column, first.Reason)
}
