package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

// report is all that a run has found out, as it is kept beside the page.
type report struct {
	Task         task `json:",omitempty"`
	Begun, Ended time.Time
	LoadAverage  float64 // of the machine over the last minute, at the end
	Machine      []fact
	Rounds       int
	Datasets     []datasetReport
	Contestants  []contestantReport
	Loads        []measured
}

// fact is a line about the machine or a program's version.
type fact struct{ Name, Value string }

type datasetReport struct {
	Name, What string
	Rows       int
	Bytes      int64 // of the file
}

type contestantReport struct {
	Name, Title, Settings string
	Way                   way
	Commands              []string // for each dataset, steps joined
}

// measured is one load or unload. Times are seconds.
type measured struct {
	Round               int
	Contestant, Dataset string
	Wall                float64
	ClientCPU           float64 // user and system, of all processes of the client
	ServerCPU           float64 // of the server, until what was loaded is flushed and compacted
	ServerDuring        float64 // the part of it until the client ended
	PeakMemory          int64   // bytes, of all processes of the client
	Rows                int64   // in the table then, or in the files
	Bytes               int64   `json:",omitempty"` // of the files, of an unload
	Failed              string  // why it does not count, empty if it does
	// of one that counts: the error that it ended with, although all rows were there
	Remark string
}

func (m *measured) line() string {
	text := fmt.Sprintf(
		"%-8s %-15s %7.1f s, client %6.1f s, server %6.1f s, %5d MiB, %d rows",
		m.Dataset,
		m.Contestant,
		m.Wall,
		m.ClientCPU,
		m.ServerCPU,
		m.PeakMemory>>20,
		m.Rows,
	)
	if m.Failed != "" {
		text += "  FAILED: " + m.Failed
	}
	if m.Remark != "" {
		text += "  (" + m.Remark + ")"
	}
	return text
}

func (r *report) write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func readReport(file string) (*report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// figure is what is compared.
type figure struct {
	title, unit string
	of          func(measured) float64
}

// The figures, in the order of the page.
var (
	wall      = figure{"wall", "s", func(m measured) float64 { return m.Wall }}
	clientCPU = figure{"client CPU", "s", func(m measured) float64 { return m.ClientCPU }}
	serverCPU = figure{"server CPU", "s", func(m measured) float64 { return m.ServerCPU }}
	peak      = figure{
		"peak memory",
		"MiB",
		func(m measured) float64 { return float64(m.PeakMemory) / (1 << 20) },
	}
	figures = []figure{wall, clientCPU, serverCPU, peak}
	during  = figure{"during the load", "s", func(m measured) float64 { return m.ServerDuring }}
)

// values gives a figure of each round that counts.
func (r *report) values(dataset, contestant string, f figure) []float64 {
	var values []float64
	for _, m := range r.Loads {
		if m.Dataset == dataset && m.Contestant == contestant && m.Failed == "" {
			values = append(values, f.of(m))
		}
	}
	return values
}

// median gives the median of a figure; NaN if no round counts.
func (r *report) median(dataset, contestant string, f figure) float64 {
	return median(r.values(dataset, contestant, f))
}

// median of an even number of values is halfway between the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// least gives the smallest median of those contestants that go one way; NaN if there is none.
func (r *report) least(dataset string, w way, f figure) float64 {
	least := math.NaN()
	for _, c := range r.Contestants {
		if m := r.median(dataset, c.Name, f); c.Way == w && !math.IsNaN(m) && !(m >= least) {
			least = m
		}
	}
	return least
}

// goal is a bound that was set for a contestant, and what it came to.
type goal struct {
	dataset, what string
	bound, ratio  float64
}

func (g goal) met() bool { return g.ratio <= g.bound }

// goals gives those that there are figures for.
func (r *report) goals() []goal {
	var goals []goal
	add := func(dataset, contestant string, w way, f figure, bound float64) {
		against := "the best CQL " + r.Task.noun()
		if w == byPostgres {
			against = "PostgreSQL's COPY"
		}
		ratio := r.median(dataset, contestant, f) / r.least(dataset, w, f)
		if !math.IsNaN(ratio) {
			goals = append(
				goals,
				goal{
					dataset,
					fmt.Sprintf("%s of %s, of that of %s", f.title, r.title(contestant), against),
					bound,
					ratio,
				},
			)
		}
	}
	for _, d := range r.Datasets {
		if r.Task == unloading {
			for _, contestant := range []string{"cqlbulk-stream", "cqlbulk-unlimited"} {
				add(d.Name, contestant, byCQL, wall, 0.3)
				add(d.Name, contestant, byCQL, serverCPU, 0.03)
			}
			continue
		}
		add(d.Name, "cqlbulk-stream", byCQL, wall, 0.15)
		add(d.Name, "cqlbulk-stream", byCQL, serverCPU, 0.05)
		add(d.Name, "cqlbulk-rows", byCQL, wall, 0.2)
		add(d.Name, "cqlbulk-rows", byCQL, serverCPU, 0.2)
		if d.Name == "emp" {
			add(d.Name, "cqlbulk-stream", byPostgres, wall, 1)
		}
	}
	return goals
}

func (r *report) title(contestant string) string {
	for _, c := range r.Contestants {
		if c.Name == contestant {
			return c.Title
		}
	}
	return contestant
}
