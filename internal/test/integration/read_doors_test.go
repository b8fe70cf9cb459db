//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// anyPort makes nodes send their files to any free port, because several tests read at the same
// time.
const anyPort = ":0"

// scannedLines is what a scan writes, line by line and in order, without the header.
func scannedLines(t *testing.T, args ...string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.csv")
	ok(t, append([]string{"scan", "-o", out, "--force", "--header=false"}, args...)...)
	return slices.Sorted(strings.Lines(read(t, out)))
}

// requireSameByStream requires that a table that is streamed out of its nodes is what CQL reads of
// it, with the times of its values. It returns the rows.
func requireSameByStream(t *testing.T, keyspace, name string) []string {
	t.Helper()
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	columns := "--columns=" + timesToo(described)
	if described.IsCounter() {
		columns = "--columns=" + strings.Join(described.Names(), ",")
	}
	want := scannedLines(t, keyspace+"."+name, columns)
	require.Equal(
		t,
		want,
		scannedLines(t, keyspace+"."+name, columns, "--via", "stream", "--listen", anyPort),
	)
	return want
}

// hurtBody is a table in which everything can be deleted.
const hurtBody = `(k int, a int, b text, s text static, sm map<int, text> static, v text, i int, l list<int>, m map<text, int>, e set<int>, f frozen<list<int>>,
	PRIMARY KEY (k, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC) AND gc_grace_seconds = 864000`

// hurt makes a statement at random, of few keys and few timestamps, so that statements meet.
func hurt(r *rand.Rand, name string) string {
	k, a, b := r.IntN(12), r.IntN(4), fmt.Sprintf("b%d", r.IntN(3))
	row := fmt.Sprintf("k = %d AND a = %d AND b = '%s'", k, a, b)
	using := fmt.Sprintf("USING TIMESTAMP %d", 1_700_000_000_000_000+r.IntN(40))
	ttl := ""
	switch r.IntN(8) {
	case 0:
		ttl = " AND TTL 1"
	case 1:
		ttl = " AND TTL 100000"
	}
	value := r.IntN(1000)
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		return fmt.Sprintf(
			"INSERT INTO %s (k, a, b, v, i, l, m, e, f) VALUES (%d, %d, '%s', 'v%d', %d, [%d, 2], {'x': %d, 'y': 1}, {%d, 7}, [%d]) %s%s",
			name,
			k,
			a,
			b,
			value,
			value,
			value,
			value,
			value,
			value,
			using,
			ttl,
		)
	case 4:
		return fmt.Sprintf(
			"INSERT INTO %s (k, a, b, i) VALUES (%d, %d, '%s', null) %s",
			name,
			k,
			a,
			b,
			using,
		)
	case 5:
		return fmt.Sprintf(
			"UPDATE %s %s%s SET v = 'u%d', l = l + [%d], m['z'] = %d, e = e + {%d} WHERE %s",
			name,
			using,
			ttl,
			value,
			value,
			value,
			value%5,
			row,
		)
	case 6:
		return fmt.Sprintf(
			"UPDATE %s %s%s SET s = 's%d', sm[%d] = 'x' WHERE k = %d",
			name,
			using,
			ttl,
			value,
			value%3,
			k,
		)
	case 7:
		return fmt.Sprintf("DELETE s, sm[1] FROM %s %s WHERE k = %d", name, using, k)
	case 8:
		return fmt.Sprintf("DELETE v, m['x'], e FROM %s %s WHERE %s", name, using, row)
	case 9:
		return fmt.Sprintf("DELETE FROM %s %s WHERE %s", name, using, row)
	case 10:
		return fmt.Sprintf("DELETE FROM %s %s WHERE k = %d AND a = %d", name, using, k, a)
	case 11:
		return fmt.Sprintf(
			"DELETE FROM %s %s WHERE k = %d AND a > %d AND a <= %d",
			name,
			using,
			k,
			a-2,
			a,
		)
	case 12:
		return fmt.Sprintf(
			"DELETE FROM %s %s WHERE k = %d AND a = %d AND b >= '%s'",
			name,
			using,
			k,
			a,
			b,
		)
	case 13:
		return fmt.Sprintf("DELETE FROM %s %s WHERE k = %d", name, using, k)
	case 14:
		return fmt.Sprintf(
			"UPDATE %s %s SET l = [%d, %d], m = {'n': 1}, i = %d WHERE %s",
			name,
			using,
			value,
			value+1,
			value,
			row,
		)
	default:
		return fmt.Sprintf(
			"UPDATE %s %s%s SET f = null, i = %d WHERE %s",
			name,
			using,
			ttl,
			value,
			row,
		)
	}
}

