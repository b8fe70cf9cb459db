package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// finishLoad runs a load that is prepared, and tells what became of it.
func finishLoad(ctx context.Context, s streams, show showOptions, load *operation.Load) error {
	defer load.Close()
	stop := printer.Start(ctx, s.err, "load "+load.Table(), load.Counters(), show.Quiet)
	stopWatch := s.watch(ctx, load.Linger(), stop)
	report, err := load.Run(ctx)
	stopWatch()
	stop()
	if !show.Quiet {
		s.summary("load of", report.Report, loadDetails(report))
		if report.Files == nil && !report.DryRun {
			s.tellStreamed(report.Stream, report.Compaction)
		}
	}
	s.tellImports(report.Files)
	s.tellRejects(report.Rejects)
	s.tellNextOfLoad(report, err)
	if report.Limit != nil {
		return &exitError{exitLimit, err}
	}
	return runError(err, report.Outcome)
}

// loadDetails are what the summary of a load has besides rows and speed.
func loadDetails(r operation.LoadReport) string {
	details := fmt.Sprintf("%s read, %s rejected; %s", printer.Count(r.Read), printer.Count(r.Rejected()), requestDetails(r))
	if !r.DryRun {
		details += fmt.Sprintf("; checksum %s", r.Sum)
	}
	if r.IfNotExists {
		details += fmt.Sprintf("; %s were there already", printer.Count(r.Existing))
	}
	if r.InDoubt > 0 {
		details += fmt.Sprintf("; %s in doubt", printer.Count(r.InDoubt))
	}
	if !r.DryRun && !r.Streamed {
		details += levelNote(r.Report)
	}
	return details
}

// requestDetails are how the rows went to the nodes.
func requestDetails(r operation.LoadReport) string {
	var details string
	switch {
	case r.Files != nil, r.Streamed:
		details = fmt.Sprintf("%s partitions, %s", printer.Count(r.Stream.Partitions), landedDetails(r.Stream, r.Files))
	default:
		details = fmt.Sprintf("%s requests of %.1f rows", printer.Count(r.Batches), float64(r.Written-r.Earlier)/float64(max(r.Batches, 1)))
	}
	switch {
	case r.DryRun:
		details += ", none of them sent"
	case !r.Streamed:
		details += fmt.Sprintf(", p50 %v, p99 %v", r.P50, r.P99)
	}
	return details
}

// landedDetails are what went to the nodes past CQL, or is in a folder for them.
func landedDetails(stats operation.StreamStats, files *operation.KeptFiles) string {
	if files == nil {
		return fmt.Sprintf("%s streamed as %s %s", printer.Size(stats.Bytes), printer.Count(stats.Files),
			map[bool]string{false: "files of rows", true: "whole SSTables"}[stats.Whole])
	}
	nodes := "all nodes"
	if files.Ringed {
		nodes = printer.Count(int64(files.Nodes)) + " nodes"
	}
	return fmt.Sprintf("%s in %s SSTables for %s in %s, ", printer.Size(stats.Bytes), printer.Count(int64(files.Tables)), nodes, files.Dir) + importDetails(files)
}

// importDetails are how SSTables in a folder get to the nodes.
func importDetails(f *operation.KeptFiles) string {
	switch {
	case f.Import == "":
		return "which are not whole"
	case f.Imports == nil:
		return fmt.Sprintf("to be imported as %s says", f.Import)
	}
	taken := 0
	for _, i := range f.Imports {
		if i.Err == nil {
			taken++
		}
	}
	return fmt.Sprintf("imported by %d of them", taken)
}

// tellImports names the nodes that have not imported their SSTables, and what is left to do.
func (s streams) tellImports(f *operation.KeptFiles) {
	if f == nil {
		return
	}
	for _, i := range f.Imports {
		if i.Err != nil {
			s.warn("node %s has not imported its %d SSTables: %v; to be run there: %s", i.Node, i.Tables, i.Err, i.Command)
		}
	}
}

// tellNextOfLoad says how to go on from here.
func (s streams) tellNextOfLoad(r operation.LoadReport, runErr error) {
	switch {
	case r.Next.Command == "":
	case runErr != nil:
		s.warn("what is done is noted; go on with: %s", nextCommand(r.Next))
		if r.InDoubt > 0 {
			s.warn("rows in doubt are best looked at when the load has come to its end: until then there may be others, and fewer")
		}
		switch {
		case r.Limit == nil:
		case r.Limit.Hopeless:
			s.warn("nearly every row is rejected, most for one cause: %s; --keep-going goes on all the same", commonest(r.Rejects))
		default:
			s.warn("give it a higher --max%serrors; rejected rows are best mended when the load has come to its end", r.Limit.Stage)
		}
	case r.Next.RepeatInDoubt:
		s.warn("rows in doubt are written again, so that of counters those count twice that were applied, with: %s", nextCommand(r.Next))
	default:
		s.warn("they load again, mended or as they are, with: %s", nextCommand(r.Next))
	}
}

// commonest is the reason for which most rows were rejected.
func commonest(r operation.Rejects) string {
	if len(r.Causes) == 0 {
		return "unknown"
	}
	first := r.Causes[0].First
	if first.Column == "" {
		return first.Reason
	}
	return fmt.Sprintf("column %q, %s", first.Column, first.Reason)
}

// watch tells of an interruption that does not end the load at once, after hide, until
// stop is called.
func (s streams) watch(ctx context.Context, linger time.Duration, hide func()) (stop func()) {
	if linger == 0 {
		return func() {}
	}
	told := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(told)
		hide()
		s.warn("interrupted: what has been read is written first, which takes %v at the most; a second time ends it at once", linger)
	})
	return func() {
		if !unwatch() {
			<-told
		}
	}
}

// causesShown is how many causes of rejects the summary lists.
const causesShown = 10

// tellRejects shows why rows were rejected, an example of each cause, and where
// all of them are.
func (s streams) tellRejects(r operation.Rejects) {
	if len(r.Files) == 0 && len(r.Causes) == 0 {
		return
	}
	for i, c := range r.Causes {
		if i == causesShown {
			s.warn("and %d more causes", len(r.Causes)-i)
			break
		}
		text := fmt.Sprintf("%s:%d:%d: ", c.First.File, c.First.Line, c.First.Field)
		if c.First.Column != "" {
			text += fmt.Sprintf("column %q, value %q: ", c.First.Column, c.First.Value)
		}
		text += c.First.Reason
		if c.Rows > 1 {
			text += fmt.Sprintf(" (and %s more rows like it)", printer.Count(c.Rows-1))
		}
		s.warn("%s", text)
	}
	s.warn("rejected rows are in %s, their reasons in %s", someOf(r.Files), r.Reasons)
}

// filesShown is how many files of rejects are named: there is one for each header line.
const filesShown = 10

// someOf names files, and counts those that are too many to be named.
func someOf(files []string) string {
	if more := len(files) - filesShown; more > 0 {
		return fmt.Sprintf("%s and %d more files beside them", strings.Join(files[:filesShown], ", "), more)
	}
	return strings.Join(files, ", ")
}
