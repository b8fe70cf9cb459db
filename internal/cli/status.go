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
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
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
much of it is done, how fast it is, and how long it still takes or how long ago it was. Of
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
	err = writeRuns(s.text(), s.end.document.Runs.List, width, time.Now())
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
	s.tellWriter(dir)
	if s.end.document = report.OfStatus(r); o.JSON {
		return nil
	}
	w := tabwriter.NewWriter(s.text(), 11, 0, 1, ' ', 0)
	writeFact(
		w,
		"run",
		"%s of %s, begun %s by %s",
		r.Command,
		r.Table,
		r.Started.Format(time.RFC3339),
		r.Tool,
	)
	if where := clusterText(r.Target.Cluster, r.Target.Hosts, len(r.Target.Hosts)); where != "" {
		writeFact(w, "cluster", "%s", where)
	}
	if r.Load != nil {
		showLoad(w, r.Load)
	} else if r.End != nil {
		for _, f := range r.End.Failed {
			writeFact(w, "failed", "%s: %s", f.Range, f.Reason)
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

// writeFact writes a line of a table: a name, and what there is to say, which stays in the line.
func writeFact(w io.Writer, name, format string, args ...any) {
	fmt.Fprintf(w, "%s\t%s\n", name, safetext.Line(fmt.Sprintf(format, args...)))
}

// clusterText names a cluster and its contact points, most of them at most; empty: nothing is
// known.
func clusterText(name string, hosts []string, most int) string {
	shown := strings.Join(hosts[:min(most, len(hosts))], ", ")
	if more := len(hosts) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case name != "" && shown != "":
		return fmt.Sprintf("%s (%s)", name, shown)
	default:
		return name + shown
	}
}

// begunShown is how many pieces under way are listed.
const begunShown = 20

// showLoad shows what there is to know of a load besides how far it is.
func showLoad(w io.Writer, l *status.Load) {
	known := ""
	if l.Piped {
		known = ", and what comes by pipes"
	}
	writeFact(w, "inputs", "%s%s", inputsText(l), known)
	tellPieces(l, func(name, format string, args ...any) { writeFact(w, name, format, args...) })
	for i, p := range l.Begun {
		if i == begunShown {
			writeFact(w, "", "and %s more", human.Count(len(l.Begun)-i))
			break
		}
		writeFact(w, "begun", "%s, bytes %d to %d", p.Path, p.From, p.To)
	}
	for _, change := range l.Changed {
		writeFact(w, "changed", "%s", changeText(change))
	}
	showRetried(w, l)
}

// inputsText says what a load takes in, pipes left out.
func inputsText(l *status.Load) string {
	return fmt.Sprintf("%s, %s as stored", human.Count(l.Inputs), human.Size(l.Stored))
}

// tellPieces prints how much of the inputs is completed, and what was streamed to nodes.
func tellPieces(l *status.Load, tell func(name, format string, args ...any)) {
	tell("recorded", "%s of text, in %s", human.Size(l.Settled), human.Of(l.Pieces, "piece"))
	for _, n := range l.Streams {
		tell(
			"streamed",
			"%s to %s, %s",
			human.Size(n.Bytes),
			n.Node,
			human.Of(n.Sessions, "session"),
		)
	}
}

// showRetried prints the number of rejects that were loaded again.
func showRetried(w io.Writer, l *status.Load) {
	names := strings.Join(l.Retried, ", ")
	if len(l.Reread) > 0 {
		names += ", read with " + flagsWith(l.Reread)
	}
	switch {
	case len(l.Retried) == 0:
	case len(l.Lost) > 0:
		writeFact(
			w,
			"retried",
			"%s; whether all of it was loaded is not known: the folder of that load was removed",
			names,
		)
	case l.Tries == 0:
		writeFact(w, "retried", "%s; nothing of it was left over", names)
	default:
		writeFact(w, "retried", "%s, or begun to be", names)
	}
}

// changeText returns the line for a setting that has changed.
func changeText(c recorded.Change) string {
	was := "not given"
	if !flagset.IsEmpty(c.Was) {
		was = setting.ListText(c.Was)
	}
	return fmt.Sprintf("%s (before: %s)", flagset.AsTyped(c.Name, c.Now), was)
}

// flagsWith are changed settings as flags.
func flagsWith(changes []recorded.Change) string {
	var with []string
	for _, change := range changes {
		with = append(with, flagset.AsTyped(change.Name, change.Now))
	}
	return strings.Join(with, " ")
}
