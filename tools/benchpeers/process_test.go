package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStatIsReadBehindTheName(t *testing.T) {
	line := "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 300 100 20 0 1 0 5 6 7\n"
	alone, err := parseStat(line, false)
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, alone)
	all, err := parseStat(line, true)
	require.NoError(t, err)
	require.Equal(t, 6*time.Second, all)
	_, err = parseStat("42 (cut off) S 1", false)
	require.ErrorContains(t, err, "too few fields")
}

// If a process outlives the one that started it, the bench waits for it, and counts its time. The
// test compares that with the time that the process prints.
func TestOrphansAreCounted(t *testing.T) {
	m, err := newMeter()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "took")
	busy := `(i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; read -r stat </proc/$BASHPID/stat; echo "$stat" >` + file + `) >/dev/null 2>&1 &`
	u, err := m.run(t.Context(), t.TempDir(), nil, []string{"bash", "-c", busy}, io.Discard)
	require.NoError(t, err)
	stat, err := os.ReadFile(file)
	require.NoError(t, err, "the orphan has come to its end")
	took, err := parseStat(string(stat), false)
	require.NoError(t, err)
	require.Positive(t, took)
	require.GreaterOrEqual(t, u.cpu+time.Second/ticksPerSecond, took)
	require.Empty(t, m.clients())
}

// Two processes below a third hold 32 MiB each.
func TestMemoryIsThatOfAllProcesses(t *testing.T) {
	folder := t.TempDir()
	hold := `x=$(head -c 33554432 /dev/zero | tr '\0' x); touch $1; sleep 600; : $x`
	cmd := exec.Command("bash", "-c", `bash -c "$0" hold a & bash -c "$0" hold b & wait`, hold)
	cmd.Dir, cmd.SysProcAttr = folder, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, a := os.Stat(filepath.Join(folder, "a"))
		_, b := os.Stat(filepath.Join(folder, "b"))
		return a == nil && b == nil
	}, time.Minute, 10*time.Millisecond)
	require.Greater(t, residentBelow(cmd.Process.Pid), int64(64<<20))
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait(), "it was killed")
	require.NoError(t, (&meter{}).reap(new(usage)))
	require.Zero(t, residentBelow(cmd.Process.Pid))
}

// If a client takes very little memory, its figure is not the memory of this process.
func TestMemoryOfThisProcessIsNotTheClients(t *testing.T) {
	var own syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	u := usage{peak: 5}
	u.addRusage(&syscall.Rusage{Maxrss: own.Maxrss})
	require.Equal(t, int64(5), u.peak)
	u.addRusage(&syscall.Rusage{Maxrss: 1 << 30})
	require.Equal(t, int64(1<<40), u.peak)
}

func TestFailureOfAClientIsTold(t *testing.T) {
	m, err := newMeter()
	require.NoError(t, err)
	var said strings.Builder
	_, err = m.run(
		t.Context(),
		t.TempDir(),
		[]string{"WORD=hello"},
		[]string{"sh", "-c", "echo $WORD; exit 3"},
		&said,
	)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.ExitCode())
	require.Equal(t, "hello\n", said.String())
}

func TestOthersAreNoClients(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	require.Contains(t, (&meter{}).clients(), cmd.Process.Pid)
	require.NotContains(t, (&meter{others: []int{cmd.Process.Pid}}).clients(), cmd.Process.Pid)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "it was killed")
}
