package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// statusOptions are the flags of status.
type statusOptions struct {
	reportOptions
	All, Watch bool
}

func newStatusCommand(s streams) *cobra.Command {
	opts := &statusOptions{}
	which := &chosenRun{}
	c := &cobra.Command{
		Use:   "status [RUN_DIR | FOLDER]",
		Short: "Show what scans and loads have done, while they run or after",
		Long: `Show the runs in a folder, by default this one, the newest first. Each has its state, how
much of it is done, and how fast it is. It has the time left, or how long ago it was. Of
a run directory, show what its scan or load has done, what failed and what is left.
Nothing is changed, and no cluster is asked.

All runs with something left to do are listed, and of the others the newest ten; --all
lists all. A scan that is done is known by the manifest of its output. A load that is done is
known by the history, a file beside its run directory; cqlbulk prune drops old ones.
Only run directories and outputs are read.

Exit status:
  0  shown
  1  there is no run, or its journal cannot be read`,
		Example: `  cqlbulk status
  cqlbulk status --last
  cqlbulk status --watch`,
		Args:              which.takeOrNone,
		ValidArgsFunction: completeRunDir,
		RunE: func(c *cobra.Command, args []string) error {
			folder := cmp.Or(append(args, which.dir, ".")...)
			if !opts.Watch {
				return showRuns(s, opts, folder, printer.Width(s.out))
			}
			if opts.JSON {
				return errors.New("--watch and --json: take one of them")
			}
			return watch(
				c.Context(),
				s,
				func(s streams, width int) error { return showRuns(s, opts, folder, width) },
			)
		},
	}
	c.Flags().SortFlags = false
	which.addFlag(c.Flags(), "the newest run of this folder")
	flagset.AddOwn(
		c.Flags(),
		&opts.All,
		"all",
		"list all runs that are complete, and not the newest ten alone",
		flagset.Of(flagset.GroupShown),
		flagset.Letter("a"),
		flagset.Once,
		flagset.Everyday,
	)
	flagset.AddOwn(
		c.Flags(),
		&opts.Watch,
		"watch",
		"show it again every second, until Ctrl-C",
		flagset.Of(flagset.GroupShown),
		flagset.Letter("w"),
		flagset.Once,
		flagset.Everyday,
	)
	opts.AddFlags(c.Flags())
	return c
}

// completeShown is how many runs are listed that have nothing left to do, unless all are asked for.
const completeShown = 10

// showRuns shows the runs of a folder; or the one whose run directory it is. width is that of the
// terminal; 0: there is none.
func showRuns(s streams, o *statusOptions, folder string, width int) error {
	if status.IsRun(folder) {
		return showStatus(s, o, folder)
	}
	runs, err := status.List(folder)
	if err != nil {
		return err
	}
	hidden := 0
	if !o.All {
		runs, hidden = status.Recent(runs, completeShown)
	}
	if s.end.document = report.OfRuns(folder, runs, hidden); o.JSON {
		return nil
	}
	err = runview.WriteTable(s.text(), s.end.document.Runs.List, width, time.Now())
	if err == nil && hidden > 0 {
		_, err = fmt.Fprintf(
			s.text(),
			"%-8s  %s that %s complete: --all lists them\n",
			"older",
			human.Of(hidden, "run"),
			human.Verb(hidden, "is", "are"),
		)
	}
	return fatal(err)
}

func showStatus(s streams, o *statusOptions, dir string) error {
	r, err := status.Read(dir)
	if err != nil {
		return err
	}
	s.warnWriter(dir)
	if s.end.document = report.OfStatus(r); o.JSON {
		return nil
	}
	w := tabwriter.NewWriter(s.text(), 11, 0, 1, ' ', 0)
	runview.WriteFact(
		w,
		"run",
		"%s of %s, begun %s by %s",
		r.Command,
		r.Table,
		r.Started.Format(time.RFC3339),
		r.Tool,
	)
	if where := runview.ClusterText(r.Target.Cluster, r.Target.Hosts, len(r.Target.Hosts)); where != "" {
		runview.WriteFact(w, "cluster", "%s", where)
	}
	if r.Load != nil {
		runview.WriteLoad(w, r.Load)
	} else if r.End != nil {
		for _, f := range r.End.Failed {
			runview.WriteFact(w, "failed", "%s: %s", f.Range, f.Reason)
		}
	}
	if err := w.Flush(); err != nil {
		return fatal(err)
	}
	var lines strings.Builder
	for _, line := range s.end.document.Status.Lines() {
		lines.WriteString(safetext.Line(line) + "\n")
	}
	_, err = io.WriteString(s.out, lines.String())
	return fatal(err)
}
