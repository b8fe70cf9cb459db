package printer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// fit returns the line without colors.
func fit(runs []progress.Reading, columns int) string {
	return new(composer).compose(runs, columns).String(false)
}

// inMidRun returns a run with all figures.
func inMidRun() progress.Reading {
	share := 0.5
	return progress.Reading{
		Run:            "load demo.flights",
		Share:          &share,
		Rows:           1_234_567,
		RowsPerSecond:  8901,
		BytesPerSecond: 3 << 20,
		UnderWay:       32,
		Limit:          96,
		P50:            0.00123,
		P99:            0.0456,
		Left:           300,
	}
}

func TestLiveLine(t *testing.T) {
	r := inMidRun()
	for columns, want := range map[int]string{
		200: " 50.0%      1,234,567 rows      8,901 rows/s     3.0 MiB/s     32 requests  p50 1.23ms p99 45.6ms    5m0s left  load demo.flights [============================>                             ]", 130: " 50.0%      1,234,567 rows      8,901 rows/s     3.0 MiB/s     32 requests  p50 1.23ms p99 45.6ms    5m0s left  load demo.flights", 100: " 50.0%  1.23M rows  8.90k/s     3.0 MiB/s     32 req  p99 45.6ms    5m0s left  load demo.flights", 80: " 50.0%  1.23M rows  8.90k/s     3.0 MiB/s     32 req  p99 45.6ms    5m0s left", 60: " 50.0%      1,234,567 rows  8.90k/s     3.0MiB/s     32 req", 40: " 50%  1.23M rows  8.90k/s     3.0 MiB/s", 20: " 50.0%  1.23M rows", 10: " 50.0%", 4: "", 0: "",
	} {
		require.Equal(t, want, fit([]progress.Reading{r}, columns), columns)
	}
}

// What failed comes first, and is left out last.
func TestLiveLineOfARunWithFailures(t *testing.T) {
	r := inMidRun()
	r.Rejected, r.Failed, r.Retries = 1234, 5, 678
	for columns, want := range map[int]string{
		100: "1.23k rej      5 failed  678 retries   50%  1.23M rows  8.90k/s     3.0MiB/s     32 req  p99 45.6ms", 60: "1,234 rejected      5 failed  678 retries   50%  1.23M rows", 30: "1,234 rejected      5 failed", 20: "1,234 rejected", 10: "1.23k rej", 9: "",
	} {
		require.Equal(t, want, fit([]progress.Reading{r}, columns), columns)
	}
}

// A part stays in place while its number grows.
func TestColumnsStay(t *testing.T) {
	small, large := inMidRun(), inMidRun()
	small.Rows, small.RowsPerSecond, small.BytesPerSecond = 7, 3, 2
	small.UnderWay, small.P99, small.Left = 1, 0.9, 5
	for _, columns := range []int{80, 120, 200} {
		a, b := fit([]progress.Reading{small}, columns), fit([]progress.Reading{large}, columns)
		require.Equal(t, strings.Index(a, "row"), strings.Index(b, "row"), "%s\n%s", a, b)
		require.Equal(t, strings.Index(a, "left"), strings.Index(b, "left"), "%s\n%s", a, b)
		require.Equal(t, utf8.RuneCountInString(a), utf8.RuneCountInString(b), "%s\n%s", a, b)
	}
}

// A part that has been brief stays brief, so that nothing moves when another part comes and goes.
// With a new width, this starts again.
func TestFormsStay(t *testing.T) {
	var c composer
	frame := func(r progress.Reading, columns int) string {
		return c.compose([]progress.Reading{r}, columns).String(false)
	}
	r, held := inMidRun(), inMidRun()
	r.Target, r.Held = 0.01, 0.007
	held.Target, held.Held = 0.01, 0.048
	first := frame(r, 150)
	frame(held, 150)
	pressed := frame(r, 150)
	require.NotEqual(t, first, pressed)
	for range 3 {
		frame(held, 150)
		require.Equal(t, pressed, frame(r, 150))
	}
	require.Equal(t, first, func() string { frame(r, 149); return frame(r, 150) }())

	inTrouble := inMidRun()
	inTrouble.Trouble = "no node answers"
	first = frame(inMidRun(), 100)
	require.NotEqual(t, first, frame(inTrouble, 100))
	require.Equal(t, first, frame(inMidRun(), 100))
}

// Nodes at which no request succeeds are named.
func TestLiveLineOfSilentNodes(t *testing.T) {
	r := inMidRun()
	r.Silent = &progress.Silence{Node: "10.0.0.1:9042", Nodes: 1, Seconds: 8.9}
	require.Contains(t, fit([]progress.Reading{r}, 200), "no success at 10.0.0.1:9042 for 8s ")
	require.Contains(t, fit([]progress.Reading{r}, 80), "no success for 8s ")
	r.Silent.Nodes = 2
	require.Contains(t, fit([]progress.Reading{r}, 200), "no success at 2 nodes for 8s ")
	r.Silent.Node, r.Silent.Nodes = "", 1
	require.Contains(t, fit([]progress.Reading{r}, 200), "no success at the nodes for 8s ")
}

