//go:build integration

package integration

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPipeWithoutWriter interrupts the program while it waits for a writer of a pipe. The first
// signal ends it, and the load resumes when there is a writer.
func TestPipeWithoutWriter(t *testing.T) {
	t.Parallel()
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sent := range signals {
		table(t, "it2.piped", "(k int PRIMARY KEY)")
		dir := t.TempDir()
		pipe, run := filepath.Join(dir, "pipe"), filepath.Join(dir, "run")
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		p := start(
			t,
			nil,
			"load",
			"it2.piped",
			file(t, "first.csv", "k\n1\n"),
			pipe,
			"--run-dir",
			run,
		)
		// When the first input is completed, the second is opened.
		require.Eventually(
			t,
			func() bool { return noted(run, " settle ") },
			time.Minute,
			10*time.Millisecond,
		)
		require.NoError(t, p.cmd.Process.Signal(sent))
		r := p.end(t)
		require.Equal(t, 130, r.code, r.report)

		resumed := start(t, nil, "resume", run)
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = writer.WriteString("k\n2\n")
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		r = resumed.end(t)
		require.Zero(t, r.code, r.report)
		require.Equal(t, "2\n", ok(t, "count", "it2.piped").out)
	}
}
