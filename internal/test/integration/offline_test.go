//go:build integration

package integration

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
)

// snapshotSchema has a node take a snapshot of a table, and gives the file of the statements that
// make it.
func snapshotSchema(t *testing.T, keyspace, name string) string {
	t.Helper()
	administer(t, "nodetool", "1", "snapshot", "-t", "schema", "-kt", keyspace+"."+name)
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	return filepath.Join(
		clusterFolder(),
		"node1/data/data",
		keyspace,
		name+"-"+strings.ReplaceAll(described.ID, "-", ""),
		"snapshots/schema/schema.cql",
	)
}

// What is parsed of statements, as they were typed and as the servers print them, is what the
// servers keep: each column, and each type in full.
func TestSchemaIsReadAsServersKeepIt(t *testing.T) {
	lengthy(t)
	t.Parallel()
	types := []string{
		`CREATE TYPE IF NOT EXISTS it1.read_inner (a int, "B c" list<text>, t tuple<int, set<int>>)`,
		`CREATE TYPE IF NOT EXISTS it1.read_outer (i frozen<read_inner>, m frozen<map<text, read_inner>>)`,
		`CREATE TYPE IF NOT EXISTS it1.read_plain (x int, y frozen<list<int>>)`,
	}
	body := `("K" int, k2 frozen<read_outer>, c text, d frozen<list<tuple<int, text>>>,
		s varchar static, "select" inet, l list<frozen<read_inner>>,
		m map<text, frozen<list<set<int>>>>, t tuple<int, list<text>, read_inner>, p read_plain,
		fp frozen<read_plain>, x set<tuple<int, read_outer>>,
		custom 'org.apache.cassandra.db.marshal.BytesType', gone int, PRIMARY KEY (("K", k2), c, d))
		WITH CLUSTERING ORDER BY (c DESC, d ASC) AND comment = 'a -- ''b'''`
	exec(t, types...)
	table(t, "it1.read_back", body)
	check := func(text string) {
		t.Helper()
		parsed, err := cqlschema.Parse(text, "")
		require.NoError(t, err)
		described, err := session.Table(t.Context(), "it1", "read_back")
		require.NoError(t, err)
		columns := schema.FromDeclared(parsed.Table("it1", "read_back").Columns)
		require.Equal(t, described.Columns, schema.New("it1", "read_back", columns).Columns)
	}
	check(strings.Join(append(types, "CREATE TABLE it1.read_back "+body), ";\n"))
	exec(t, "ALTER TABLE it1.read_back DROP gone", "ALTER TABLE it1.read_back ADD later list<int>")
	check(read(t, snapshotSchema(t, "it1", "read_back")))
}

// Files that are made without a cluster, from a snapshot's schema and a saved plan, are imported
// like those of a load that connects to it. They hold the same rows.
func TestLoadWithoutClusterIsImported(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it2.offline", filesBody)
	table(t, "it2.offline_cql", filesBody)
	statements := snapshotSchema(t, "it2", "offline")
	ring := filepath.Join(t.TempDir(), "ring.json")
	ok(t, "plan", "it2.offline", "--save-ring", ring)
	in := file(t, "in.csv", filesRows(2000, 300))
	by := ok(t, "load", "it2.offline_cql", in, "--timestamp", "1700000000000000")
	dir := filepath.Join(t.TempDir(), "out")
	r := cqlbulkOffline(
		t,
		"load",
		"it2.offline",
		in,
		"--timestamp",
		"1700000000000000",
		"--via",
		"sstables",
		"-d",
		dir,
		"--schema",
		statements,
		"--ring",
		ring,
		"--no-journal",
	)
	require.Zero(t, r.code, r.report)
	require.Equal(t, checksum(t, by), checksum(t, r))
	importKept(t, dir, "nb")
	require.Equal(t, rawRows(t, "it2", "offline_cql"), rawRows(t, "it2", "offline"))
}
