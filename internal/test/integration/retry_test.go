//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rejected row that is mended and loaded again does not replace a later row of its key. It has
// the timestamp that it would have had.
func TestRetryKeepsTheOrder(t *testing.T) {
	t.Parallel()
	table(t, "it2.retried", "(k int PRIMARY KEY, n int)")
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(
		t,
		"load",
		"it2.retried",
		file(t, "in.csv", "k,n\n1,one\n2,two\n1,10\n"),
		"--run-dir",
		dir,
	)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "cqlbulk retry "+dir)
	told := status(t, dir)
	require.Contains(t, told, "1 written, 3 read, 2 rejected")
	require.Contains(
		t,
		told,
		"next       edit "+filepath.Join(dir, "rejects.csv")+", then: cqlbulk retry "+dir,
	)

	// As they are, they are rejected again, into a run directory of their own.
	r = cqlbulk(t, "retry", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "cqlbulk retry "+filepath.Join(dir, "retry-1"))

	kept := filepath.Join(dir, "rejects.csv")
	mended := strings.NewReplacer("one", "1", "two", "2").Replace(read(t, kept))
	require.NoError(t, os.WriteFile(kept, []byte(mended), 0o600))
	r = ok(t, "retry", dir)
	require.Contains(t, r.report, "nothing is left to retry")
	require.NoDirExists(t, filepath.Join(dir, "retry-2"), "it had nothing to record")
	require.ElementsMatch(
		t,
		[]string{"1,10", "2,2"},
		strings.Fields(ok(t, "scan", "it2.retried", "--header=false").out),
	)

	// With a row more the rows cannot be identified: they are written as of now.
	require.NoError(t, os.WriteFile(kept, []byte(mended+"3,3\n"), 0o600))
	r = ok(t, "retry", dir)
	require.Contains(
		t,
		r.report,
		"rejects.csv has 3 rows instead of the 2 that were rejected: they are written as of now",
	)
	require.ElementsMatch(
		t,
		[]string{"1,1", "2,2", "3,3"},
		strings.Fields(ok(t, "scan", "it2.retried", "--header=false").out),
	)
}

// Rejects that were read wrongly are read differently, by a retry and by its resume: null, dates
// and booleans of another style, and a column of another name. Loaded rows stay.
func TestRetryReadsOtherwise(t *testing.T) {
	t.Parallel()
	table(t, "it1.reread", "(k int PRIMARY KEY, n int, at timestamp, ok boolean)")
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(
		t,
		"load",
		"it1.reread",
		file(t, "in.csv", "k,n,at,ok\n1,1,2026-01-02T00:00:00Z,true\n2,NA,,\n3,3,03.01.2026,ja\n"),
		"--run-dir",
		dir,
	)
	require.Equal(t, 2, r.code, r.report)
	r = cqlbulk(t, "retry", dir, "--null-string", "NA")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(
		t,
		r.report,
		"the 2 rejected rows are read this way; the 1 row that is loaded stays as it was read",
	)
	try := filepath.Join(dir, "retry-1")
	r = ok(
		t,
		"retry",
		try,
		"--dialect",
		"cqlsh",
		"--datetimeformat",
		"%d.%m.%Y",
		"--boolstyle",
		"ja,nein",
	)
	require.Contains(t, r.report, "nothing is left to retry")
	require.ElementsMatch(
		t,
		[]string{"1,1,2026-01-02T00:00:00Z,true", "2,,,", "3,3,2026-01-03T00:00:00Z,true"},
		strings.Fields(ok(t, "scan", "it1.reread", "--columns", "k,n,at,ok", "--header=false").out),
	)
	require.Contains(t, status(t, dir), "rejects.csv, read with --null-string NA")
	require.Equal(t, 1, cqlbulk(t, "retry", dir, "--delimiter", ";").code)
}
