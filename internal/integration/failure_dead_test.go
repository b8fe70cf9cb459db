//go:build integration

package integration

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRangesOfADeadNode reads a table of one replica while a node is away: what the
// others have is read, and the ranges of that one are listed, with exit status 2, also
// when nothing but those has been left for longer than a silent cluster is waited for.
// When the node is back a retry reads the rest.
func TestRangesOfADeadNode(t *testing.T) {
	all := servers(t)
	input := padded(3000, 100)
	table(t, "it1.dead", paddedBody)
	want := checksum(t, ok(t, "load", "it1.dead", file(t, "in.csv", paddedHeader+strings.Join(input, ""))))
	all[2].flush(t, "it1", "dead")
	for _, harm := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(harm.String(), func(t *testing.T) {
			dir, out := t.TempDir()+"/run", t.TempDir()+"/out.csv"
			options := []string{"--timeout", "1s", "--patience", "3s", "--maxattempts", "4"}
			reading := append([]string{"--splits", "60", "--hosts", testHosts()}, options...)
			all[2].signal(t, harm)
			r := spawn(t, nil, append([]string{"scan", "it1.dead", "-o", out, "--run-dir", dir}, reading...)...).end(t)
			require.Equal(t, 2, r.code)
			require.Contains(t, r.report, "token ranges failed")
			require.NotContains(t, r.report, "the cluster has answered no read")
			require.NoFileExists(t, out)
			before := scanned(dir)
			require.Positive(t, before, "rows of the other nodes")
			r = spawn(t, nil, append([]string{"retry", dir}, options...)...).end(t)
			require.Equal(t, 2, r.code)
			require.Equal(t, before, scanned(dir))
			r = spawn(t, nil, append([]string{"count", "it1.dead", "--rate", "100"}, reading...)...).end(t)
			require.Equal(t, 2, r.code)
			require.Empty(t, r.out, "a part is no count")

			if harm == syscall.SIGSTOP {
				all[2].signal(t, syscall.SIGCONT)
			}
			startServers(t)
			r = spawn(t, nil, "retry", dir).end(t)
			require.Zero(t, r.code)
			require.Equal(t, want, checksum(t, r))
			requireRows(t, input, read(t, out))
		})
	}
}

// TestRowsOfADeadNode loads a table of one replica while a node is away: the rows of the
// others are written, and those of that one rejected, with exit status 2 and the node's
// address. When it is back a retry loads them.
func TestRowsOfADeadNode(t *testing.T) {
	all := servers(t)
	input := padded(30_000, 100)
	for _, harm := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(harm.String(), func(t *testing.T) {
			table(t, "it1.deadrows", paddedBody)
			dir := t.TempDir() + "/run"
			all[2].signal(t, harm)
			r := spawn(t, nil, "load", "it1.deadrows", file(t, "in.csv", paddedHeader+strings.Join(input, "")),
				"--run-dir", dir, "--hosts", testHosts(), "--timeout", "1s", "--patience", "3s").end(t)
			require.Equal(t, 2, r.code)
			require.Contains(t, r.report, "rows of theirs are rejected until they take one, all others go on")
			require.Contains(t, r.report, grouped(len(input))+" read")
			require.Greater(t, settled(dir), int64(len(input)/3), "rows of the other nodes")

			if harm == syscall.SIGSTOP {
				all[2].signal(t, syscall.SIGCONT)
			}
			startServers(t)
			r = spawn(t, nil, "retry", dir).end(t)
			require.Zero(t, r.code)
			requireTable(t, "it1.deadrows", input)
		})
	}
}