// A table is read alike by CQL, streamed out of its nodes, from their snapshots, and from their
// live files. In it, rows, ranges, partitions, cells and elements were deleted, written again at
// the same times, and expired, in many SSTables.
func TestTombstonesAreReadAlikeByEveryDoor(t *testing.T) {
	t.Parallel()
	rounds := either(3, 20)
	r := rand.New(rand.NewPCG(13, uint64(rounds)))
	table(t, "it3.hurt", hurtBody)
	for range rounds {
		for range 80 {
			exec(t, hurt(r, "it3.hurt"))
		}
		time.Sleep(2100 * time.Millisecond) // what expires has expired on every node's clock
		// To be streamed the tables are flushed: each round is an SSTable of its own on each node.
		require.NotEmpty(t, requireSameByStream(t, "it3", "hurt"))
	}
	want := scannedLines(t, "it3.hurt")
	for _, level := range []string{"LOCAL_ONE", "QUORUM", "ALL"} {
		require.Equal(
			t,
			want,
			scannedLines(
				t,
				"it3.hurt",
				"--via",
				"stream",
				"--listen",
				anyPort,
				"--consistency",
				level,
			),
			level,
		)
	}
	for _, where := range []string{"a >= 2 AND i > 300", "k IN (1, 3, 5) AND a = 1", "m CONTAINS 1 AND s = 's7'"} {
		filter := []string{"it3.hurt", "--allow-filtering", "--where", where}
		require.Equal(
			t,
			scannedLines(t, filter...),
			scannedLines(t, append(filter, "--via", "stream", "--listen", anyPort)...),
			where,
		)
	}
	var live, snapshots []string
	for _, n := range tablesOnDisk(t, "it3", "hurt") {
		require.NotEmpty(t, n.names)
		live = append(live, n.folder)
		require.NoError(t, takeSnapshot(n.node, "hurt", "it3.hurt"))
		snapshots = append(snapshots, filepath.Join(n.folder, "snapshots/hurt"))
	}
	require.Equal(
		t,
		want,
		scannedLines(t, append([]string{"it3.hurt", "--via", "sstables"}, live...)...),
		"as they lie there, the columns being asked of the cluster",
	)
	offline := func(paths ...string) []string {
		out := filepath.Join(t.TempDir(), "out.csv")
		result := cqlbulkOffline(
			t,
			append(
				[]string{"scan", "it3.hurt", "--via", "sstables", "-o", out, "--header=false"},
				paths...)...)
		require.Zero(t, result.code, result.report)
		return slices.Sorted(strings.Lines(read(t, out)))
	}
	require.Equal(t, want, offline(snapshots...))
	require.Equal(t, want, offline(snapshots[1]), "each node has all rows")
	count := cqlbulkOffline(
		t,
		append([]string{"count", "it3.hurt", "--via", "sstables", "--quiet"}, snapshots...)...)
	require.Equal(t, fmt.Sprintf("%d\n", len(want)), count.out, count.report)
	require.Equal(
		t,
		count.out,
		ok(t, "count", "it3.hurt", "--via", "stream", "--listen", anyPort, "--quiet").out,
	)
	byPartition := []string{"count", "it3.hurt", "--by", "partition", "--top", "100"}
	require.Equal(
		t,
		slices.Sorted(strings.Lines(ok(t, byPartition...).out)),
		slices.Sorted(
			strings.Lines(
				ok(t, append(byPartition, "--via", "stream", "--listen", anyPort)...).out,
			),
		),
	)
}

// TestManyTablesOfTombstones is the same of a hundred tables, each made by a seed of its own in
// some flushes.
func TestManyTablesOfTombstones(t *testing.T) {
	lengthy(t)
	t.Parallel()
	tables := either(3, 100)
	for i := range tables {
		name := fmt.Sprintf("it3.hurt%d", i)
		table(t, name, hurtBody)
		r := rand.New(rand.NewPCG(14, uint64(i)))
		for range 1 + r.IntN(4) {
			for range 10 + r.IntN(60) {
				exec(t, hurt(r, name))
			}
			// It has the nodes flush what they have so far.
			ok(t, "count", name, "--via", "stream", "--listen", anyPort, "--consistency", "ALL")
		}
	}
	time.Sleep(2100 * time.Millisecond) // what expires has expired on every node's clock
	for i := range tables {
		t.Log("seed", i)
		requireSameByStream(t, "it3", fmt.Sprintf("hurt%d", i))
	}
}

