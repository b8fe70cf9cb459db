//go:build integration

package integration

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// A load into files leaves each node's rows in SSTables. The node imports them by the command in
// the file beside them, or the load itself does. They are of the version that is written since 4.0,
// of the one before, and of oa if the nodes read that. The table is then as after a load by CQL.
// Its index, of a class of its own if the servers have that, knows the rows, and the servers find
// nothing wrong with the files.
func TestLoadIntoFilesIsImported(t *testing.T) {
	t.Parallel()
	table(t, "it2.files_cql", filesBody)
	in := file(t, "in.csv", filesRows(2000, 300))
	ok(t, "load", "it2.files_cql", in, "--timestamp", "1700000000000000")
	versions := []string{"nb", "md"}
	if readsOA(t) {
		versions = append(versions, "oa")
	}
	for _, version := range versions {
		byItself := version != "md"
		name := "files_kept_" + version
		table(t, "it2."+name, filesBody)
		index := "CREATE INDEX " + name + "_i ON it2." + name + " (i)"
		if atLeast(t, 5) {
			index += " USING 'sai'"
		}
		exec(t, index)
		dir := filepath.Join(t.TempDir(), "out")
		args := []string{
			"load",
			"it2." + name,
			in,
			"--timestamp",
			"1700000000000000",
			"--via",
			"sstables",
			"-d",
			dir,
			"--sstable-version",
			version,
		}
		if byItself {
			r := ok(t, append(args, "--import", "--nodetool", "sh "+nodetoolScript(t)+" {host}")...)
			require.Contains(t, r.report, "imported by 3 of 3 nodes")
			administer(
				t,
				append(append([]string{"nodetool", "1"}, verifyFiles(t)...), "it2", name)...)
		} else {
			r := ok(t, args...)
			require.Contains(t, r.report, filepath.Join(dir, "import.txt"))
			require.Empty(t, rawRows(t, "it2", name), "nothing was sent")
			importKept(t, dir, version)
		}
		require.Equal(t, rawRows(t, "it2", "files_cql"), rawRows(t, "it2", name))
		require.Equal(
			t,
			checksum(t, ok(t, "scan", "it2."+name, "-o", filepath.Join(t.TempDir(), "out.csv"))),
			checksum(
				t,
				ok(t, "scan", "it2.files_cql", "-o", filepath.Join(t.TempDir(), "out.csv")),
			),
		)
		described, err := session.Table(t.Context(), "it2", name)
		require.NoError(t, err)
		require.Len(
			t,
			linesOf(t, described, driver.Query{Select: []string{"v"}, Where: "i = 1234"}),
			1,
		)
	}
}

// readsOA says whether the nodes read SSTables of version oa (deploy/cassandra --sstables).
func readsOA(t *testing.T) bool {
	t.Helper()
	modes, err := session.Setting(t.Context(), "storage_compatibility_mode")
	require.NoError(t, err)
	return len(modes) > 0 &&
		!slices.ContainsFunc(
			slices.Collect(maps.Values(modes)),
			func(mode string) bool { return mode != "NONE" },
		)
}

// nodetoolScript returns a program whose first argument is a node's address, by which it finds the
// node. It passes the others to nodetool.
func nodetoolScript(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("../../../deploy/cassandra/cassandra")
	require.NoError(t, err)
	dir := clusterFolder()
	// Nodes of the test cluster are numbered by the last part of their addresses.
	return file(
		t,
		"nodetool.sh",
		fmt.Sprintf(
			"node=${1##*.}; shift; exec '%s' --cluster '%s' --dir '%s' nodetool $node \"$@\"\n",
			program,
			filepath.Base(dir),
			filepath.Dir(dir),
		),
	)
}

// importKept imports the SSTables of a load into files on each node, by what its import.txt says,
// and has nodes verify what they have then.
func importKept(t *testing.T, dir, version string) {
	t.Helper()
	commands := regexp.MustCompile(`(?m)^# node [0-9.]+\.([0-9]+):[0-9]+, .*\nnodetool import (\S+) (\S+) (\S+) &&`).
		FindAllStringSubmatch(read(t, filepath.Join(dir, "import.txt")), -1)
	// A node that is a replica of no row has nothing to import.
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.Len(t, commands, len(files))
	for i, c := range commands {
		before, err := filepath.Glob(filepath.Join(c[4], version+"-*-Data.db"))
		require.NoError(t, err)
		require.NotEmpty(t, before)
		administer(t, "nodetool", c[1], "import", c[2], c[3], c[4])
		left, err := filepath.Glob(filepath.Join(c[4], "*-Data.db"))
		require.NoError(t, err)
		require.Empty(t, left, "not imported")
		if i < either(1, len(commands)) {
			administer(
				t,
				append(append([]string{"nodetool", c[1]}, verifyFiles(t)...), c[2], c[3])...)
		}
	}
}

// verifyFiles is the command of nodetool that has a node read all rows of its files.
func verifyFiles(t *testing.T) []string {
	t.Helper()
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	if strings.HasPrefix(cluster.Nodes[0].Version, "4.0.") {
		return []string{"verify", "-e"}
	}
	return []string{"verify", "-e", "-f"} // it has to be insisted on
}
