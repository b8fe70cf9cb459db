//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// changeViewed makes a random statement for the base table of views. It uses few keys and few
// timestamps, so that many statements tie.
func changeViewed(r *rand.Rand, name string) string {
	row := fmt.Sprintf("k = %d AND c = %d", r.IntN(4), r.IntN(3))
	using := fmt.Sprintf("USING TIMESTAMP %d", 1_700_000_000_000_000+r.IntN(30))
	ttl := ""
	switch r.IntN(6) {
	case 0:
		ttl = " AND TTL 1"
	case 1:
		ttl = " AND TTL 100000"
	}
	g, v := r.IntN(3), r.IntN(1000)
	switch r.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf(
			"INSERT INTO %s (k, c, g, v, u, m) VALUES (%d, %d, %d, 'v%d', %d, {%d: 1}) %s%s",
			name,
			r.IntN(4),
			r.IntN(3),
			g,
			v,
			v,
			v%3,
			using,
			ttl,
		)
	case 3:
		return fmt.Sprintf("UPDATE %s %s%s SET g = %d WHERE %s", name, using, ttl, g, row)
	case 4:
		return fmt.Sprintf("UPDATE %s %s SET g = null WHERE %s", name, using, row)
	case 5:
		return fmt.Sprintf("UPDATE %s %s%s SET v = 'u%d' WHERE %s", name, using, ttl, v, row)
	case 6:
		return fmt.Sprintf("UPDATE %s %s%s SET u = %d WHERE %s", name, using, ttl, v, row)
	case 7:
		return fmt.Sprintf("DELETE u FROM %s %s WHERE %s", name, using, row)
	case 8:
		return fmt.Sprintf("UPDATE %s %s%s SET m[%d] = %d WHERE %s", name, using, ttl, v%3, v, row)
	case 9:
		return fmt.Sprintf("DELETE FROM %s %s WHERE %s", name, using, row)
	case 10:
		return fmt.Sprintf("DELETE v, m FROM %s %s WHERE %s", name, using, row)
	default:
		return fmt.Sprintf(
			"DELETE FROM %s %s WHERE k = %d AND c >= %d",
			name,
			using,
			r.IntN(4),
			r.IntN(3),
		)
	}
}

// viewsOf are views of a table (k, c, g, v, u, m): what follows AS SELECT. Only those with g in
// their key have strict liveness (View.enforceStrictLiveness); those that leave columns out keep a
// row's liveness by these, too (ViewUpdateGenerator.computeLivenessInfoForEntry).
var viewsOf = map[string]string{
	"by_g":      "* FROM %s WHERE g IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL PRIMARY KEY (g, k, c)",
	"by_g_some": "g, k, c, v FROM %s WHERE g IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, g, k) WITH CLUSTERING ORDER BY (g DESC, k ASC)",
	"by_c":      "* FROM %s WHERE k IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, k)",
	"by_c_some": "k, c, v FROM %s WHERE k IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, k)",
	"by_filter": "k, c, g, v FROM %s WHERE g IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL AND c < 2 PRIMARY KEY ((g, c), k)",
}

// makeViews makes a base table with all views. The names of these begin with that of the table.
func makeViews(t *testing.T, base string) {
	t.Helper()
	for view := range viewsOf {
		exec(t, "DROP MATERIALIZED VIEW IF EXISTS "+base+"_"+view)
	}
	table(t, base, "(k int, c int, g int, v text, u int, m map<int, int>, PRIMARY KEY (k, c))")
	for view, as := range viewsOf {
		exec(t, "CREATE MATERIALIZED VIEW "+base+"_"+view+" AS SELECT "+fmt.Sprintf(as, base))
	}
}

// requireSameSoon requires that a view has the same rows, and as many, by CQL and by another way.
// Its replicas get a row after those of the base table, and what expires does so by the clock.
func requireSameSoon(t *testing.T, name string, way ...string) {
	t.Helper()
	const attempts = 100 // not a time: on a busy host one comparison takes as long as it takes
	var want, got []string
	for range attempts {
		want = scannedLines(t, name)
		got = scannedLines(t, append([]string{name}, way...)...)
		count := ok(t, append([]string{"count", name}, way...)...).out
		if slices.Equal(want, got) && count == fmt.Sprintln(len(want)) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	require.Fail(t, "rows differ", "%s: rows by CQL and by %s: %s %s", name, way, want, got)
}

// Views are read alike by CQL, streamed out of their nodes, and from snapshots, whatever was done
// to their base table, and counted alike.
func TestViewsAreReadAlikeByEveryDoor(t *testing.T) {
	t.Parallel()
	rounds := either(1, 30)
	seed := uint64(either(1, int(time.Now().UnixNano()%1_000_000)))
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(22, seed))
	makeViews(t, "it1.viewed")
	exec(
		t, // the example of the documentation of views: two rows have moved, or gone
		"INSERT INTO it1.viewed (k, c, g, v) VALUES (101, 1, 10, 'a')",
		"INSERT INTO it1.viewed (k, c, g, v) VALUES (102, 1, 1, 'b')",
		"INSERT INTO it1.viewed (k, c, g, v) VALUES (103, 1, 30, 'c')",
		"UPDATE it1.viewed SET g = 20 WHERE k = 101 AND c = 1",
		"UPDATE it1.viewed SET g = null WHERE k = 103 AND c = 1",
	)
	for round := range rounds {
		for range 60 {
			exec(t, changeViewed(r, "it1.viewed"))
		}
		for view := range viewsOf {
			requireSameSoon(t, "it1.viewed_"+view, "--via", "stream", "--listen", anyPort)
		}
		if round%4 == 3 {
			administer(t, "nodetool", "1", "compact", "it1", "viewed_by_g")
		}
	}
	// Snapshots of views have a schema.cql without the types of columns: the cluster is asked for
	// them.
	snapshots := make(map[string][]string)
	var names []string
	for view := range viewsOf {
		names = append(names, "it1.viewed_"+view)
		for _, n := range tablesOnDisk(t, "it1", "viewed_"+view) {
			snapshots[view] = append(snapshots[view], filepath.Join(n.folder, "snapshots/viewed"))
		}
	}
	for _, n := range tablesOnDisk(t, "it1", "viewed") {
		require.NoError(t, takeSnapshot(n.node, "viewed", names...))
	}
	for view, folders := range snapshots {
		requireSameSoon(t, "it1.viewed_"+view, append(folders, "--via", "sstables")...)
	}
}

