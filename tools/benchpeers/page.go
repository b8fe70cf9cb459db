package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// writePage writes the page and its plot.
func writePage(file string, r *report) error {
	image := besides(file, ".svg")
	if err := os.WriteFile(image, plot(r), 0o644); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(page(r, filepath.Base(image))), 0o644)
}

// page gives the report as Markdown, with a link to its plot.
func page(r *report, image string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	words := wordsOf[r.Task]
	say("# %ss side by side, %s\n", words.title, r.Begun.Format(time.DateOnly))
	say("%s, by cqlbulk and by other programs, each at its best settings.", words.what)
	say("Client and server share the processors of one machine. Measured by `make %s`.\n", words.target)
	say("![Medians of each %s](%s)\n", words.noun, image)
	writeGoals(say, r)
	for _, d := range r.Datasets {
		writeDataset(say, r, d)
	}
	writeFailures(say, r)
	say("%s", words.how+howMeasured)
	say("## The machine\n\n| | |\n|---|---|")
	for _, f := range r.Machine {
		say("| %s | %s |", f.Name, f.Value)
	}
	say(
		"| measured | %s to %s, %d rounds; at the end the machine's load average was %.1f |\n",
		r.Begun.Format("2006-01-02 15:04"),
		r.Ended.Format("15:04 MST"),
		r.Rounds,
		r.LoadAverage,
	)
	writeCommands(say, r)
	say(
		"## Every %s\n\n| round | dataset | | wall s | client CPU s | server CPU s | during the %[1]s s | peak memory MiB |\n|--:|---|---|--:|--:|--:|--:|--:|",
		words.noun,
	)
	for _, m := range r.Loads {
		say(
			"| %d | %s | %s | %s | %s | %s | %s | %s |",
			m.Round,
			m.Dataset,
			r.title(m.Contestant),
			number(m.Wall),
			number(m.ClientCPU),
			number(m.ServerCPU),
			number(m.ServerDuring),
			number(peak.of(m)),
		)
	}
	return b.String()
}

func writeGoals(say func(string, ...any), r *report) {
	goals := r.goals()
	if len(goals) == 0 {
		return
	}
	say(
		"## Goals\n\n| dataset | what, as a share | goal: at most | reached | |\n|---|---|--:|--:|---|",
	)
	for _, g := range goals {
		verdict := "missed"
		if g.met() {
			verdict = "met"
		}
		say("| %s | %s | %v | %.3f | %s |", g.dataset, g.what, g.bound, g.ratio, verdict)
	}
	say(
		"\nThe best CQL %s is, for each figure, the one with the least of it. cqlbulk's own counts too.\n",
		r.Task.noun(),
	)
}

func writeDataset(say func(string, ...any), r *report, d datasetReport) {
	say(
		"## %s\n\n%s\n",
		d.Name,
		wrapped(fmt.Sprintf(
			"%s rows, %.1f MiB of text: %s. Medians:",
			human.Count(d.Rows),
			float64(d.Bytes)/(1<<20),
			d.What,
		)),
	)
	noun := r.Task.noun()
	heads, lines, yardstick := " wall, of PostgreSQL |", "--:|", r.Task == loading
	if !yardstick {
		heads, lines = "", ""
	}
	say(
		"| | wall s | client CPU s | server CPU s | during the %s s | peak memory MiB | rows/s | wall, of the best CQL %[1]s | server CPU, of the best CQL %[1]s |%s\n|---|--:|--:|--:|--:|--:|--:|--:|--:|%s",
		noun,
		heads,
		lines,
	)
	for _, c := range r.Contestants {
		of := func(f figure) float64 { return r.median(d.Name, c.Name, f) }
		perSecond := "-"
		if s := of(wall); !math.IsNaN(s) {
			perSecond = human.Count(int64(float64(d.Rows) / s))
		}
		last := ""
		if yardstick {
			last = " " + share(of(wall)/r.least(d.Name, byPostgres, wall)) + " |"
		}
		say(
			"| %s | %s | %s | %s | %s | %s | %s | %s | %s |%s",
			c.Title,
			number(of(wall)),
			number(of(clientCPU)),
			number(of(serverCPU)),
			number(of(during)),
			number(of(peak)),
			perSecond,
			share(
				of(wall)/r.least(d.Name, byCQL, wall),
			),
			share(of(serverCPU)/r.least(d.Name, byCQL, serverCPU)),
			last,
		)
	}
	say("")
}

// writeFailures lists the loads that do not count, and those that ended with an error and count.
func writeFailures(say func(string, ...any), r *report) {
	list := func(heading string, of func(measured) string) {
		for _, m := range r.Loads {
			if text := of(m); text != "" {
				say(
					"%s- round %d, %s, %s: %s",
					heading,
					m.Round,
					m.Dataset,
					r.title(m.Contestant),
					text,
				)
				heading = ""
			}
		}
		if heading == "" {
			say("")
		}
	}
	list("## Failed\n\nThese are in no median:\n\n", func(m measured) string { return m.Failed })
	list(
		"## Ended with an error\n\nAll rows were there; these count:\n\n",
		func(m measured) string { return m.Remark },
	)
}

func writeCommands(say func(string, ...any), r *report) {
	say(
		"## What was run\n\nFile names begin at the top folder of the repository. SCRATCH is an empty folder for each %s,\nits working directory.\n",
		r.Task.noun(),
	)
	for _, c := range r.Contestants {
		settings := wrapped(fmt.Sprintf("**%s**: %s.", c.Title, c.Settings))
		say("%s\n\n```\n%s\n```\n", settings, strings.Join(c.Commands, "\n"))
	}
}

// wrapped returns a paragraph as lines of at most 100 bytes.
func wrapped(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 100:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// noun is what is measured.
func (t task) noun() string { return wordsOf[t].noun }

// wordsOf are what a page says of each task.
var wordsOf = [...]struct{ title, noun, what, target, how string }{
	loading: {
		title:  "Load",
		noun:   "load",
		what:   "The same files into empty tables",
		target: "bench-peers",
		how: `## How it was measured

- The node was up and warm. Before the first round cqlbulk loaded each dataset in each of its modes.
- In each round every contestant loads every dataset once. Each round begins with another one.
- Before each load the table is truncated (without a snapshot) and flushed, and compactions have
  ended. After each load its rows are counted.
`,
	},
	unloading: {
		title: "Unload", noun: "unload", what: "The same tables into files", target: "bench-unload",
		how: `## How it was measured

- The tables were loaded through CQL once and flushed, and compactions had ended.
- The node was up and warm. Before the first round cqlbulk unloaded each table in each of its modes.
- In each round every contestant unloads every table once. Each round begins with another one.
  After each unload the lines of its files are counted.
`,
	},
}

const howMeasured = `- **wall** is the time from the start of the client to its end. It includes the start of a JVM or
  interpreter, and both steps if there are two.
- **client CPU** is the user and system time of all processes of the client. The system accounts it
  when they end.
- **server CPU** is the user and system time of the server's process. It counts from the start of
  the client until everything is flushed and the compactions have ended. Otherwise half of the work
  of a load by CQL would not be counted. Work that a node does by itself is included.
- For PostgreSQL, server CPU is that of all its processes, until a checkpoint has ended.
- **during the load**, or the unload, is the part of server CPU until the client ended.
- **peak memory** is the highest sum of the resident memory of the client's processes, sampled every
  50 ms. Pages that processes share count for each. If there is one process with more than a few
  MiB, the figure is exact.
`

// number gives a figure with as many digits as are worth reading.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case v < 1:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return human.Count(int64(math.Round(v)))
}

func share(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}
