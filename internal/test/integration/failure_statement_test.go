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

// TestStatementsKilled kills loads that run statements, twice each, and resumes them. The table is
// exact then. For a row in doubt, the statement has run once or not at all.
func TestStatementsKilled(t *testing.T) {
	lengthy(t)
	rows := min(testRows(t, 6_000), 100_000)
	for _, c := range []struct {
		name, query string
		done        func(k int) string // the row of a key for which the statement has run
		mayDoubt    bool
	}{
		{
			"update", "UPDATE %s SET v = 0, s = s + {7} WHERE k = :k",
			func(k int) string { return fmt.Sprintf("%d,,{7},0", k) }, false,
		},
		{
			"delete", "DELETE FROM %s WHERE k = :k",
			func(int) string { return "" }, false,
		},
		{
			"append", "UPDATE %s SET l = l + ['a'] WHERE k = :k",
			func(k int) string { return fmt.Sprintf("%d,['a'],,%[1]d", k) }, true,
		},
		{
			"condition", "UPDATE %s SET v = 0 WHERE k = :k IF v = :k",
			func(k int) string { return fmt.Sprintf("%d,,,0", k) }, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := "it3.stmt" + c.name
			table(t, name, "(k int PRIMARY KEY, v int, l list<text>, s set<int>)")
			var before, keys strings.Builder
			pad := strings.Repeat("x", 2000)
			before.WriteString("k,v\n")
			keys.WriteString("k,pad\n")
			for k := range rows {
				fmt.Fprintf(&before, "%d,%[1]d\n", k)
				fmt.Fprintf(&keys, "%d,%s\n", k, pad) // so that it is read in many pieces
			}
			ok(t, "load", name, file(t, "before.csv", before.String()), "--consistency", "QUORUM")
			dir := t.TempDir() + "/run"
			r := killed(t, 2, rows, dir, "load", file(t, "keys.csv", keys.String()),
				"--query", fmt.Sprintf(c.query, name), "--skipcols", "pad")
			require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
			doubtful := make(map[string]bool)
			if r.code != 0 {
				require.Equal(t, 2, r.code)
				require.True(t, c.mayDoubt)
				for line := range strings.Lines(read(t, filepath.Join(dir, "in-doubt.csv"))) {
					k, _, _ := strings.Cut(line, ",")
					doubtful[k] = true
				}
				delete(doubtful, "k") // the header
			}
			requireStatements(t, name, rows, doubtful, c.done)
		})
	}
}

// killed runs a load and kills it as often as said, each time a little later. It resumes it then,
// and returns how it ended.
func killed(t *testing.T, kills, rows int, dir string, args ...string) result {
	t.Helper()
	when := newMoments(t, kills, rows, 300*time.Millisecond)
	args = quorum(append(args, "--run-dir", dir, "--ingestrate", strconv.Itoa(rows/10))...)
	for kill := range kills {
		run := spawn(t, nil, args...)
		when.await(t, kill, run, func() int64 { return recordedRows(dir) })
		run.kill(t)
		args = []string{"resume", dir}
	}
	return spawn(t, nil, args...).end(t)
}

// requireStatements requires that a statement has run for each key. Those in doubt may have a row
// as before.
func requireStatements(
	t *testing.T,
	name string,
	rows int,
	doubtful map[string]bool,
	done func(k int) string,
) {
	t.Helper()
	there := make(map[string]string)
	scanned := ok(t, "scan", name, "--consistency", "QUORUM", "--header=false").out
	for line := range strings.Lines(scanned) {
		k, _, _ := strings.Cut(line, ",")
		there[k] = strings.TrimSpace(line)
	}
	left := 0
	for k := range rows {
		key := strconv.Itoa(k)
		got := there[key]
		if doubtful[key] && got == fmt.Sprintf("%d,,,%[1]d", k) {
			left++
			continue
		}
		require.Equal(t, done(k), got, "key %d", k)
	}
	t.Logf("%d rows were in doubt, and the statement has not run for %d of them", len(doubtful), left)
}
