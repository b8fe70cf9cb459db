//go:build integration

package integration

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A load does not resume after a TRUNCATE: what it had loaded is gone. A TRUNCATE before the load
// is no reason, and its rejects are still loaded.
func TestResumeAfterTruncate(t *testing.T) {
	t.Parallel()
	table(t, "it3.truncated", "(k int PRIMARY KEY, v int)")
	exec(t, "INSERT INTO it3.truncated (k, v) VALUES (9, 9)", "TRUNCATE it3.truncated")
	input, run := file(t, "in.csv", "k,v\n1,1\n2,two\n3,3\n"), t.TempDir()+"/run"
	loaded := cqlbulk(t, "load", "it3.truncated", input, "--run-dir", run)
	require.Equal(t, 2, loaded.code, loaded.report)
	resumed := cqlbulk(t, "resume", run)
	require.Equal(t, 2, resumed.code, resumed.report)

	exec(t, "TRUNCATE it3.truncated")
	refused := cqlbulk(t, "resume", run)
	require.Equal(t, 4, refused.code, refused.report)
	require.Contains(t, refused.report, "table it3.truncated was truncated at 20")
	require.Equal(t, "0\n", ok(t, "count", "it3.truncated").out)

	rejects := run + "/rejects.csv"
	require.NoError(
		t,
		os.WriteFile(rejects, []byte(strings.ReplaceAll(read(t, rejects), "two", "2")), 0o600),
	)
	ok(t, "retry", run)
	require.Equal(t, "1\n", ok(t, "count", "it3.truncated").out)
}

// If a table is truncated while its ranges are read and cut, the run ends well and warns. It reads
// at ONE. Above that the coordinator may find rows on one replica that another has truncated. It
// repairs the other, and the table has those rows again.
func TestTruncateWhileATableIsRead(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&rows, "%d,%d\n", i, i)
	}
	input := file(t, "in.csv", "k,v\n"+rows.String())
	for _, command := range []string{"scan", "count"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			name := "it3.truncated_" + command
			table(t, name, "(k int PRIMARY KEY, v int)")
			ok(t, "load", name, input)
			args := []string{command, name, "--rate", "100", "--consistency", "ONE"}
			if command == "scan" {
				args = append(args, "--no-journal", "--output", "out.csv")
			}
			p := start(t, nil, args...)
			require.Eventually(t, func() bool {
				return strings.Contains(p.report.String(), " rows/s")
			}, time.Minute, 10*time.Millisecond, "a line of progress")
			exec(t, "TRUNCATE "+name)
			ended := p.end(t)
			require.Equal(t, 0, ended.code, ended.report)
			require.Contains(t, ended.report, "table "+name+" was truncated at 20")
			require.Equal(t, "0\n", ok(t, "count", name).out)
		})
	}
}
