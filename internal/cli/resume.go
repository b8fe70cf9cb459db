package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// againOptions are the settings that may differ when a run goes on: how the cluster
// is reached and how much is asked of it. All others are those of the first run.
type againOptions struct {
	connectOptions
	IngestRate      float64
	MaxBytesPerSec  size
	InFlight        int
	MaxAttempts     int
	Patience        time.Duration
	MaxParseErrors  int64
	MaxInsertErrors int64
	KeepGoing       bool
	Rate            float64
	RepeatInDoubt   bool
}

func (o *againOptions) AddFlags(f *pflag.FlagSet) {
	f.Float64Var(&o.IngestRate, "ingestrate", 0, "load: rows a second at the most")
	f.IntVar(&o.InFlight, "inflight", 0, "load: requests under way at the most")
	f.Int64Var(&o.MaxParseErrors, "maxparseerrors", -1, "load: rows that may fail to parse before the load stops, with resume those of the earlier run among them (-1: no limit)")
	f.Int64Var(&o.MaxInsertErrors, "maxinserterrors", -1, "load: rows that the cluster may refuse before the load stops, with resume those of the earlier run among them (-1: no limit)")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "load: "+keepGoingHelp)
	f.BoolVar(&o.RepeatInDoubt, "repeat-in-doubt", false, "load: write rows again that may have been written: of counters, which counts those twice that were, and of lists that are not frozen")
	f.Float64Var(&o.Rate, "rate", 0, "scan: rows a second at the most")
	f.Var(&o.MaxBytesPerSec, "max-bytes-per-sec", "bytes a second at the most")
	f.IntVar(&o.MaxAttempts, "maxattempts", pace.DefaultAttempts, "attempts for a request")
	addPatience(f, &o.Patience)
	o.connectOptions.AddFlags(f, "", "by default that of the run")
}

func newResumeCommand(s streams) *cobra.Command {
	opts := &againOptions{}
	c := &cobra.Command{
		Use:   "resume RUN_DIR",
		Short: "Go on with a scan or load that was stopped",
		Long: `Go on with a scan or a load that was interrupted, killed, or could not go on, from
its run directory, with the options that it was begun with.

A scan's output then holds every row once. A load writes every row: of what was
being written when it was stopped, rows are written again with the timestamps they
had; counters, and lists that are not frozen, would count twice, so such rows go to
in-doubt.csv in the run directory unless --repeat-in-doubt is given.

The run does not go on when the table was created anew, or its columns, an input, an
output or a file of rejects were changed since. The cluster may have other nodes: what
is noted are tokens and bytes.
` + exitHelp,
		Example: `  cqlbulk resume cqlbulk-load-demo.flights-20260102T150405Z-4711`,
		Args:    oneRunDir,
		RunE:    func(c *cobra.Command, args []string) error { return runResume(c, s, args[0]) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

// commandOf is the command of the run that a command goes on with; empty when it goes on
// with none, or that is not to be known.
func commandOf(c *cobra.Command, args []string) string {
	if len(args) != 1 || c.Name() != "resume" && c.Name() != "retry" {
		return ""
	}
	m, err := journal.ReadManifest(args[0])
	if err != nil {
		return ""
	}
	return m.Command
}

// oneRunDir wants one argument.
func oneRunDir(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one run directory: cqlbulk %s RUN_DIR", c.Name())
	}
	return nil
}

func runResume(c *cobra.Command, s streams, dir string) error {
	m, err := journal.ReadManifest(dir)
	if err != nil {
		if !journal.HasManifest(dir) {
			return err // it is not the name of a run
		}
		return fatal(err)
	}
	command, err := againCommand(s, m)
	if err != nil {
		return err
	}
	return command.run(c, m, dir)
}

// again is a command that goes on with a run.
type again struct {
	cobra *cobra.Command
	// begin has the journal ready before the command runs, and gives what to do
	// when it never came to use it.
	begin func(dir string, m journal.Manifest) (abandon func(), err error)
}

// againCommand makes the command that a run is of.
func againCommand(s streams, m journal.Manifest) (*again, error) {
	switch m.Command {
	case "load":
		o := &LoadOptions{}
		return &again{cobra: loadCommand(s, o), begin: o.resume}, nil
	case "scan":
		o := &ScanOptions{}
		return &again{cobra: scanCommand(s, o), begin: o.resume}, nil
	default:
		return nil, fmt.Errorf("run.json: a run of %q is none that can go on", m.Command)
	}
}

// run runs the command with the flags of the earlier run, but for those set now.
func (a *again) run(c *cobra.Command, m journal.Manifest, dir string) error {
	options, err := recordedIn(m)
	if err != nil {
		return err
	}
	if err := options.apply(a.cobra.Flags()); err != nil {
		return err
	}
	if err := override(a.cobra.Flags(), c.Flags(), options.anew); err != nil {
		return err
	}
	abandon, err := a.begin(dir, m)
	if err != nil {
		return fatal(err)
	}
	defer abandon()
	a.cobra.SetContext(c.Context())
	return a.cobra.RunE(a.cobra, options.Args)
}

// override sets the flags of to that to has and that are set in from, as set tells. That
// a flag was typed is passed on.
func override(to, from *pflag.FlagSet, set func(*pflag.Flag) bool) error {
	var failures []error
	from.VisitAll(func(f *pflag.Flag) {
		flag := to.Lookup(f.Name)
		if flag == nil || !set(f) {
			return
		}
		if slice, ok := f.Value.(pflag.SliceValue); ok {
			failures = append(failures, flag.Value.(pflag.SliceValue).Replace(slice.GetSlice()))
		} else {
			failures = append(failures, flag.Value.Set(f.Value.String()))
		}
		flag.Changed = flag.Changed || f.Changed
	})
	return errors.Join(failures...)
}

// resume opens the journal of an earlier run.
func (o *LoadOptions) resume(dir string, _ journal.Manifest) (abandon func(), err error) {
	if o.resumed, err = resume.OpenLoad(dir); err != nil {
		return nil, err
	}
	o.RunDir = dir
	return func() { _ = o.resumed.Abandon() }, nil
}
