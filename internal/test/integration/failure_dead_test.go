//go:build integration

package integration

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNodesOneDead reads and loads tables of one replica while a node is away, killed or stopped.
// When it is back, retries do the rest.
func TestNodesOneDead(t *testing.T) {
	all := servers(t)
	input := padded(3000, 100)
	table(t, "it1.dead", paddedBody)
	want := checksum(
		t,
		ok(t, "load", "it1.dead", file(t, "in.csv", paddedHeader+strings.Join(input, ""))),
	)
	all[2].flush(t, "it1", "dead")
	for _, harm := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(harm.String(), func(t *testing.T) {
			table(t, "it1.deadrows", paddedBody)
			all[2].signal(t, harm)
			mendRanges := rangesOfADeadNode(t)
			mendRows := rowsOfADeadNode(t)
			mendStreamed := func(string, []string) {}
			// one that is stopped takes the time of several handshakes
			if either(harm == syscall.SIGKILL, true) {
				mendStreamed = rangesADeadNodeDoesNotSend(t)
			}
			if harm == syscall.SIGSTOP {
				all[2].signal(t, syscall.SIGCONT)
			} else {
				r := spawn(
					t,
					nil,
					"load",
					"it1.deadrows",
					file(t, "few.csv", paddedHeader+input[0]),
					"--via",
					"stream",
					"--hosts",
					testHosts(),
				).end(t)
				require.Equal(t, 4, r.code, "nothing can be streamed to it")
				require.Contains(t, r.report, strings.Split(testHosts(), ",")[2]+":7000")
			}
			startServers(t)
			mendRanges(want, input)
			mendStreamed(want, input)
			mendRows()
		})
	}
}

// While a node is away, what the others have is read, and the ranges of that one are listed, with
// exit status 2. That holds also if only those were left for longer than the patience with a silent
// cluster. A retry reads the rest when the node is back.
func rangesOfADeadNode(t *testing.T) (mend func(checksum string, rows []string)) {
	t.Helper()
	dir, out := t.TempDir()+"/run", t.TempDir()+"/out.csv"
	options := []string{"--timeout", "1s", "--patience", "3s", "--maxattempts", "4"}
	reading := append([]string{"--splits", "60", "--hosts", testHosts()}, options...)
	r := spawn(
		t,
		nil,
		append([]string{"scan", "it1.dead", "-o", out, "--run-dir", dir}, reading...)...).end(t)
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
	return func(want string, rows []string) {
		t.Helper()
		r := retryPatiently(t, dir)
		require.Zero(t, r.code)
		require.Equal(t, want, checksum(t, r))
		requireRows(t, rows, read(t, out))
	}
}

// Streamed out of the nodes, the table is read alike.
func rangesADeadNodeDoesNotSend(t *testing.T) (mend func(checksum string, rows []string)) {
	t.Helper()
	dir, out := t.TempDir()+"/run", t.TempDir()+"/out.csv"
	r := spawn(
		t,
		nil,
		byStream(
			"scan",
			"it1.dead",
			"-o",
			out,
			"--run-dir",
			dir,
			"--hosts",
			testHosts(),
			"--timeout",
			"1s",
			"--patience",
			"3s",
		)...).end(t)
	require.Equal(t, 2, r.code)
	require.Contains(t, r.report, "token ranges failed")
	require.NoFileExists(t, out)
	require.Positive(t, scanned(dir), "rows of the other nodes")
	return func(want string, rows []string) {
		t.Helper()
		r := retryPatiently(t, dir)
		require.Zero(t, r.code)
		require.Equal(t, want, checksum(t, r))
		requireRows(t, rows, read(t, out))
	}
}

// While a node is away, the rows of the others are written. Those of that one are rejected, with
// exit status 2 and the node's address. A retry loads them when it is back.
func rowsOfADeadNode(t *testing.T) (mend func()) {
	t.Helper()
	input := padded(30_000, 100)
	dir := t.TempDir() + "/run"
	r := spawn(
		t,
		nil,
		"load",
		"it1.deadrows",
		file(t, "in.csv", paddedHeader+strings.Join(input, "")),
		"--run-dir",
		dir,
		"--hosts",
		testHosts(),
		"--timeout",
		"1s",
		"--patience",
		"3s",
	).end(t)
	require.Equal(t, 2, r.code)
	require.Contains(
		t,
		r.report,
		"rows of theirs are rejected until they take one, all others are still written",
	)
	require.Contains(t, r.report, grouped(len(input))+" read")
	require.Greater(t, recordedRows(dir), int64(len(input)/3), "rows of the other nodes")
	return func() {
		t.Helper()
		require.Zero(t, retryPatiently(t, dir).code)
		requireTable(t, "it1.deadrows", input)
	}
}

// retryPatiently retries a run with the time that a node needs whose server has just begun.
func retryPatiently(t *testing.T, dir string) result {
	t.Helper()
	return spawn(t, nil, "retry", dir, "--timeout", "30s", "--patience", "5m").end(t)
}
