//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTableDroppedInMidLoad drops the table under a slow load, which ends soon and
// says what was acknowledged.
func TestTableDroppedInMidLoad(t *testing.T) {
	t.Parallel()
	table(t, "it1.dropped", "(k int PRIMARY KEY, v text)")
	var input strings.Builder
	input.WriteString("k,v\n")
	const rows = 200_000
	for i := range rows {
		fmt.Fprintf(&input, "%d,v%d\n", i, i)
	}
	// In full this load takes more than three minutes.
	load := start(
		t,
		nil,
		"load",
		"it1.dropped",
		file(t, "in.csv", input.String()),
		"--ingestrate",
		"1000",
	)
	there := 0
	require.Eventually(t, func() bool {
		there = counted(t, "it1.dropped")
		return there > 0
	}, time.Minute, 50*time.Millisecond)
	exec(t, "DROP TABLE it1.dropped")
	dropped := time.Now()
	r := load.end(t)
	t.Logf(
		"ended %v after the table was dropped: %s",
		time.Since(dropped).Round(time.Millisecond),
		r.report,
	)
	require.Equal(t, 4, r.code, r.report)
	require.Regexp(t, "unconfigured table dropped|table dropped does not exist", r.report)
	acknowledged := number(t, r, "loaded +([0-9,]+) rows?")
	require.GreaterOrEqual(t, acknowledged, there)
	require.Less(t, acknowledged, rows)
}

// counted is the number of rows in a table.
func counted(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(ok(t, "count", name).out))
	require.NoError(t, err)
	return n
}

// TestNoRoomForRejects fills the disk under the rejects, by a limit on the size of files. The load
// stops, names the file and prints what was acknowledged. With room again it resumes to the end,
// and each bad row is kept once.
func TestNoRoomForRejects(t *testing.T) {
	t.Parallel()
	table(t, "it1.noroom", "(k int PRIMARY KEY, v text)")
	var input strings.Builder
	input.WriteString("k,v\n")
	const rows = 30_000
	bad := 0
	for i := range rows {
		k := strconv.Itoa(i)
		if i > rows/2 && i%10 == 0 {
			k = fmt.Sprintf("bad%d", i)
			bad++
		}
		fmt.Fprintf(&input, "%s,%s\n", k, strings.Repeat("x", 500))
	}
	dir := filepath.Join(t.TempDir(), "run")
	limited := []string{"sh", "-c", `ulimit -f 256; "$@"`, "sh"}
	r := start(
		t,
		limited,
		"load",
		"it1.noroom",
		file(t, "in.csv", input.String()),
		"--run-dir",
		dir,
	).end(t)
	require.Equal(t, 4, r.code, r.report)
	require.Contains(t, r.report, "file too large")
	require.Contains(t, r.report, filepath.Join(dir, "rejects.csv"))
	acknowledged := number(t, r, "loaded +([0-9,]+) rows?")
	require.Positive(t, acknowledged)
	there := counted(t, "it1.noroom")
	require.GreaterOrEqual(t, there, acknowledged)
	require.Less(t, there, rows-bad)

	resumed := cqlbulk(t, "resume", dir)
	require.Equal(t, 2, resumed.code, resumed.report)
	require.Contains(
		t,
		resumed.report,
		fmt.Sprintf("%s read, %s rejected", grouped(rows), grouped(bad)),
	)
	require.Equal(t, rows-bad, counted(t, "it1.noroom"))
	kept := make(map[string]bool)
	for _, line := range lines(t, dir+"/rejects.csv")[1:] {
		require.False(t, kept[line], "kept twice: %.20s", line)
		require.Regexp(t, "^bad[0-9]+,x{500}$", line)
		kept[line] = true
	}
	require.Len(t, kept, bad)
	require.Len(t, rejections(t, dir), bad)
}
