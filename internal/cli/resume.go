package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// resumeOptions are the flags of resume: the settings that may differ from the first run's. They
// say how to read the text of a load, how to connect to the cluster and how many requests it gets.
type resumeOptions struct {
	showOptions
	chosenRun
}

func (o *resumeOptions) AddFlags(f *pflag.FlagSet) {
	// What is set here is handed on by its name, to the one or the other.
	load, scan := spec.NewLoad(), spec.NewScan()
	l, s := flagset.Binder{Flags: f, Settings: load.Settings()}, flagset.Binder{Flags: f, Settings: scan.Settings()}
	addColumnFlags(l.In(flagset.GroupColumns), "load: ")
	addValueFlags(l, "load: ")
	l.In(flagset.GroupPace).Add("ingestrate", "load: rows per second, at most", flagset.Everyday)
	l.In(flagset.GroupPace).Add("inflight", "load: requests under way, at most")
	l.In(flagset.GroupPace).Add("target-p99", targetP99Help)
	l.In(flagset.GroupErrors).Add("maxparseerrors", "load: "+maxParseErrorsHelp+withEarlier+unlimited)
	l.In(flagset.GroupErrors).Add("maxinserterrors", "load: "+maxInsertErrorsHelp+withEarlier+unlimited)
	l.In(flagset.GroupErrors).Add("keep-going", "load: "+keepGoingHelp, flagset.Everyday)
	l.In(flagset.GroupWrites).
		Add("repeat-in-doubt", "load: write rows again that may have been written; of counters, which counts those twice that were, and of lists that are not frozen", flagset.Everyday)
	addStreamFlags(l.In(flagset.GroupPast), "load, ")
	s.In(flagset.GroupPace).Add("rate", "scan: rows per second, at most", flagset.Everyday)
	s.In(flagset.GroupPace).Add("max-bytes-per-sec", "bytes per second, at most")
	s.In(flagset.GroupPace).Add("memory", "memory to use, at most")
	s.In(flagset.GroupErrors).Add("maxattempts", "attempts for a request")
	s.In(flagset.GroupErrors).Add("patience", patienceHelp)
	scan.Consistency = ""
	addConnectionFlags(s, "by default that of the run")
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
}

// withEarlier says what a limit on errors counts.
const withEarlier = ", with resume those of the earlier run among them"

func newResumeCommand(s streams) *cobra.Command {
	opts, keepLoaded := &resumeOptions{}, false
	c := &cobra.Command{
		Use:   "resume RUN_DIR | --last",
		Short: "Resume a scan or load that was stopped",
		Long: `Resume a scan or a load that was interrupted, killed, or could not continue. Its run
directory has the options that it was begun with. --last is the newest run of this
folder that was stopped.

A scan's output then holds every row once. A load writes every row. Rows that were under
way when it stopped are written again with the same timestamps. Counters, and lists that
are not frozen, would count twice. Such rows go to in-doubt.csv in the run directory
unless --repeat-in-doubt is given.

As long as no row is loaded, you may change how the text of a load is read. That is what
null looks like, the formats of values, and which column a field goes to. Once rows are loaded,
such a change is refused, and the error names the command that reads all rows so. With
--keep-loaded only the rest of the inputs is read so. Rows that are loaded stay as they
were read, and rows that were under way are written as they may have been before. The
change is kept in the run directory.

The run is not resumed if the table was created again, or if a column was dropped and
added again. Nor is it if columns, an input, an output or a file of rejects have changed
since. The cluster may have other nodes, because the journal has only tokens and bytes.
` + help.ExitStatus,
		Example:           `  cqlbulk resume cqlbulk-load-demo.flights-20260102T150405Z-4711`,
		Args:              opts.take,
		ValidArgsFunction: completeRunDir,
		RunE: func(c *cobra.Command, _ []string) error {
			opts.noteFound(s, &opts.showOptions, "was stopped")
			return runResume(
				c.Context(),
				s,
				opts.showOptions,
				spec.Resume{RunDir: opts.dir, Changes: flagset.Changes(c.Flags()), KeepLoaded: keepLoaded},
			)
		},
	}
	c.Flags().SortFlags = false
	opts.addFlag(c.Flags(), "the newest run of this folder that was stopped")
	flagset.AddOwn(
		c.Flags(),
		&keepLoaded,
		"keep-loaded",
		"load: change how the rest of the inputs is read, though rows are loaded; those stay as they were read",
		flagset.Of(flagset.GroupValues),
		flagset.Once,
	)
	opts.AddFlags(c.Flags())
	return c
}

func runResume(ctx context.Context, s streams, show showOptions, settings spec.Resume) error {
	s, err := s.withPage(show, "resume")
	if err != nil {
		return err
	}
	run, err := operation.PrepareResume(ctx, show.environment(s), settings)
	switch {
	case err != nil:
		return err
	case run.Scan != nil:
		return finishScan(ctx, s, show, run.Scan)
	default:
		s.printRereading(run.Load.Rereading())
		return finishLoad(ctx, s, show, run.Load)
	}
}
