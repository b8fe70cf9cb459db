//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Entire SSTables that were streamed are there after all nodes have restarted. They stay the same
// when they are verified, compacted and repaired. No node logs a complaint.
func TestNodesStreamedTablesLast(t *testing.T) {
	lengthy(t)
	all := servers(t)
	rows := testRows(t, 30_000)
	table(t, "it2.lasting", streamedBody)
	var in strings.Builder
	var keys []string
	in.WriteString("k,c,v\n")
	for k := range rows {
		fmt.Fprintf(&in, "%d,%d,value %d\n", k, -k, k)
		keys = append(keys, fmt.Sprint(k))
	}
	loaded := ok(
		t,
		"load",
		"it2.lasting",
		file(t, "in.csv", in.String()),
		"--via",
		"stream",
		"--stream",
		"whole",
	)
	want := pointLines(t, "it2", "lasting", keys[:1000])
	require.Len(t, want, 1000)
	requireSame := func(after string) {
		t.Helper()
		for _, level := range []string{"LOCAL_ONE", "ALL"} {
			r := ok(
				t,
				"scan",
				"it2.lasting",
				"-o",
				filepath.Join(t.TempDir(), "out.csv"),
				"--consistency",
				level,
			)
			require.Equal(t, checksum(t, loaded), checksum(t, r), "%s after %s", level, after)
		}
		require.Equal(t, want, pointLines(t, "it2", "lasting", keys[:1000]), after)
	}
	requireSame("the load")
	administer(t, "down")
	startServers(t)
	requireSame("a restart")
	for _, words := range [][]string{verifyFiles(t), {"compact"}, {"repair", "--full"}} {
		for _, s := range all {
			node := strings.TrimPrefix(filepath.Base(s.dir), "node")
			administer(t, append(append([]string{"nodetool", node}, words...), "it2", "lasting")...)
		}
		requireSame(words[0])
	}
	for _, s := range all {
		log, err := os.ReadFile(filepath.Join(s.dir, "logs", "system.log"))
		require.NoError(t, err)
		for line := range strings.Lines(string(log)) {
			require.False(
				t,
				strings.Contains(line, "lasting") && !strings.HasPrefix(line, "INFO"),
				"%s: %s",
				s.dir,
				line,
			)
		}
	}
}
