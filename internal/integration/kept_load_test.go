//go:build integration

package integration

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// A load into files leaves each node's rows in SSTables that it imports by the command that stands beside them. The
// table is then as after a load by CQL; its index, of a class of its own where the servers have that, knows the rows.
func TestLoadIntoFilesIsImported(t *testing.T) {
	t.Parallel()
	table(t, "it2.files_cql", filesBody)
	table(t, "it2.files_kept", filesBody)
	index := "CREATE INDEX files_kept_i ON it2.files_kept (i)"
	if atLeast(t, 5) {
		index += " USING 'sai'"
	}
	exec(t, index)
	in := file(t, "in.csv", filesRows(2000, 300))
	ok(t, "load", "it2.files_cql", in, "--timestamp", "1700000000000000")
	dir := filepath.Join(t.TempDir(), "out")
	r := ok(t, "load", "it2.files_kept", in, "--timestamp", "1700000000000000", "--via", "sstables", "-d", dir)
	require.Contains(t, r.report, filepath.Join(dir, "import.txt"))
	require.Empty(t, rawRows(t, "it2", "files_kept"), "nothing was sent")

	// Nodes of the test cluster are numbered by the last part of their addresses.
	commands := regexp.MustCompile(`(?m)^# node [0-9.]+\.([0-9]+):[0-9]+, .*\nnodetool import (\S+) (\S+) (\S+) &&`).FindAllStringSubmatch(read(t, filepath.Join(dir, "import.txt")), -1)
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	require.Len(t, commands, len(cluster.Nodes))
	for _, c := range commands {
		data := filepath.Join(c[4], "*-Data.db")
		before, err := filepath.Glob(data)
		require.NoError(t, err)
		require.NotEmpty(t, before)
		administer(t, "nodetool", c[1], "import", c[2], c[3], c[4])
		left, err := filepath.Glob(data)
		require.NoError(t, err)
		require.Empty(t, left, "not imported")
	}
	require.Equal(t, rawRows(t, "it2", "files_cql"), rawRows(t, "it2", "files_kept"))
	require.Equal(t, checksum(t, ok(t, "scan", "it2.files_kept", "-o", filepath.Join(t.TempDir(), "out.csv"))),
		checksum(t, ok(t, "scan", "it2.files_cql", "-o", filepath.Join(t.TempDir(), "out.csv"))))
	described, err := session.Table(t.Context(), "it2", "files_kept")
	require.NoError(t, err)
	require.Len(t, linesOf(t, described, driver.Query{Select: []string{"v"}, Where: "i = 1234"}), 1)
}
