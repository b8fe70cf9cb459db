//go:build integration

package integration

import (
	"bytes"
	"fmt"
	command "os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNodesOneKilled kills a node of three under a load and a scan, and starts it again
// while they run: both end well, with every row.
func TestNodesOneKilled(t *testing.T) {
	all := servers(t)
	whileBusy(t, 20, func(load *child, written func() int64) {
		all[1].signal(t, syscall.SIGKILL)
		before := written()
		load.until(
			t,
			"rows were written without the node",
			func() bool { return written() > before },
		)
		startServers(t)
	})
}

// TestNodesOneStopped stops the process of a node of three under a load and a scan for half a
// minute. Its connections stay open, and nothing comes back, until it continues. The other two
// nodes write and read meanwhile.
func TestNodesOneStopped(t *testing.T) {
	lengthy(t)
	all := servers(t)
	whileBusy(t, 10, func(_ *child, written func() int64) {
		all[2].signal(t, syscall.SIGSTOP)
		before := written()
		<-time.After(30 * time.Second)
		during := written() - before
		all[2].signal(t, syscall.SIGCONT)
		require.Positive(t, during, "rows written without the node")
	})
}

// whileBusy runs a load and a scan, which would take that number of seconds undisturbed, and calls
// trouble when both are at work. The last quarter of the load's input comes after trouble has
// returned, as does the reading of the last quarter of the scan's output.
func whileBusy(t *testing.T, seconds int, trouble func(load *child, written func() int64)) {
	rows := min(testRows(t, 8_000), 100_000)
	input := padded(rows, 1000)
	text := paddedHeader + strings.Join(input, "")
	table(t, "it3.scanned", paddedBody)
	table(t, "it3.loaded", paddedBody)
	want := checksum(t, ok(t, "load", "it3.scanned", file(t, "in.csv", text)))
	rate := fmt.Sprint(rows / seconds)
	over := make(chan struct{})
	hold := gate{rows * 3 / 4, over, t.Context().Done()}
	dir := t.TempDir() + "/run"

	load := spawn(t, func(cmd *command.Cmd) {
		cmd.Stdin = &gatedReader{strings.NewReader(text), hold}
	}, quorum("load", "it3.loaded", "-", "--format", "csv", "--run-dir", dir, "--ingestrate", rate)...)
	var scanned atomic.Int64
	var out bytes.Buffer
	scan := spawn(t, func(cmd *command.Cmd) {
		cmd.Stdout = &gatedWriter{&countingWriter{&out, &scanned}, hold}
	}, quorum("scan", "it3.scanned", "--rate", rate, "--pagesize", "100")...)

	load.until(t, "the load was under way", func() bool { return recordedRows(dir) > int64(rows/8) })
	scan.until(t, "the scan was under way", func() bool { return scanned.Load() > int64(rows/8) })
	require.Contains(
		t,
		status(t, dir),
		fmt.Sprintf("under way in process %d on ", load.cmd.Process.Pid),
	)
	t.Logf("%s %d rows are known as written, %d are scanned", clock(), recordedRows(dir), scanned.Load())
	trouble(load, func() int64 { return recordedRows(dir) })
	t.Logf("%s %d rows are known as written, %d are scanned", clock(), recordedRows(dir), scanned.Load())
	close(over)

	r := scan.end(t)
	require.Zero(t, r.code)
	requireRows(t, input, out.String())
	require.Equal(t, want, checksum(t, r))
	r = load.end(t)
	require.Zero(t, r.code)
	require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
	require.Equal(t, want, checksum(t, r))
	require.Equal(t, want, requireTable(t, "it3.loaded", input))
	require.NoDirExists(t, dir, "nothing remains to be done")
}

// countingWriter counts lines.
type countingWriter struct {
	out   *bytes.Buffer
	lines *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.lines.Add(int64(bytes.Count(p, []byte("\n"))))
	return w.out.Write(p)
}
