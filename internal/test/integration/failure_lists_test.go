//go:build integration

package integration

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsKilled kills a load of lists that are not frozen. What was under way is
// written again where that is asked for, by resume or by retry, and no element is there
// twice.
func TestListsKilled(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := min(testRows(t, 6_000), 100_000)
	input := make([]string, rows)
	for i := range input {
		input[i] = fmt.Sprintf("%d,\"[%d, 7]\"\n", i, i)
	}
	path := file(t, "in.csv", "k,l\n"+strings.Join(input, ""))
	for _, by := range []string{"resume", "retry"} {
		t.Run(by, func(t *testing.T) {
			table(t, "it1.lists", "(k int PRIMARY KEY, l list<int>)")
			dir := t.TempDir() + "/run"
			run := spawn(
				t,
				nil,
				quorum(
					"load",
					"it1.lists",
					path,
					"--run-dir",
					dir,
					"--ingestrate",
					strconv.Itoa(rows/10),
				)...)
			run.until(t, "some rows are written", func() bool { return recordedRows(dir) > 0 })
			run.kill(t)
			require.Contains(t, status(t, dir), "begun  ", "there is something to repeat")
			if by == "resume" {
				r := spawn(t, nil, "resume", dir, "--repeat-in-doubt").end(t)
				require.Zero(t, r.code)
				require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
			} else {
				r := spawn(t, nil, "resume", dir).end(t)
				require.Equal(t, 2, r.code)
				require.Positive(t, number(t, r, "([0-9,]+) in doubt"))
				r = spawn(t, nil, "retry", dir, "--repeat-in-doubt").end(t)
				require.Zero(t, r.code)
			}
			requireTable(t, "it1.lists", input)
		})
	}
}
