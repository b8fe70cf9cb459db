//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The data directories of nodes whose commit logs have rows that are in no SSTable are not read as if
// they were whole: the commit log is named. After a flush they are.
func TestRowsInTheCommitLogAreMissed(t *testing.T) {
	t.Parallel()
	// Other tests flush all tables of a keyspace.
	exec(t, "CREATE KEYSPACE IF NOT EXISTS it_unflushed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
	table(t, "it_unflushed.unflushed", "(k int PRIMARY KEY, s set<int>)")
	insert := func(from, to int) {
		for k := from; k < to; k++ {
			exec(t, fmt.Sprintf("INSERT INTO it_unflushed.unflushed (k) VALUES (%d)", k))
		}
	}
	flush := func() {
		for n := range 3 {
			administer(t, "nodetool", fmt.Sprint(n+1), "flush", "it_unflushed", "unflushed")
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	args := []string{"scan", "it_unflushed.unflushed", clusterFolder(), "--via", "sstables", "-o", out, "--force"}
	insert(0, 20)
	flush()
	// A mutation that writes nothing is in the log, and in no SSTable after a flush.
	exec(t, "UPDATE it_unflushed.unflushed SET s = s + {} WHERE k = 0")
	require.Contains(t, ok(t, args...).report, "20 rows")
	insert(20, 40)
	r := cqlbulk(t, args...)
	require.Equal(t, 1, r.code, r.report)
	require.Regexp(t, `the commit log has rows of it_unflushed.unflushed that may be in no SSTable.*/commitlog/CommitLog-\S+\.log`, r.report)
	require.Contains(t, r.report, "nodetool drain")
	// How many rows there are is not known: a node flushes tables to make room for its commit log.
	r = ok(t, append(args, "--ignore-commitlog")...)
	require.Contains(t, r.report, "rows may be missing")
	r = cqlbulkOffline(t, "verify", out)
	require.Zero(t, r.code, r.report)
	require.Contains(t, r.out+r.report, "rows may be missing that no SSTable had")
	flush()
	require.Contains(t, ok(t, args...).report, "40 rows")

	// Rows that TRUNCATE deleted raise no alarm, though the commit log still has them.
	insert(40, 60)
	exec(t, "TRUNCATE it_unflushed.unflushed")
	insert(60, 80)
	flush()
	require.Contains(t, ok(t, args...).report, "20 rows")
	insert(80, 100)
	require.Equal(t, 1, cqlbulk(t, args...).code)
	exec(t, "TRUNCATE it_unflushed.unflushed")
}
