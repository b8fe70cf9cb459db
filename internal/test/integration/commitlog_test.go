//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// If commit logs have rows that are in no SSTable, the data directories of their nodes are refused,
// and the error names the commit log. After a flush they are read.
func TestRowsInTheCommitLogAreMissed(t *testing.T) {
	t.Parallel()
	// Other tests flush all tables of a keyspace.
	exec(
		t,
		"CREATE KEYSPACE IF NOT EXISTS it_unflushed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
	)
	table(t, "it_unflushed.unflushed", "(k int PRIMARY KEY, s set<int>)")
	next, rows := 0, 0
	insert := func() {
		for range 20 {
			exec(t, fmt.Sprintf("INSERT INTO it_unflushed.unflushed (k) VALUES (%d)", next))
			next, rows = next+1, rows+1
		}
	}
	truncate := func() {
		exec(t, "TRUNCATE it_unflushed.unflushed")
		rows = 0
	}
	flush := func() {
		for n := range 3 {
			administer(t, "nodetool", fmt.Sprint(n+1), "flush", "it_unflushed", "unflushed")
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	args := []string{
		"scan",
		"it_unflushed.unflushed",
		clusterFolder(),
		"--via",
		"sstables",
		"-o",
		out,
		"--force",
	}
	all := func() string { return fmt.Sprintf("%d rows", rows) }
	insert()
	flush()
	// A mutation that writes nothing is in the log, and in no SSTable after a flush.
	exec(t, "UPDATE it_unflushed.unflushed SET s = s + {} WHERE k = 0")
	require.Contains(t, ok(t, args...).report, all())
	var refused, read, verified result
	whileUnflushed(t, "it_unflushed/unflushed", func() {
		insert()
		refused = cqlbulk(t, args...)
		read = cqlbulk(t, append(args, "--ignore-commitlog")...)
		verified = cqlbulkOffline(t, "verify", out)
	})
	require.Equal(t, 1, refused.code, refused.report)
	require.Regexp(
		t,
		`the commit log has rows of it_unflushed.unflushed that may be in no SSTable.*/commitlog/CommitLog-\S+\.log`,
		refused.report,
	)
	require.Contains(t, refused.report, "nodetool drain")
	require.Zero(t, read.code, read.report)
	require.Contains(t, read.report, "rows may be missing")
	require.Zero(t, verified.code, verified.report)
	require.Contains(t, verified.out+verified.report, "rows may be missing that no SSTable had")
	flush()
	require.Contains(t, ok(t, args...).report, all())

	// Rows that TRUNCATE deleted raise no alarm, though the commit log still has them.
	insert()
	truncate()
	insert()
	flush()
	require.Contains(t, ok(t, args...).report, all())
	whileUnflushed(t, "it_unflushed/unflushed", func() {
		insert()
		refused = cqlbulk(t, args...)
	})
	require.Equal(t, 1, refused.code, refused.report)
	truncate()
}

// whileUnflushed calls do, which inserts rows into a table, until no node has flushed the table
// during do. A node flushes by itself to make room for its commit log, and then its rows are in
// SSTables.
func whileUnflushed(t *testing.T, table string, do func()) {
	t.Helper()
	const attempts = 20
	for range attempts {
		before := liveSSTables(t, table)
		do()
		if slices.Equal(before, liveSSTables(t, table)) {
			return
		}
		t.Logf("a node flushed %s meanwhile", table)
	}
	require.Fail(t, "nodes flush the table again and again")
}

// liveSSTables lists those of a table, keyspace/table, on all nodes. No two have the same name.
func liveSSTables(t *testing.T, table string) []string {
	t.Helper()
	found, err := filepath.Glob(
		filepath.Join(clusterFolder(), "node*/data/data", table+"-*", "*-Data.db"),
	)
	require.NoError(t, err)
	require.NotEmpty(t, found, "the test knows where nodes have them")
	return found
}
