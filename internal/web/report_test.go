package web

import (
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
		Command: "scan", Table: "shop.orders", Phase: board.Partly, State: "done, but for what failed", Made: "Made by a test",
		Sections: []Section{{"Plan", []Fact{{"seed", hostile}}}, {"Nothing", nil}},
		Ring:     state.Ring, Rejects: causes(), Page: &state,
		Failed: []FailedRange{{"(5, 7]", "node b is overloaded " + hostile}},
		Files:  []File{{hostile, 5, 1 << 20, "00ff"}},
		Counts: []Count{{"host", []Part{{"a", 300}, {"b", 100}}}, {"range", []Part{{"(0, 1]", 2}, {"(1, 2]", 0}}}, {"partition", []Part{{hostile, 9}}}},
	}
}

func TestReport(t *testing.T) {
	var text strings.Builder
	require.NoError(t, WriteReport(&text, newReport(t)))
	for _, part := range []string{"done, but for what failed", "Rows by node", "a skew of 1.50", "The largest partitions", "(5, 7]", "00ff", "As its page showed it last", styleHash()[:12], "--paper"} {
		require.Contains(t, text.String(), part)
	}
	for _, part := range []string{"<script", "<img", "http://", "https://", "ZgotmplZ", "Nothing"} {
		require.NotContains(t, text.String(), part)
	}
	text.Reset()
	require.NoError(t, WriteReport(&text, Report{Command: "scan"}))
	require.NotContains(t, text.String(), "<section")
}