// A snapshot of a view is read without the cluster if a schema has the view and its base table. It
// is never cloned: in a table, rows that the view no longer shows would live again.
func TestSnapshotsOfViewsAreReadByASchemaAndNotCloned(t *testing.T) {
	t.Parallel()
	const as = " AS SELECT * FROM it1.sighted WHERE g IS NOT NULL AND k IS NOT NULL PRIMARY KEY (g, k)"
	exec(t, "DROP MATERIALIZED VIEW IF EXISTS it1.sighted_by_g")
	const body = "(k int PRIMARY KEY, g int, v text)"
	table(t, "it1.sighted", body)
	table(t, "it1.sighted_copy", "(g int, k int, v text, PRIMARY KEY (g, k))")
	exec(
		t,
		"CREATE MATERIALIZED VIEW it1.sighted_by_g"+as,
		"INSERT INTO it1.sighted (k, g, v) VALUES (1, 10, 'a')",
		"INSERT INTO it1.sighted (k, g, v) VALUES (2, 1, 'b')",
		"UPDATE it1.sighted SET g = 20 WHERE k = 1",
	)
	requireSameSoon(t, "it1.sighted_by_g", "--via", "stream", "--listen", anyPort)
	var folders, snapshots []string
	for _, n := range tablesOnDisk(t, "it1", "sighted_by_g") {
		require.NoError(t, takeSnapshot(n.node, "sighted", "it1.sighted_by_g"))
		folders = append(folders, n.folder)
		snapshots = append(snapshots, filepath.Join(n.folder, "snapshots/sighted"))
	}
	schema := file(
		t,
		"schema.cql",
		"CREATE MATERIALIZED VIEW it1.sighted_by_g"+as+"; CREATE TABLE it1.sighted "+body,
	)
	read := append(
		[]string{
			"it1.sighted_by_g",
			"--via",
			"sstables",
			"--schema",
			schema,
			"--hosts",
			"127.0.0.255",
		},
		snapshots...)
	require.Equal(t, []string{"1,2,b\n", "20,1,a\n"}, scannedLines(t, read...))

	alone := file(t, "alone.cql", "CREATE MATERIALIZED VIEW it1.sighted_by_g"+as)
	r := cqlbulk(
		t,
		append(
			[]string{"scan", "it1.sighted_by_g", "--via", "sstables", "--schema", alone},
			snapshots...)...)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, `no statement makes its base table "sighted"`)
	asTable := file(
		t,
		"table.cql",
		"CREATE TABLE it1.sighted_by_g (g int, k int, v text, PRIMARY KEY (g, k))",
	)
	r = cqlbulk(
		t,
		append(
			[]string{"scan", "it1.sighted_by_g", "--via", "sstables", "--schema", asTable},
			snapshots...)...)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, "schema.cql makes a materialized view")
	r = cqlbulk(
		t,
		append(
			[]string{"scan", "it1.sighted_by_g", "--via", "sstables", "--schema", asTable},
			folders...)...)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, "has rows that only a materialized view can have")

	for _, from := range [][]string{snapshots, folders, append([]string{"--schema", schema}, snapshots...)} {
		r := cqlbulk(
			t,
			append(
				[]string{"clone", "it1.sighted_copy", "--from-table", "it1.sighted_by_g"},
				from...)...)
		require.Equal(t, 1, r.code, r.report)
		require.Contains(t, r.report, "materialized view")
	}
	require.Equal(t, "0\n", ok(t, "count", "it1.sighted_copy").out)
}

// The folder of a table that was dropped, and made again with other columns, is not read with the
// columns that it has now.
func TestFolderOfADroppedTableIsNotReadAsTheNewOne(t *testing.T) {
	t.Parallel()
	table(t, "it3.recreated", "(k int, c int, v int, PRIMARY KEY (k, c))")
	exec(t, "INSERT INTO it3.recreated (k, c, v) VALUES (1, 2, 3)")
	old := t.TempDir()
	for _, n := range nodeTables(t, "it3", "recreated") {
		copied := filepath.Join(old, "node"+n.node, "it3", filepath.Base(n.folder))
		require.NoError(t, os.CopyFS(copied, os.DirFS(n.folder)))
	}
	table(t, "it3.recreated", "(c int, k int, v int, PRIMARY KEY (c, k))")
	r := cqlbulk(t, "scan", "it3.recreated", "--via", "sstables", old)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, "it was dropped and made again, or they are of another cluster")
	schema := file(
		t,
		"schema.cql",
		"CREATE TABLE it3.recreated (k int, c int, v int, PRIMARY KEY (k, c))",
	)
	require.Equal(
		t,
		[]string{"1,2,3\n"},
		scannedLines(t, "it3.recreated", "--via", "sstables", old, "--schema", schema),
	)
}
