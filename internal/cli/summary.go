package cli

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// summary is the last word of a run: how much, how fast, and what was odd.
func (s streams) summary(what string, r operation.Report, details string) {
	speed := int64(float64(r.Rows-r.Earlier) / max(r.Duration.Seconds(), 0.001))
	line := fmt.Sprintf("%s %s: %s rows", what, r.Table, printer.Count(r.Rows))
	if r.Earlier > 0 {
		line += fmt.Sprintf(", %s of them before", printer.Count(r.Earlier))
	}
	if r.Bytes > 0 {
		line += ", " + printer.Size(r.Bytes)
	}
	line += fmt.Sprintf(" in %s (%s rows/s); %s", printer.Elapsed(r.Duration), printer.Count(speed), details)
	if r.Retries > 0 {
		line += fmt.Sprintf("; %s retries", printer.Count(r.Retries))
	}
	s.warn("%s", line)
}

// failuresShown is how many token ranges that failed are listed.
const failuresShown = 20

// tellFailed lists token ranges that could not be read, beside so many that were.
func (s streams) tellFailed(failed []operation.FailedRange, read int) {
	if len(failed) == 0 {
		return
	}
	for i, f := range failed {
		if i == failuresShown {
			s.warn("and %d more", len(failed)-i)
			break
		}
		within := "(all)"
		if f.Tokens != nil {
			within = fmt.Sprintf("(%s, %s]", f.Tokens.Start, f.Tokens.End)
		}
		s.warn("token range %s failed: %v", within, f.Err)
	}
	s.warn("%d token ranges failed, %d were read", len(failed), read)
}

// nextCommand is what to do next, as one types it.
func nextCommand(n operation.Next) string {
	line := "cqlbulk " + n.Command
	if n.RepeatInDoubt {
		line += " --repeat-in-doubt"
	}
	return line + " " + setting.ShellQuote(n.RunDir)
}
