package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// pruneOptions are the flags of prune.
type pruneOptions struct {
	reportOptions
	OlderThan setting.Age
	DryRun    bool
}

// pruneAge is how old a run must be to be removed, if nothing else is said.
const pruneAge = setting.Age(30 * 24 * time.Hour)

func newPruneCommand(s streams) *cobra.Command {
	opts := &pruneOptions{OlderThan: pruneAge}
	c := &cobra.Command{
		Use:   "prune [FOLDER]",
		Short: "Remove what old runs have left that have nothing left to do",
		Long: `Remove what is left of runs that ended before --older-than and have nothing left to do.
These are loads in the history of a folder, by default this one, and run directories
whose rejected rows were all loaded by retry. Runs that can be resumed or retried stay,
and so do outputs of scans and their manifests.

Exit status:
  0  removed, or there was nothing to remove
  1  the folder cannot be read
  4  something could not be removed`,
		Example: `  cqlbulk prune --dry-run
  cqlbulk prune /var/lib/loads --older-than 7d`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("give one folder: cqlbulk prune [FOLDER]")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return prune(s, opts, folder)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	flagset.AddOwn(
		f,
		&opts.OlderThan,
		"older-than",
		"age of the runs to remove, as 12h or 7d (default: 30d)",
		flagset.Of(flagset.GroupInput),
		flagset.Once,
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&opts.DryRun,
		"dry-run",
		"only say what would be removed",
		flagset.Of(flagset.GroupInput),
		flagset.Once,
		flagset.Everyday,
	)
	opts.reportOptions.AddFlags(f)
	return c
}

func prune(s streams, o *pruneOptions, folder string) error {
	before := time.Now().Add(-time.Duration(o.OlderThan))
	pruned, err := status.Prune(folder, before, o.DryRun)
	s.end.document = report.OfPrune(folder, pruned, o.DryRun)
	for _, dir := range pruned.Left {
		s.warn("%s is no run any more; it stays, as it holds files that are not of the run", dir)
	}
	if err != nil && pruned.Past+len(pruned.Runs) > 0 {
		return fatal(err)
	}
	if err != nil || o.JSON || o.Quiet {
		return err
	}
	verb := "removed"
	if o.DryRun {
		verb = "would remove"
	}
	for _, dir := range pruned.Runs {
		s.note("%s %s", verb, dir)
	}
	_, err = fmt.Fprintf(
		s.text(),
		"%s %s and %s\n",
		verb,
		human.Of(pruned.Past, "load")+" of the history",
		human.Of(len(pruned.Runs), "run directory"),
	)
	return fatal(err)
}