// The latency of the target comes before those of the requests.
func TestLiveLineOfALatencyThatIsHeld(t *testing.T) {
	r := inMidRun()
	r.Target = 0.01
	require.Contains(t, fit([]progress.Reading{r}, 200), "  target p99 10.0ms     32 requests  ")
	r.Held = 0.0071
	require.Contains(
		t,
		fit([]progress.Reading{r}, 200),
		"  p99 7.10ms within target 10.0ms     32 requests  ",
	)
	require.Equal(
		t,
		" 50.0%      1,234,567 rows  8.90k/s     3.0 MiB/s  p99 7.10ms/10.0ms     32 req",
		fit([]progress.Reading{r}, 80),
	)
	r.Held = 0.048
	require.Contains(t, fit([]progress.Reading{r}, 71), "  p99 48.0ms ABOVE target 10.0ms")
}

// While the total is unknown, there is neither a share nor a bar.
func TestLiveLineWithoutATotal(t *testing.T) {
	require.Equal(
		t,
		"            5 rows          1 rows/s  load ks.t",
		fit([]progress.Reading{{Run: "load ks.t", Rows: 5, RowsPerSecond: 1}}, 80),
	)
}

// In a pipe, both programs are on the line, and errors of either are left out last.
func TestLiveLineOfAPipe(t *testing.T) {
	scan, load := inMidRun(), inMidRun()
	scan.Run, load.Share, load.Rejected = "scan demo.flights", nil, 3
	pipe := []progress.Reading{scan, load}
	for columns, want := range map[int]string{
		200: "scan:  50.0%      1,234,567 rows      8,901 rows/s     3.0 MiB/s     32 req  p99 45.6ms    5m0s left | load: 3 rejected      1,234,567 rows  8.90k/s     3.0 MiB/s     32 req  p99 45.6ms    5m0s left",
		100: "scan:  50.0%  1.23M rows  8.90k/s     3.0MiB/s | load: 3 rejected  1.23M rows  8.90k/s     3.0MiB/s",
		60:  "scan:  50.0%  1.23M rows | load: 3 rejected  1.23M rows",
		20:  "load: 3 rejected",
	} {
		require.Equal(t, want, fit(pipe, columns), columns)
	}
}

// The line is never wider than the terminal, and no part of it is cut. If there is any room, it has
// what failed.
func TestLiveLineFits(t *testing.T) {
	r := inMidRun()
	r.Run, r.Rejected, r.Earlier = "scan größe.t", 7, 567
	var whole []string
	for _, p := range partsOf(r) {
		whole = append(whole, strings.TrimSpace(p.long), strings.TrimSpace(p.brief))
	}
	for columns := range 250 {
		for share := 0.0; share <= 1; share += 0.05 {
			r.Share = &share
			parts := partsOf(r)
			line := fit([]progress.Reading{r}, columns)
			require.LessOrEqual(t, utf8.RuneCountInString(line), max(columns-1, 0))
			require.Equal(
				t,
				columns > widths[partRejected].brief,
				strings.HasPrefix(strings.TrimSpace(line), "7 rej"),
				line,
			)
			line, _, _ = strings.Cut(line, " [")
			for word := range strings.SplitSeq(line, gap) {
				require.Contains(
					t,
					append(whole, "", parts[partShare].long, parts[partShare].brief),
					strings.TrimSpace(word),
				)
			}
		}
	}
}

func TestText(t *testing.T) {
	r := inMidRun()
	r.Retries, r.Rows, r.Earlier, r.Ready = 2, 60_000, 50_000, 7
	require.Equal(
		t,
		"load demo.flights: 2 retries, 50.0%, 60,000 rows (50,000 before), 7 more read, 8,901 rows/s, 3.0 MiB/s, 32 requests, "+
			"p50 1.23ms p99 45.6ms, 5m0s left",
		Text(r),
	)
	require.Equal(t, "scan ks.t: 0 rows, 0 rows/s", Text(progress.Reading{Run: "scan ks.t"}))
}

// The line shows the smallest and the largest amount that was streamed to a node.
func TestWhatNodesWereSent(t *testing.T) {
	require.Empty(t, sentTo(nil))
	require.Empty(
		t,
		sentTo([]progress.Streamed{{Node: "b", Sessions: 1}}),
		"SSTables that are kept in a folder are sent nowhere",
	)
	two := []progress.Streamed{
		{Node: "a", Bytes: 3 << 20},
		{Node: "b", Bytes: 3 << 20, Sessions: 2},
	}
	require.Equal(t, "3.0 MiB sent to each of 2 nodes, 2 sessions", sentTo(two))
	require.Equal(
		t,
		"3.0 MiB sent to 1 node, 1 session",
		sentTo([]progress.Streamed{{Node: "a", Bytes: 3 << 20, Sessions: 1}}),
	)
	two[0].Bytes = 1 << 20
	require.Equal(t, "1.0 MiB to 3.0 MiB sent to each of 2 nodes, 2 sessions", sentTo(two))
	r := inMidRun()
	r.Streams = two
	require.Contains(
		t,
		fit([]progress.Reading{r}, 250),
		"  1.0 MiB to 3.0 MiB sent to each of 2 nodes, 2 sessions  load demo.flights",
	)
}