// A file of a snapshot that was damaged is named, its ranges are not in the output, and the others
// are.
func TestDamagedSnapshot(t *testing.T) {
	t.Parallel()
	table(t, "it1.damaged", "(k int PRIMARY KEY, v text)")
	var in strings.Builder
	in.WriteString("k,v\n")
	for i := range 3000 {
		fmt.Fprintf(&in, "%d,%0200d\n", i, i*7919)
	}
	ok(t, "load", "it1.damaged", file(t, "in.csv", in.String()))
	nodes := nodeTables(t, "it1", "damaged")
	folder := t.TempDir()
	for _, n := range nodes {
		require.NoError(
			t,
			os.CopyFS(
				filepath.Join(folder, n.node, "it1", filepath.Base(n.folder)),
				os.DirFS(n.folder),
			),
		)
	}
	want := scannedLines(t, "it1.damaged")
	require.Equal(t, want, scannedLines(t, "it1.damaged", "--via", "sstables", folder))

	data, err := filepath.Glob(filepath.Join(folder, "*/it1/*/*-Data.db"))
	require.NoError(t, err)
	b, err := os.ReadFile(data[0])
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(data[0], b, 0o600))
	out := filepath.Join(t.TempDir(), "out.csv")
	r := cqlbulk(
		t,
		"scan",
		"it1.damaged",
		"--via",
		"sstables",
		"-o",
		out,
		"--header=false",
		"--no-journal",
		folder,
	)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, data[0])
	got := slices.Sorted(strings.Lines(read(t, out)))
	require.Less(t, len(got), len(want))
	require.Greater(t, len(got), len(want)/2)
	for _, line := range got {
		_, found := slices.BinarySearch(want, line)
		require.True(t, found, line)
	}
}

// TestFoldersOfKnownNodes reads copies of the nodes' folders, the nodes being known: of what
// replicas each range must have its files. What one of the nodes has is then seen to be missing.
func TestFoldersOfKnownNodes(t *testing.T) {
	t.Parallel()
	table(t, "it1.of_known_nodes", "(k int PRIMARY KEY, v int)")
	var in strings.Builder
	in.WriteString("k,v\n")
	for i := range 600 {
		fmt.Fprintf(&in, "%d,%d\n", i, i)
	}
	ok(t, "load", "it1.of_known_nodes", file(t, "in.csv", in.String()))
	ring := filepath.Join(t.TempDir(), "ring.json")
	ok(t, "plan", "it1.of_known_nodes", "--save-ring", ring)
	nodes := nodeTables(t, "it1", "of_known_nodes")
	folder := t.TempDir()
	addresses := strings.Split(testHosts(), ",")
	for i, n := range nodes {
		require.NoError(
			t,
			os.CopyFS(
				filepath.Join(folder, addresses[i], "it1", filepath.Base(n.folder)),
				os.DirFS(n.folder),
			),
		)
	}
	want := scannedLines(t, "it1.of_known_nodes")
	byRing := []string{"it1.of_known_nodes", "--via", "sstables", "--ring", ring, folder}
	require.Equal(t, want, scannedLines(t, byRing...))
	require.Equal(t, want, scannedLines(t, append(byRing, "--consistency", "ALL")...))

	require.NoError(t, os.RemoveAll(filepath.Join(folder, addresses[2])))
	r := cqlbulk(t, append([]string{"scan"}, byRing...)...)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "too few of its replicas have a folder: not "+addresses[2]+":")
	missing := len(want)
	for _, line := range strings.SplitAfter(r.out, "\n") {
		if _, found := slices.BinarySearch(want, line); found {
			missing--
		}
	}
	require.NotZero(t, missing)
	require.Less(t, missing, len(want))

	require.NoError(
		t,
		os.Rename(filepath.Join(folder, addresses[0]), filepath.Join(folder, "first")),
	)
	r = cqlbulk(t, append([]string{"scan"}, byRing...)...)
	require.Equal(t, 1, r.code, r.report)
	require.Contains(
		t,
		r.report,
		"first is of no node: no part of its path is a node's address or host id",
	)
}
