package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/cli/mistakes"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// ending is what a command answers with when it has come to its end.
type ending struct {
	command  string // as it was typed; empty: it has no such answer
	json     bool   // the answer is a JSON object
	quiet    bool   // there is no summary
	aside    bool   // rows go to the standard output: the object does not
	document report.Document
	page     *page                    // that shows the run; nil: there is none
	settings config.File              // that flags have values from; zero: none was read
	cqlsh    map[string]config.Origin // of flags that files of cqlsh set
}

// originOf returns where the value of a flag comes from.
func (e *ending) originOf(flag string) config.Origin {
	if o, ok := e.cqlsh[flag]; ok {
		return o
	}
	return e.settings.Origin(flag)
}

// answer prints the result of the command, and returns its exit code. It prints first the summary,
// then the error on a line of its own, and last the object.
func (s streams) answer(ctx context.Context, err error) int {
	code := exitCode(ctx, err)
	lines := errorLines(code, err)
	for i, line := range lines {
		lines[i] = mistakes.Blame(line, s.end.originOf)
	}
	s.end.document.Ended(s.end.command, version.Read(), code, strings.Join(lines, "; "))
	if s.end.command != "" {
		s.log.End(&s.end.document, s.end.lines())
	}
	for _, line := range lines {
		s.log.Say(slog.LevelError, "%s", line)
	}
	s.end.page.end(&s.end.document)
	if s.end.json {
		if err := s.writeDocument(); err != nil {
			s.log.Say(slog.LevelError, "the answer could not be written: %v", err)
			code = max(code, exitFatal)
		}
	}
	return code
}

// lines are those of the summary that are shown: in quiet only what is wrong, and none where
// the answer is an object.
func (e *ending) lines() []string {
	lines := e.document.Lines()
	switch {
	case e.json, len(lines) == 0, e.quiet && e.document.WentWell():
		return nil
	case e.quiet:
		return lines[len(lines)-1:]
	default:
		return lines
	}
}

// errorLines are what is said of an error, a line each.
func errorLines(code int, err error) []string {
	if code == exitInterrupted {
		return []string{"interrupted"}
	}
	if err == nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(safetext.Error(err))) {
		line = strings.TrimSpace(line)
		// One cause may come up in several places, with more said of it in one of them.
		said := func(other string) bool { return strings.Contains(other, line) }
		if line == "" || slices.ContainsFunc(lines, said) {
			continue
		}
		lines = slices.DeleteFunc(
			lines,
			func(other string) bool { return strings.Contains(line, other) },
		)
		lines = append(lines, line)
	}
	return lines
}

// writeDocument writes the object: on several lines where it is alone, and on one after
// others.
func (s streams) writeDocument() error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	to := s.err
	if !s.end.aside {
		to = s.out
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(s.end.document); err != nil {
		return err
	}
	_, err := to.Write(safetext.JSON(text.Bytes()))
	return err
}
