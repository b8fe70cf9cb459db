//go:build integration

package integration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A column that the source has dropped does not matter to the clone, even if the clone has a column
// of that name with another type.
func TestCloneLeavesOutWhatWasDropped(t *testing.T) {
	t.Parallel()
	for name, typ := range map[string]string{"other": "text", "same": "int"} {
		from, to := "it3.dropped_"+name, "it3.dropped_"+name+"_copy"
		table(t, from, "(k int PRIMARY KEY, v int, x int)")
		table(t, to, "(k int PRIMARY KEY, v int, x "+typ+")")
		exec(t, "INSERT INTO "+from+" (k, v, x) VALUES (1, 2, 3)")
		nodeTables(t, "it3", "dropped_"+name) // flushed: the SSTables have the column
		exec(t, "ALTER TABLE "+from+" DROP x", "INSERT INTO "+from+" (k, v) VALUES (4, 5)")
		ok(t, "clone", to, "--from-hosts", testHosts(), "--from-table", from, "--listen", anyPort)
		require.Equal(t, []string{"1,2,\n", "4,5,\n"}, scannedLines(t, to))
		exec(t, "TRUNCATE "+to)
		var folders []string
		for _, n := range nodeTables(t, "it3", "dropped_"+name) {
			folders = append(folders, n.folder)
		}
		schema := file(
			t,
			"schema.cql",
			"CREATE TABLE "+from+" (k int PRIMARY KEY, v int, x int); ALTER TABLE "+from+" DROP x USING TIMESTAMP 1;",
		)
		ok(
			t,
			append([]string{"clone", to, "--from-table", from, "--schema", schema}, folders...)...)
		require.Equal(t, []string{"1,2,\n", "4,5,\n"}, scannedLines(t, to))
	}
}
