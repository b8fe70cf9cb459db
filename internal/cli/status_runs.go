package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/summary"
)

// runColumns are what a list of runs has of each. The run itself comes last, since it is the
// longest, and what of it is cut off where a terminal is narrow tells the command and the table.
var runColumns = []struct {
	name  string
	right bool // numbers end in one column
	text  func(r summary.ListedRun, brief bool, now time.Time) string
}{
	{"STATE", false, func(r summary.ListedRun, _ bool, _ time.Time) string { return r.State }},
	{"DONE", true, func(r summary.ListedRun, _ bool, _ time.Time) string { return percent(r.Share) }},
	{"ROWS", true, func(r summary.ListedRun, brief bool, _ time.Time) string { return number(r.Rows, r.Table != "", brief) }},
	{"FAILED", true, func(r summary.ListedRun, brief bool, _ time.Time) string {
		return number(r.Failed, r.Failed > 0, brief)
	}},
	{"ROWS/S", true, func(r summary.ListedRun, brief bool, _ time.Time) string {
		return number(int64(r.RowsPerSecond), r.RowsPerSecond > 0, brief)
	}},
	{"WHEN", false, when},
	{"WHAT", false, func(r summary.ListedRun, _ bool, _ time.Time) string {
		return strings.TrimSpace(r.Command + " " + r.Table)
	}},
	{"RUN", false, func(r summary.ListedRun, _ bool, _ time.Time) string { return manifest.Output(r.Path) }},
}

// writeRuns lists runs, a line each, and says what is wrong with those that cannot be read, and how
// to go on with the newest that can go on. width is that of the terminal; 0: there is none.
func writeRuns(w io.Writer, runs []summary.ListedRun, width int, now time.Time) error {
	table, gap := cellsOf(runs, false, now), "  "
	if width > 0 && widthOf(table, gap) > width {
		table, gap = cellsOf(runs, true, now), " "
	}
	var out strings.Builder
	for _, cells := range table {
		line := ""
		for i, cell := range cells {
			last := i == len(cells)-1
			if room := width - utf8.RuneCountInString(line); last && width > 0 {
				cell = cutLeft(cell, max(room, leastName))
			}
			if last {
				line += cell
			} else {
				line += fmt.Sprintf("%*s", padding(i, widest(table, i)), cell) + gap
			}
		}
		fmt.Fprintln(&out, strings.TrimRight(line, " "))
	}
	for _, r := range runs {
		if r.Error != "" {
			fmt.Fprintf(&out, "%-8s  %s\n", r.State, safetext.Line(r.Error))
		}
	}
	told := map[string]bool{}
	for _, r := range runs {
		for _, n := range r.Next {
			if n.RunDir == r.Path && !told[n.Command] {
				told[n.Command] = true
				fmt.Fprintf(&out, "%-8s  %s\n", "next", n.Line)
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// leastName is how much is left of the name of a run however narrow a terminal is.
const leastName = 12

// cellsOf are the lines of a list, its head first.
func cellsOf(runs []summary.ListedRun, brief bool, now time.Time) [][]string {
	table := make([][]string, 1, len(runs)+1)
	for _, c := range runColumns {
		table[0] = append(table[0], c.name)
	}
	for _, r := range runs {
		var cells []string
		for _, c := range runColumns {
			cells = append(cells, safetext.Line(c.text(r, brief, now)))
		}
		table = append(table, cells)
	}
	return table
}

// padding is the width of a column, below zero of one whose cells begin at its left.
func padding(column, width int) int {
	if runColumns[column].right {
		return width
	}
	return -width
}

func widest(table [][]string, column int) (width int) {
	for _, cells := range table {
		width = max(width, utf8.RuneCountInString(cells[column]))
	}
	return width
}

func widthOf(table [][]string, gap string) (width int) {
	for i := range runColumns {
		width += widest(table, i) + len(gap)
	}
	return width - len(gap)
}

// cutLeft leaves out the beginning of a text that is too long.
func cutLeft(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return "…" + string(runes[len(runes)-width+1:])
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%d%%", int(100**share+1e-9)) // not 100 before it is
}

func number(n int64, known, brief bool) string {
	switch {
	case !known:
		return "-"
	case brief:
		return amount.Briefly(n)
	default:
		return amount.Count(n)
	}
}

// when is how long a run still takes, or how long ago it was heard of.
func when(r summary.ListedRun, _ bool, now time.Time) string {
	switch {
	case r.State == "running" && r.LeftSeconds > 0:
		return span(rounded(time.Duration(r.LeftSeconds*float64(time.Second)))) + " left"
	case r.State == "running":
		return "for " + span(now.Sub(r.Started))
	case r.Seen.IsZero():
		return "-"
	default:
		return span(now.Sub(r.Seen)) + " ago"
	}
}

// rounded is a guess rounded to the unit that span shows it in.
func rounded(d time.Duration) time.Duration {
	switch {
	case d < time.Minute-time.Second/2:
		return d.Round(time.Second)
	case d < time.Hour-time.Minute/2:
		return d.Round(time.Minute)
	default:
		return d.Round(time.Hour)
	}
}

// span is a length of time in its largest unit.
func span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
