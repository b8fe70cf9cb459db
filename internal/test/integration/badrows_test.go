//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testRows is how many rows a test of a large input makes: CQLBULK_TEST_ROWS, or
// else a number that keeps the suite short.
func testRows(t *testing.T, otherwise int) int {
	t.Helper()
	n, err := strconv.Atoi(env("CQLBULK_TEST_ROWS", strconv.Itoa(otherwise)))
	require.NoError(t, err)
	return n
}

// rejection is a line of errors.jsonl.
type rejection struct {
	File   string
	Line   int64
	Column int
	Offset int64
	Name   string
	Value  string
	Reason string
	Stage  string
}

// rejections reads errors.jsonl of a run directory.
func rejections(t *testing.T, dir string) []rejection {
	t.Helper()
	var all []rejection
	var r rejection
	for line := range strings.Lines(read(t, filepath.Join(dir, "errors.jsonl"))) {
		if strings.HasPrefix(line, `{"file":`) {
			r = rejection{} // else it has what is not as before
		}
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		all = append(all, r)
	}
	return all
}

// TestEveryKindOfBadValue loads an input in which one row in a hundred is wrong, in every way there
// is. Those rows and no others are rejected, byte for byte and each with its place and reason.
// Mended they load, and then the table is the one that the clean input makes.
func TestEveryKindOfBadValue(t *testing.T) {
	t.Parallel()
	rows := testRows(t, either(4_000, 20_000))
	exec(
		t,
		"DROP TABLE IF EXISTS it1.bad",
		"DROP TABLE IF EXISTS it1.bad_clean",
		"DROP TYPE IF EXISTS it1.place",
		badUDT,
	)
	table(t, "it1.bad", badBody)
	table(t, "it1.bad_clean", badBody)
	input, clean, bad := badInput(rows)
	require.GreaterOrEqual(t, len(bad), len(badKinds), "every kind comes at least once")
	path, dir := file(t, "dirty.csv", input), filepath.Join(t.TempDir(), "run")

	r := cqlbulk(t, "load", "it1.bad", path, "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(
		t,
		r.report,
		fmt.Sprintf("%s read, %s rejected", grouped(rows), grouped(len(bad))),
	)

	header, _, _ := strings.Cut(input, "\n")
	rejected, mended := header+"\n", header+"\n"
	seen := make(map[int64]bool)
	for _, e := range rejections(t, dir) {
		want, ok := bad[e.Offset]
		require.True(t, ok, "a good row was rejected: %+v", e)
		require.False(t, seen[e.Offset], "rejected twice: %+v", e)
		seen[e.Offset] = true
		want.compare(t, path, e)
		rejected += want.raw
		mended += want.mended
	}
	require.Len(t, seen, len(bad))
	require.True(
		t,
		rejected == read(t, dir+"/rejects.csv"),
		"the rejects are the bad rows byte for byte",
	)
	require.Equal(t, fmt.Sprintln(rows-len(bad)), ok(t, "count", "it1.bad").out)

	reloaded := ok(t, "load", "it1.bad", file(t, "mended.csv", mended))
	require.Contains(t, reloaded.report, fmt.Sprintf("%s read, 0 rejected", grouped(len(bad))))
	ok(t, "load", "it1.bad_clean", file(t, "clean.csv", clean))
	want := ok(t, "scan", "it1.bad_clean", "-o", t.TempDir()+"/clean.csv")
	require.Contains(t, want.report, grouped(rows)+" rows")
	require.Equal(
		t,
		checksum(t, want),
		checksum(t, ok(t, "scan", "it1.bad", "-o", t.TempDir()+"/mended.csv")),
	)
}

// compare compares what was reported of a row with what was wrong with it.
func (b badRow) compare(t *testing.T, path string, e rejection) {
	t.Helper()
	what := fmt.Sprintf("%+v of %.200q", e, b.raw)
	require.Equal(t, path, e.File, what)
	require.Equal(t, b.line, e.Line, what)
	require.Equal(t, b.column, e.Column, what)
	require.Equal(t, "parse", e.Stage, what)
	require.Contains(t, e.Reason, b.kind.reason, what)
	if b.kind.row != nil || b.kind.shift > 0 { // the row as a whole
		require.Empty(t, e.Name, what)
		require.Empty(t, e.Value, what)
		return
	}
	value := b.kind.value
	if value == "" && b.kind.text != `""` {
		value = b.kind.text
	}
	require.Equal(t, b.kind.column, e.Name, what)
	require.Equal(t, value, e.Value, what)
}

// grouped writes a number as the summaries do: 12,345.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
