package runview

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// column is what a list of runs has of each.
type column struct {
	name  string
	right bool // numbers end in one column
	text  func(r report.ListedRun, brief bool, now time.Time) string
}

// runColumns are the columns of a list. The run itself comes last, because it is the longest. On a
// narrow terminal its end is cut off, which repeats the command and the table.
var runColumns = []column{
	{"STATE", false, func(r report.ListedRun, _ bool, _ time.Time) string { return r.State }},
	{
		"DONE",
		true,
		func(r report.ListedRun, _ bool, _ time.Time) string { return percent(r.Share) },
	},
	{
		"ROWS",
		true,
		func(r report.ListedRun, brief bool, _ time.Time) string { return number(r.Rows, r.Table != "", brief) },
	},
	{"FAILED", true, func(r report.ListedRun, brief bool, _ time.Time) string {
		return number(r.Failed, r.Failed > 0, brief)
	}},
	{"ROWS/S", true, func(r report.ListedRun, brief bool, _ time.Time) string {
		return number(int64(r.RowsPerSecond), r.Rows > 0 && r.RowsPerSecond > 0, brief)
	}},
	{"WHEN", false, when},
	{"WHAT", false, func(r report.ListedRun, _ bool, _ time.Time) string {
		return strings.TrimSpace(r.Command + " " + r.Table)
	}},
	{clusterColumn, false, func(r report.ListedRun, _ bool, _ time.Time) string {
		return cmp.Or(ClusterText(r.Cluster, r.Hosts, 1), "-")
	}},
	{
		"RUN",
		false,
		func(r report.ListedRun, _ bool, _ time.Time) string { return manifest.Output(r.Path) },
	},
}

// clusterColumn is left out if a terminal is too narrow for it, and if no run has its cluster.
const clusterColumn = "CLUSTER"

// WriteTable lists runs, a line each. Below, it lists what is wrong with those that cannot be read,
// and the next command for each that has something left to do. The width is the terminal's; 0:
// there is none.
func WriteTable(w io.Writer, runs []report.ListedRun, width int, now time.Time) error {
	fewer := slices.DeleteFunc(
		slices.Clone(runColumns),
		func(c column) bool { return c.name == clusterColumn },
	)
	columns := runColumns
	if !slices.ContainsFunc(
		runs,
		func(r report.ListedRun) bool { return r.Cluster != "" || len(r.Hosts) > 0 },
	) {
		columns = fewer
	}
	t := table{columns, cellsOf(columns, runs, false, now), "  "}
	if width > 0 && t.width() > width {
		t = table{columns, cellsOf(columns, runs, true, now), " "}
	}
	if width > 0 && t.width() > width && t.room(width) < wellKnownName {
		t = table{fewer, cellsOf(fewer, runs, true, now), " "}
	}
	var out strings.Builder
	t.write(&out, width)
	for _, r := range runs {
		if r.Error != "" {
			fmt.Fprintf(&out, "%-8s  %s\n", r.State, safetext.Line(r.Error))
		}
	}
	for _, r := range runs {
		for _, n := range r.Next {
			if n.RunDir == r.Path {
				fmt.Fprintf(&out, "%-8s  %s\n", "next", n.Words()+n.Caution())
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

const (
	// leastName is how much is left of the name of a run however narrow a terminal is.
	leastName = 12
	// wellKnownName is how much of it is left at least where clusters are shown: its time and
	// process.
	wellKnownName = 24
)

// table is a list of runs, its head first.
type table struct {
	columns []column
	cells   [][]string
	gap     string
}

// cellsOf are the lines of a list, its head first.
func cellsOf(columns []column, runs []report.ListedRun, brief bool, now time.Time) [][]string {
	rows := make([][]string, 1, len(runs)+1)
	for _, c := range columns {
		rows[0] = append(rows[0], c.name)
	}
	for _, r := range runs {
		var cells []string
		for _, c := range columns {
			cells = append(cells, safetext.Line(c.text(r, brief, now)))
		}
		rows = append(rows, cells)
	}
	return rows
}

// write writes the lines, no longer than a terminal is wide; 0: as long as they are.
func (t *table) write(out *strings.Builder, width int) {
	last := len(t.columns) - 1
	for _, cells := range t.cells {
		line := ""
		for i, cell := range cells[:last] {
			line += fmt.Sprintf("%*s", t.padding(i), cell) + t.gap
		}
		name := cells[last]
		if width > 0 {
			name = cutLeft(name, max(width-utf8.RuneCountInString(line), leastName))
		}
		fmt.Fprintln(out, strings.TrimRight(line+name, " "))
	}
}

// padding is the width of a column, below zero of one whose cells begin at its left.
func (t *table) padding(column int) int {
	if t.columns[column].right {
		return t.widest(column)
	}
	return -t.widest(column)
}

func (t *table) widest(column int) (width int) {
	for _, cells := range t.cells {
		width = max(width, utf8.RuneCountInString(cells[column]))
	}
	return width
}

// room is how much of a width the last column has.
func (t *table) room(width int) int {
	for i := range len(t.columns) - 1 {
		width -= t.widest(i) + len(t.gap)
	}
	return width
}

// width is that of the whole list.
func (t *table) width() int { return t.widest(len(t.columns)-1) - t.room(0) }

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
		return human.Briefly(n)
	default:
		return human.Count(n)
	}
}

// when is how long a run still takes, or how long ago it was heard of.
func when(r report.ListedRun, _ bool, now time.Time) string {
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
