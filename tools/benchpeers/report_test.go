package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sample is a report of made-up figures.
func sample() *report {
	r := &report{
		Begun: time.Date(
			2026,
			1,
			2,
			3,
			4,
			0,
			0,
			time.UTC,
		),
		Ended:   time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC),
		Rounds:  3,
		Machine: []fact{{"processors", "2"}},
		Datasets: []datasetReport{
			{Name: "emp", What: "short rows", Rows: 1_000_000, Bytes: 30 << 20},
		},
		Contestants: []contestantReport{
			{
				Name:     "cqlbulk-stream",
				Title:    "cqlbulk load --via stream",
				Way:      bySSTables,
				Commands: []string{"cqlbulk load"},
			},
			{Name: "cqlsh", Title: "cqlsh COPY FROM", Way: byCQL},
			{Name: "dsbulk", Title: "DSBulk", Way: byCQL},
			{Name: "postgres", Title: "PostgreSQL COPY", Way: byPostgres},
		},
	}
	add := func(round int, contestant string, wall, server float64, failed string) {
		r.Loads = append(
			r.Loads,
			measured{
				Round:      round,
				Contestant: contestant,
				Dataset:    "emp",
				Wall:       wall,
				ClientCPU:  wall / 2,
				ServerCPU:  server,
				PeakMemory: 100 << 20,
				Rows:       1_000_000,
				Failed:     failed,
			},
		)
	}
	for round, wall := range []float64{3, 1, 2} {
		add(round+1, "cqlbulk-stream", wall, 1, "")
		add(round+1, "cqlsh", 20+wall, 24, "")
		add(round+1, "dsbulk", 10, 30, "7 rows of 1000000 are there: <oh>")
		add(round+1, "postgres", 4, 3, "")
	}
	r.Loads[len(r.Loads)-1].Remark = "psql: exit status 1"
	return r
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, median([]float64{4, 1, 2, 3}))
	require.True(t, math.IsNaN(median(nil)))
}

func TestGoalsAreOfTheBestThatCounts(t *testing.T) {
	goals := sample().goals()
	require.Len(t, goals, 3)
	require.InDelta(t, 2.0/22, goals[0].ratio, 1e-9) // DSBulk is faster, but failed
	require.True(t, goals[0].met())
	require.InDelta(t, 1.0/24, goals[1].ratio, 1e-9)
	require.Equal(
		t,
		goal{"emp", "wall of cqlbulk load --via stream, of that of PostgreSQL's COPY", 1, 0.5},
		goals[2],
	)
}

func TestPage(t *testing.T) {
	text := page(sample(), "plot.svg")
	for _, part := range []string{
		"# Loads side by side, 2026-01-02\n",
		"![Medians of each load](plot.svg)\n",
		"| emp | server CPU of cqlbulk load --via stream, of that of the best CQL load | 0.05 | 0.042 | met |\n",
		"1,000,000 rows, 30.0 MiB of text: short rows.",
		"| cqlbulk load --via stream | 2.0 | 1.0 | 1.0 | 0.00 | 100 | 500,000 | 0.09 | 0.04 | 0.50 |\n",
		"| DSBulk | - | - | - | - | - | - | - | - | - |\n",
		"## Failed\n\nThese are in no median:\n\n- round 1, emp, DSBulk: 7 rows of 1000000 are there: <oh>\n- round 2, emp, DSBulk: 7 rows",
		"## Ended with an error\n\nAll rows were there; these count:\n\n- round 3, emp, PostgreSQL COPY: psql: exit status 1\n\n",
		"| measured | 2026-01-02 03:04 to 04:00 UTC, 3 rounds; ",
	} {
		require.Contains(t, text, part)
	}
}

// Unloads have a page of their own words, and goals of their own.
func TestPageOfUnloads(t *testing.T) {
	r := sample()
	r.Task = unloading
	text := page(r, "plot.svg")
	for _, part := range []string{
		"# Unloads side by side, 2026-01-02\n",
		"Measured by `make bench-unload`.",
		"| emp | server CPU of cqlbulk load --via stream, of that of the best CQL unload | 0.03 | 0.042 | missed |\n",
		"## Every unload\n",
	} {
		require.Contains(t, text, part)
	}
	require.Len(t, r.goals(), 2)
}

func TestRowsOfUnloadedFilesAreCounted(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a.csv": "1,2\n3,4\n", "b.csv": "5,6\n", "a.csv.manifest.json": "{\n}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	rows, size, err := countLines(folder)
	require.NoError(t, err)
	require.Equal(t, []int64{3, 12}, []int64{rows, size})
}

func TestPlotIsWellFormed(t *testing.T) {
	bars := 0
	decoder := xml.NewDecoder(strings.NewReader(string(plot(sample()))))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			require.NotContains(t, a.Value, "NaN")
			require.NotContains(t, a.Value, "Inf")
		}
		if start.Name.Local == "rect" {
			bars++
		}
	}
	require.Equal(
		t,
		3*len(figures)+3+1,
		bars,
		"a bar for each figure of each contestant that did not fail, three in the key, and the ground",
	)
}

func TestPageIsRenderedFromItsFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, sample().write(besides(file, ".json")))
	require.NoError(t, run(t.Context(), []string{"--render", "-o", file}, io.Discard))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, page(sample(), "page.svg"), string(text))
	require.FileExists(t, besides(file, ".svg"))
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"--rows", "0"}, {"emp"}, {"--only", "cp"}, {"--render", "-o", "/nowhere/page.md"}} {
		require.Error(t, run(t.Context(), args, io.Discard), "%q", args)
	}
}

func TestGist(t *testing.T) {
	require.Equal(t, "a; b; ...; e; f", gist("a\nb\rc\nd\n\ne\nf\n"))
	require.Equal(t, "a; b", gist("a\nb\n"))
}

func TestNumbers(t *testing.T) {
	require.Equal(
		t,
		[]string{"0.05", "9.3", "1,234", "-"},
		[]string{number(0.051), number(9.26), number(1234.4), number(math.NaN())},
	)
}
