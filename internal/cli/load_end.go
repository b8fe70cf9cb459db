package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor/misread"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
)

// finishLoad runs a load that is prepared, and prints its result.
func finishLoad(ctx context.Context, s streams, show showOptions, load *operation.Load) error {
	defer load.Close()
	name := "load "
	switch {
	case load.DryRun():
		name = "dry run of "
	case load.Deletes():
		name = "delete from "
	}
	stop := show.run(ctx, s, name+load.Table(), load.Counters(), false)
	stopWatch := s.watch(ctx, load.Linger(), stop)
	s.page.show(load)
	if load.DryRun() {
		load.Explain(func(in operation.ExplainedInput) {
			if !show.Quiet {
				s.printFields(in)
			}
		})
	}
	result, err := load.Run(ctx)
	stopWatch()
	stop()
	s.end.document = report.OfLoad(result)
	if !show.Quiet {
		s.printExplained(result.Explained)
	}
	if !show.Quiet && result.Files == nil && !result.DryRun {
		s.printStreamed(result.Stream, result.Compaction)
	}
	s.printImports(result.Files, show.Quiet)
	s.printRejects(result.Rejects, result.DryRun)
	s.printRepeatedRejects(result.Rejects.Repeated, result.Next)
	s.printNextOfLoad(result, err)
	if result.Limit != nil {
		return &exitError{exitLimit, err}
	}
	return runError(err, result.Outcome)
}

// printImports says where SSTables are and how they get to the nodes, and names the nodes that
// have not imported theirs.
func (s streams) printImports(f *operation.KeptFiles, quiet bool) {
	if f == nil {
		return
	}
	switch {
	case quiet:
	case f.Tables == 0 && f.Import != "":
		s.note("no row was loaded: %s has no SSTables, and nothing is to be imported", f.Dir)
	default:
		s.note("the SSTables are in %s, %s", f.Dir, importDetails(f))
	}
	for _, i := range f.Imports {
		if i.Err != nil {
			s.wrong(
				"node %s has not imported its %s: %v; to be run there: %s",
				i.Node,
				human.Of(i.Tables, "SSTable"),
				i.Err,
				i.Command,
			)
		}
	}
}

// importDetails are how SSTables in a folder get to the nodes.
func importDetails(f *operation.KeptFiles) string {
	switch {
	case f.Import == "":
		return "and are not whole"
	case f.Imports == nil:
		return fmt.Sprintf("to be imported as %s says", f.Import)
	}
	taken := 0
	for _, i := range f.Imports {
		if i.Err == nil {
			taken++
		}
	}
	return fmt.Sprintf("imported by %d of %s", taken, human.Of(len(f.Imports), "node"))
}

// printNextOfLoad prints what to know before the load is resumed.
func (s streams) printNextOfLoad(r operation.LoadReport, runErr error) {
	if r.Next.StartOver != nil {
		s.wrong(
			"no row is loaded: records are cut by an option that neither resume nor retry can change",
		)
	}
	switch {
	case r.Next.Command == "":
	case runErr != nil:
		if r.InDoubt > 0 {
			s.wrong(
				"rows in doubt are best looked at when the load has come to its end: until then there may be others, and fewer",
			)
		}
		switch {
		case r.Limit == nil || r.Next.StartOver != nil:
		case r.Limit.NearlyAll && r.Next.KeepLoaded:
			s.wrong(
				"nearly every row is rejected, most for one cause: %s; the next command reads the rest otherwise, and a retry then loads the rejected rows",
				commonest(r.Rejects),
			)
		case r.Limit.NearlyAll:
			s.wrong(
				"nearly every row is rejected, most for one cause: %s; --keep-going continues all the same",
				commonest(r.Rejects),
			)
		default:
			s.wrong(
				"give it a higher --max%serrors; rejected rows are best mended when the load has come to its end",
				r.Limit.Stage,
			)
		}
	case r.Next.RepeatInDoubt:
		text := "rows in doubt may have been written: written again, those of counters count twice that were"
		if r.Statement != "" {
			text = "rows in doubt may have been written: written again, they count twice in a counter, and are twice in a list"
		}
		s.wrong("%s", text)
	}
}

// printRepeatedRejects says which of the rejected rows the next command does not load, unless it loads none of
// them as they are.
func (s streams) printRepeatedRejects(repeated *misread.RepeatedRejects, next advice.Step) {
	if repeated == nil || len(next.Edit) > 0 || next.StartOver != nil {
		return
	}
	of := fmt.Sprintf("%s of the %s", human.Count(repeated.Rows), human.Of(repeated.Of, "rejected row"))
	if !repeated.All {
		of = fmt.Sprintf(
			"%s of the first %s",
			human.Count(repeated.Rows),
			human.Of(repeated.Of, "rejected row"),
		)
	}
	why := repeated.First.Reason
	if repeated.First.Column != "" {
		why = fmt.Sprintf("column %q, value %q: %s", repeated.First.Column, repeated.First.Value, why)
	}
	s.wrong(
		"%s %s rejected again by the next command, unless you edit %s: %s:%d: %s",
		of,
		human.Verb(repeated.Rows, "is", "are"),
		repeated.File,
		repeated.File,
		repeated.First.Line,
		why,
	)
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

// watch prints a message if an interruption does not end the load within linger. It calls hide
// first. The caller ends it with stop.
func (s streams) watch(ctx context.Context, linger time.Duration, hide func()) (stop func()) {
	if linger == 0 {
		return func() {}
	}
	told := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(told)
		hide()
		s.warn(
			"interrupted: what has been read is written first, which takes at most %v; a second time ends it at once",
			linger,
		)
	})
	return func() {
		if !unwatch() {
			<-told
		}
	}
}

// manyLines is how many lines a rejected row has, on average, that may be several rows.
const manyLines = 5

// causesShown is how many causes of rejects the summary lists.
const causesShown = 10

// printRejects shows why rows were rejected, an example of each cause, and where
// all of them are.
func (s streams) printRejects(r operation.Rejects, dryRun bool) {
	for i, c := range r.Causes {
		if i == causesShown {
			s.wrong("and %s", human.Of(len(r.Causes)-i, "more cause"))
			break
		}
		text := c.String()
		if c.Rows > 1 {
			text += fmt.Sprintf(" (and %s like it)", human.Of(c.Rows-1, "more row"))
		}
		s.wrong("%s", text)
	}
	if r.Lines > manyLines*r.Rows {
		s.wrong(
			"%s %s %s of the input: a quote without its end would take the lines behind it into its row",
			human.Of(r.Rows, "rejected row"),
			human.Verb(r.Rows, "has", "have"),
			human.Of(r.Lines, "line"),
		)
	}
	rows := "rejected rows"
	if dryRun {
		rows = "rows that would be rejected"
	}
	if len(r.Files) > 0 {
		s.wrong("%s are in %s, their reasons in %s", rows, someOf(r.Files), r.Reasons)
	}
	if len(r.NotApplied) > 0 {
		s.note(
			"rows that were not applied are in %s, and what was found in %s",
			someOf(r.NotApplied),
			r.Reasons,
		)
	}
}

// filesShown is how many files of rejects are named: there is one for each header line.
const filesShown = 10

// someOf names files, and counts those that are too many to be named.
func someOf(files []string) string {
	if more := len(files) - filesShown; more > 0 {
		return fmt.Sprintf(
			"%s and %s beside them",
			strings.Join(files[:filesShown], ", "),
			human.Of(more, "more file"),
		)
	}
	return strings.Join(files, ", ")
}
