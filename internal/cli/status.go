package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

func newStatusCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "status RUN_DIR",
		Short: "Show what a scan or load has done, while it runs or after",
		Long: `Show from its run directory what a scan or a load has done, what failed and what is
left, while it runs or after. Nothing is changed, and no cluster is asked.

Exit status:
  0  shown
  1  there is no run, or its journal cannot be read`,
		Args: oneRunDir,
		RunE: func(_ *cobra.Command, args []string) error { return showStatus(s, args[0]) },
	}
}

func showStatus(s streams, dir string) error {
	status, err := journal.Read(dir, func(journal.Record) error { return nil })
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	m := status.Manifest
	fmt.Fprintf(w, "run\t%s of %s, begun %s by %s\n", m.Command, m.Table, m.Started.Format(time.RFC3339), m.Tool)
	switch m.Command {
	case "load":
		err = showLoad(w, dir)
	case "scan":
		err = showScan(w, dir, m)
	default:
		err = fmt.Errorf("run.json: a run of %q is not known", m.Command)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

func showLoad(w io.Writer, dir string) error {
	status, l, err := resume.ReadLoad(dir)
	if err != nil {
		return err
	}
	extra, err := resume.ExtraOf(status.Manifest)
	if err != nil {
		return err
	}
	var size int64
	known := ""
	for _, in := range extra.Inputs {
		size += in.Size
		if in.Other {
			known = ", and what comes by pipes"
		}
	}
	t := l.Tally
	fmt.Fprintf(w, "state\t%s\n", stateOf(status, l.End))
	fmt.Fprintf(w, "inputs\t%s, %s as stored%s\n", printer.Count(int64(len(extra.Inputs))), printer.Size(size), known)
	fmt.Fprintf(w, "settled\t%s of text, in %s pieces\n", printer.Size(l.Bytes), printer.Count(int64(l.Pieces)))
	fmt.Fprintf(w, "rows\t%s read, %s written, %s rejected, %s in doubt, %s there already\n", printer.Count(t.Read),
		printer.Count(t.Written), printer.Count(t.ParseErrors+t.InsertErrors), printer.Count(t.InDoubt), printer.Count(t.Existing))
	fmt.Fprintf(w, "checksum\t%s\n", t.Sum)
	for _, p := range l.Open {
		if p.Input >= len(extra.Inputs) {
			return fmt.Errorf("journal: there is no input %d, but only %d", p.Input+1, len(extra.Inputs))
		}
		fmt.Fprintf(w, "begun\t%s, bytes %d to %d\n", extra.Inputs[p.Input].Path, p.Offset, p.Offset+int64(p.Bytes))
	}
	switch {
	case status.Live:
	case l.End == nil || l.End.Outcome == resume.Interrupted || l.End.Outcome == resume.Failed:
		fmt.Fprintf(w, "next\tcqlbulk resume %s\n", shellQuote(dir))
	case len(l.Retried) > 0:
		showRetried(w, dir, l)
	case t.ParseErrors+t.InsertErrors > 0:
		fmt.Fprintf(w, "next\tcqlbulk retry %s\n", shellQuote(dir))
	case t.InDoubt > 0:
		showDoubt(w, dir)
	}
	return nil
}

// showRetried tells of rejects that were loaded again.
func showRetried(w io.Writer, dir string, l *resume.Loaded) {
	names := strings.Join(slices.Sorted(maps.Keys(l.Retried)), ", ")
	if left := tries(dir); len(left) == 0 {
		fmt.Fprintf(w, "retried\t%s; nothing of it was left over\n", names)
	} else {
		fmt.Fprintf(w, "retried\t%s, or begun to be\n", names)
		for _, try := range left {
			fmt.Fprintf(w, "next\tcqlbulk status %s\n", shellQuote(try))
		}
	}
	for _, f := range l.Rejects.Files {
		if _, taken := l.Retried[f.Name]; f.InDoubt() && !taken {
			showDoubt(w, dir)
			break
		}
	}
}

// showDoubt tells how rows in doubt are written again.
func showDoubt(w io.Writer, dir string) {
	fmt.Fprintf(w, "next\tcqlbulk retry --repeat-in-doubt %s   (of counters, those rows count twice that were applied)\n", shellQuote(dir))
}

func showScan(w io.Writer, dir string, m journal.Manifest) error {
	status, scanned, err := resume.ReadScan(dir, m)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "state\t%s\n", stateOf(status, scanned.End))
	fmt.Fprintf(w, "read\t%.1f%% of the tokens, up to the last mark\n", 100*scanned.Share())
	fmt.Fprintf(w, "rows\t%s, %s of text\n", printer.Count(scanned.Rows), printer.Size(scanned.TextBytes))
	fmt.Fprintf(w, "checksum\t%s\n", scanned.Sum)
	again := "resume"
	if scanned.End != nil {
		for _, f := range scanned.End.Failed {
			fmt.Fprintf(w, "failed\t%s: %s\n", f.Range, f.Reason)
			again = "retry"
		}
	}
	if _, err := scanned.Output(); err != nil && !status.Live {
		fmt.Fprintf(w, "next\tbegin anew: it was stopped before its output was begun\n")
	} else if !status.Live {
		fmt.Fprintf(w, "next\tcqlbulk %s %s\n", again, shellQuote(dir))
	}
	return nil
}

// stateOf says in words how a run stands.
func stateOf(status journal.Status, end *resume.End) string {
	switch {
	case status.Live:
		return "under way in " + status.Holder.String()
	case end == nil:
		return "stopped without a word: killed, or the machine went down, or its disk was full"
	case end.Outcome == resume.Failed:
		return "failed: " + end.Error
	case end.Outcome == resume.Partly:
		return "done, but for what failed"
	default:
		return end.Outcome
	}
}
