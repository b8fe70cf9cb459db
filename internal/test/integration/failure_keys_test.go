//go:build integration

package integration

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScanByKeysKilled kills a scan by keys and resumes it, without its file of keys. Each row is
// in the output once, and each key without a row is listed once.
func TestScanByKeysKilled(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := min(testRows(t, 6_000), 100_000)
	const name = "it3.bykeys"
	table(t, name, "(k int PRIMARY KEY, v text)")
	var input strings.Builder
	input.WriteString("k,v\n")
	pad := strings.Repeat("x", 200)
	for k := range rows {
		fmt.Fprintf(&input, "%d,%s\n", k, pad)
	}
	ok(t, "load", name, file(t, "in.csv", input.String()), "--consistency", "QUORUM")
	keys := "k\n"
	for _, k := range rand.Perm(2 * rows) {
		keys += fmt.Sprintln(k)
	}
	list, out := file(t, "keys.csv", keys), t.TempDir()+"/out.csv"
	killScanOf(t, name, 3, rows, out, "--keys", list, "-o", out)

	lines := sortedLines(t, read(t, out))
	slices.Sort(lines)
	want := sortedLines(t, input.String())
	slices.Sort(want)
	require.Equal(t, want, lines)
	missing := map[string]bool{}
	for line := range strings.Lines(read(t, out+".missing.csv")) {
		require.False(t, missing[line], "%q is listed twice", line)
		missing[line] = true
	}
	require.Len(t, missing, rows+1, "and the header")
	for k := rows; k < 2*rows; k++ {
		require.True(t, missing[fmt.Sprintln(k)], k)
	}
	require.NoFileExists(t, out+".rejects")
}

// TestKeysAreReadAtReplicas counts what the nodes coordinate and read for a scan by keys: a request
// for each partition, to a node that has it.
func TestKeysAreReadAtReplicas(t *testing.T) {
	const name, rows = "it1.replicas", 500
	table(t, name, "(k int PRIMARY KEY, v text) WITH speculative_retry = 'NEVER' "+
		"AND additional_write_policy = 'NEVER' AND read_repair = 'NONE'")
	input := "k,v\n"
	for k := range rows {
		input += fmt.Sprintf("%d,v\n", k)
	}
	keys := file(t, "keys.csv", input)
	ok(t, "load", name, keys, "--consistency", "ALL")
	before := readsOf(t, "replicas")
	r := ok(t, "scan", name, "--keys", keys, "-o", t.TempDir()+"/out.csv")
	require.Contains(t, r.report, "500 read, 0 without a row")
	coordinated, all := 0, readsOf(t, "replicas")
	for node, now := range all {
		asked, local := now[0]-before[node][0], now[1]-before[node][1]
		require.Equal(t, asked, local, "node %s reads what it is asked for, and no more", node)
		coordinated += asked
		if len(all) > 1 {
			require.Positive(t, asked, "node %s", node)
		}
	}
	require.Equal(t, rows, coordinated)
}

// readsOf returns for each node how many reads of a table of it1 it has coordinated, and how many
// it has done.
func readsOf(t *testing.T, name string) map[string][2]int {
	t.Helper()
	counts := make(map[string][2]int)
	for _, host := range strings.Split(testHosts(), ",") {
		c := rawConnectTo(t, host)
		var both [2]int
		for i, view := range []string{"coordinator_read_latency", "local_read_latency"} {
			rows, err := c.query(t, c.prepare(t, "SELECT count FROM system_views."+view+
				" WHERE keyspace_name = 'it1' AND table_name = '"+name+"'"))
			require.NoError(t, err)
			if len(rows) == 1 {
				both[i] = int(binary.BigEndian.Uint64(rows[0][0]))
			}
		}
		counts[host] = both
	}
	return counts
}
