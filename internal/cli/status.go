package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/summary"
)

func newStatusCommand(s streams) *cobra.Command {
	opts := &reportOptions{}
	c := &cobra.Command{
		Use:   "status RUN_DIR",
		Short: "Show what a scan or load has done, while it runs or after",
		Long: `Show from its run directory what a scan or a load has done, what failed and what is
left, while it runs or after. Nothing is changed, and no cluster is asked.

Exit status:
  0  shown
  1  there is no run, or its journal cannot be read`,
		Args:              oneRunDir,
		ValidArgsFunction: completeRunDir,
		RunE:              func(_ *cobra.Command, args []string) error { return showStatus(s, opts, args[0]) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func showStatus(s streams, o *reportOptions, dir string) error {
	r, err := operation.ReadStatus(dir)
	if err != nil {
		return err
	}
	if s.end.document = summary.OfStatus(r); o.JSON {
		return nil
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s of %s, begun %s by %s\n", r.Command, r.Table, r.Started.Format(time.RFC3339), r.Tool)
	fmt.Fprintf(w, "state\t%s\n", stateOf(r))
	if r.Load != nil {
		showLoad(w, r.Load)
	} else {
		showScan(w, r)
	}
	return w.Flush()
}

// begunShown is how many pieces under way are listed.
const begunShown = 20

func showLoad(w io.Writer, l *operation.LoadStatus) {
	known := ""
	if l.Piped {
		known = ", and what comes by pipes"
	}
	fmt.Fprintf(w, "inputs\t%s%s\n", inputsText(l), known)
	tellLoaded(l, func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) })
	for i, p := range l.Begun {
		if i == begunShown {
			fmt.Fprintf(w, "\tand %s more\n", printer.Count(int64(len(l.Begun)-i)))
			break
		}
		fmt.Fprintf(w, "begun\t%s, bytes %d to %d\n", p.Path, p.From, p.To)
	}
	showRetried(w, l)
	for _, next := range l.Next {
		showNext(w, next)
	}
}

// inputsText says what a load takes in, pipes left out.
func inputsText(l *operation.LoadStatus) string {
	return fmt.Sprintf("%s, %s as stored", printer.Count(int64(l.Inputs)), printer.Size(l.Stored))
}

// tellLoaded tells how far a load is.
func tellLoaded(l *operation.LoadStatus, tell func(name, format string, args ...any)) {
	t := l.Tally
	tell("settled", "%s of text, in %s pieces", printer.Size(l.Settled), printer.Count(int64(l.Pieces)))
	tell("rows", "%s read, %s written, %s rejected, %s in doubt, %s there already", printer.Count(t.Read), printer.Count(t.Written),
		printer.Count(t.ParseErrors+t.InsertErrors), printer.Count(t.InDoubt), printer.Count(t.Existing))
	tell("checksum", "%s", t.Sum)
	for _, n := range l.Streams {
		tell("streamed", "%s to %s, %s sessions", printer.Size(n.Bytes), n.Node, printer.Count(n.Sessions))
	}
}

// showRetried tells of rejects that were loaded again.
func showRetried(w io.Writer, l *operation.LoadStatus) {
	switch names := strings.Join(l.Retried, ", "); {
	case len(l.Retried) == 0:
	case l.Tries == 0:
		fmt.Fprintf(w, "retried\t%s; nothing of it was left over\n", names)
	default:
		fmt.Fprintf(w, "retried\t%s, or begun to be\n", names)
	}
}

// showNext tells what to do next.
func showNext(w io.Writer, next operation.Next) {
	note := ""
	if next.RepeatInDoubt {
		note = "   (of counters, those rows count twice that were applied)"
	}
	fmt.Fprintf(w, "next\t%s%s\n", summary.CommandLine(next), note)
}

func showScan(w io.Writer, r operation.StatusReport) {
	fmt.Fprintf(w, "read\t%.1f%% of the tokens, up to the last mark\n", 100*r.Scan.Share)
	fmt.Fprintf(w, "rows\t%s, %s of text\n", printer.Count(r.Scan.Rows), printer.Size(r.Scan.TextBytes))
	fmt.Fprintf(w, "checksum\t%s\n", r.Scan.Sum)
	if r.End != nil {
		for _, f := range r.End.Failed {
			fmt.Fprintf(w, "failed\t%s: %s\n", f.Range, f.Reason)
		}
	}
	switch {
	case r.Scan.Anew:
		fmt.Fprintf(w, "next\tbegin anew: it was stopped before its output was begun\n")
	case r.Scan.Next.Command != "":
		showNext(w, r.Scan.Next)
	}
}

// stateOf says in words how a run stands.
func stateOf(r operation.StatusReport) string {
	switch {
	case r.Live:
		return "under way in " + r.Holder.String()
	case r.End == nil:
		return "stopped without a word: killed, or the machine went down, or its disk was full"
	case r.End.Outcome == operation.Failed:
		return "failed: " + r.End.Error
	case r.End.Outcome == operation.Partly:
		return "done, but for what failed"
	case r.End.Outcome == operation.Interrupted:
		return "interrupted"
	default:
		return "done"
	}
}
