package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// newReport has something in each of its parts.
func newReport(t *testing.T) Report {
	t.Helper()
	w, _ := newRun(t)
	w.End(board.Partly, "")
	state := w.State()
	return Report{
		State:    state,
		Made:     "Made by a test",
		Sections: []Section{{"Plan", []Fact{{"seed", hostile}}}, {"Nothing", nil}},
		Failed:   []FailedRange{{"(5, 7]", "node b is overloaded " + hostile}},
		Files:    []File{{hostile, 5, 1 << 20, "00ff"}},
		Counts: []Count{
			{"host", []Part{{"a", 300}, {"b", 100}}},
			{"range", []Part{{"(0, 1]", 2}, {"(1, 2]", 0}}},
			{"partition", []Part{{hostile, 9}}},
		},
	}
}

// body is a report without its style and script.
func body(t *testing.T, r Report) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, WriteReport(&text, r))
	require.Equal(t, 1, strings.Count(text.String(), "</script"), "the script does not end early")
	_, body, _ := strings.Cut(text.String(), "<body>")
	body, _, _ = strings.Cut(body, "<script>")
	return body
}

func TestReport(t *testing.T) {
	text := body(t, newReport(t))
	for _, part := range []string{
		"Done, but not for all: 1,234,567 rows loaded", "42 rows were rejected and 1 token range failed", "Rows by node", "a skew of 1.50", "The largest partitions",
		"(5, 7]", "00ff", "data-done=", "cqlbulk load shop.orders",
	} {
		require.Contains(t, text, part)
	}
	for _, part := range []string{"<script", "<img", "<link", "src=\"", "ZgotmplZ", "Nothing"} {
		require.NotContains(t, text, part)
	}
}

// A report of a run without a page shows what is known, and no zeros.
func TestReportOfLittle(t *testing.T) {
	text := body(
		t,
		Report{
			State: board.State{
				Command: "scan",
				Table:   "shop.orders",
				Phase:   board.Done,
				Rows:    5,
				Elapsed: 2,
			},
		},
	)
	require.Contains(t, text, "Done: 5 rows read in 2.0s.")
	for _, part := range []string{"rejected", "latency", "requests", "streamed", "Nodes", "0001-01-01", "Charts"} {
		require.NotContains(t, text, part)
	}
}

// A node that is down may fail thousands of ranges, for one reason.
func TestFailuresAreGrouped(t *testing.T) {
	var all []FailedRange
	for i := range 5000 {
		all = append(all, FailedRange{fmt.Sprintf("(%d, %d]", i, i+1), "node b is down"})
	}
	all = append(all, FailedRange{"(7, 8]", "timeout"})
	for i := range failuresShown {
		all = append(all, FailedRange{"(9, 10]", fmt.Sprint("reason ", i)})
	}
	text := body(t, Report{State: board.State{Phase: board.Partly, Table: "t"}, Failed: all})
	for _, part := range []string{"<b>5,000 token ranges</b>: node b is down", "(3, 4]", "and 4,996 more", "<b>1 token range</b>: timeout", "And 2 token ranges for other reasons."} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "(4, 5]")
}

// The progress of a run that has nothing left to do is no news, and 100 % is wrong if ranges
// failed.
func TestNoProgressOfWhatIsOver(t *testing.T) {
	share := 1.0
	phases := map[board.Phase]bool{
		board.Running: true, board.Interrupted: true, board.Failed: true,
		board.Partly: false, board.Done: false,
	}
	for phase, shown := range phases {
		text := body(t, Report{State: board.State{Phase: phase, Table: "t", Share: &share}})
		require.Equal(t, shown, strings.Contains(text, "<progress"), phase)
	}
}

// The vendored library is the one that docs/design/dependencies.md names, with its
// licence.
func TestUplotIsAsPublished(t *testing.T) {
	require.Contains(t, uplotJS[:80], "v1.6.32")
	require.Equal(t, "sha256-GcjUxq2Ikpp59K5J1vcWFWbf0Lo9FcxJXpdPeH63jx8=", hashOf(uplotJS))
	require.FileExists(t, "uplot/LICENSE")
}
