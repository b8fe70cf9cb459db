//go:build integration

package integration

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNodesAllStopped stops all nodes under a load and a scan. Both end after their patience, a
// minute by default, and print why. Both can be resumed once the nodes run.
func TestNodesAllStopped(t *testing.T) {
	all := servers(t)
	rows := min(testRows(t, 8_000), 100_000)
	input := padded(rows, 1000)
	path := file(t, "in.csv", paddedHeader+strings.Join(input, ""))
	table(t, "it3.unscanned", paddedBody)
	table(t, "it3.unloaded", paddedBody)
	want := checksum(t, ok(t, "load", "it3.unscanned", path))
	out, loadDir, scanDir := t.TempDir()+"/out.csv", t.TempDir()+"/load", t.TempDir()+"/scan"
	options := append(
		quorum("--timeout", "5s", "--maxattempts", "3"),
		either([]string{"--patience", "8s"}, nil)...)
	rate := fmt.Sprint(rows / 10)
	load := spawn(
		t,
		nil,
		append(
			[]string{"load", "it3.unloaded", path, "--run-dir", loadDir, "--ingestrate", rate},
			options...)...)
	scan := spawn(
		t,
		nil,
		append(
			[]string{
				"scan",
				"it3.unscanned",
				"-o",
				out,
				"--run-dir",
				scanDir,
				"--rate",
				rate,
				"--pagesize",
				"100",
			},
			options...)...)
	load.until(t, "the load was under way", func() bool { return recordedRows(loadDir) > int64(rows/8) })
	scan.until(t, "the scan was under way", func() bool { return scanned(scanDir) > int64(rows/8) })

	for _, s := range all {
		s.signal(t, syscall.SIGSTOP)
	}
	stopped := time.Now()
	r := load.end(t)
	t.Logf("the load ended after %v", time.Since(stopped))
	require.Equal(t, 4, r.code)
	require.Regexp(t, "the cluster (has taken no write for|does not take writes)", r.report)
	require.Contains(t, r.report, "cqlbulk resume "+loadDir)
	require.Contains(t, status(t, loadDir), "failed: the cluster ")
	r = scan.end(t)
	t.Logf("the scan ended after %v", time.Since(stopped))
	require.Equal(t, 4, r.code)
	require.Contains(t, r.report, "the cluster has answered no read for")
	require.Contains(t, r.report, "cqlbulk resume "+scanDir)
	require.Contains(t, status(t, scanDir), "failed: the cluster ")
	require.NoFileExists(t, out)
	written, taken := recordedRows(loadDir), scanned(scanDir)
	t.Logf("%d rows are known as written, %d as read", written, taken)
	require.Less(t, max(written, taken), int64(rows))

	for _, s := range all {
		s.signal(t, syscall.SIGCONT)
	}
	startServers(t)
	r = spawn(t, nil, "resume", loadDir, "--ingestrate", "0").end(t)
	require.Zero(t, r.code)
	require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
	require.Equal(t, want, checksum(t, r))
	require.Equal(t, want, requireTable(t, "it3.unloaded", input))
	r = spawn(t, nil, "resume", scanDir, "--rate", "0").end(t)
	require.Zero(t, r.code)
	require.Equal(t, want, checksum(t, r))
	requireRows(t, input, read(t, out))
	require.Zero(t, cqlbulkOffline(t, "verify", out).code)
}
