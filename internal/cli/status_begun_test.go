package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
)

// There may be thousands of pieces under way, of rows that wait for a slow node.
func TestStatusShowsSomeOfThePiecesUnderWay(t *testing.T) {
	for _, n := range []int{0, runview.BegunShown, runview.BegunShown + 1, 5000} {
		l := &status.Load{}
		for i := range n {
			l.Begun = append(
				l.Begun,
				status.OpenPiece{Path: "in.csv", From: int64(i), To: int64(i + 1)},
			)
		}
		var out bytes.Buffer
		runview.WriteLoad(&out, l)
		require.Equal(t, min(n, runview.BegunShown), strings.Count(out.String(), "in.csv, bytes"))
		if n > runview.BegunShown {
			require.Contains(
				t,
				out.String(),
				[]string{"and 1 more", "and 4,980 more"}[min(n/5000, 1)],
			)
		} else {
			require.NotContains(t, out.String(), "more")
		}
	}
}
