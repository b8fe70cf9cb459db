//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	command "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// unprivileged is a first argument of the tests' own executable. With it the executable runs a
// program as a user to whom the permissions of files apply, though root runs the tests.
const unprivileged = "without-roots-rights"

// Ahead of the tests: os.Args is unprivileged, the program and its arguments.
func init() {
	if len(os.Args) < 3 || os.Args[1] != unprivileged {
		return
	}
	runtime.LockOSThread() // what is given up is this thread's, and what it becomes
	for _, right := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
		if err := unix.Prctl(
			unix.PR_CAPBSET_DROP,
			right,
			0,
			0,
			0,
		); err != nil &&
			os.Geteuid() == 0 {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(125)
		}
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
	os.Exit(125)
}

// asOrdinary is how spawn makes a program that the rights of files hold for.
func asOrdinary(t *testing.T) func(*command.Cmd) {
	self, err := os.Executable()
	require.NoError(t, err)
	return func(cmd *command.Cmd) {
		cmd.Path, cmd.Args = self, append([]string{self, unprivileged}, cmd.Args...)
	}
}

// folder copies a run directory, for a test that spoils it.
func folder(t *testing.T, run string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(run)))
	return dir
}

// edit changes a file, which keeps its time.
func edit(t *testing.T, path string, change func(text []byte) []byte) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, change(text), 0o600))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// flip changes one bit of a text's second line, which is the first record of a journal.
func flip(text []byte) []byte {
	text[bytes.IndexByte(text, '\n')+20] ^= 1
	return text
}

// refused requires that a resume of a run directory is refused, for a reason. If that is found
// before any work, the directory is unchanged.
func refused(t *testing.T, prepare func(*command.Cmd), dir, reason string) {
	t.Helper()
	before := read(t, filepath.Join(dir, "journal"))
	r := spawn(t, prepare, "resume", dir).end(t)
	require.Equal(t, 4, r.code)
	require.Contains(t, r.report, reason)
	require.True(t, strings.HasPrefix(read(t, filepath.Join(dir, "journal")), before))
}

// TestRefusedResumesOfALoad kills a load, damages all that a resume needs, one after the other, and
// checks the errors. What is right again, or does not matter, is accepted.
func TestRefusedResumesOfALoad(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := min(testRows(t, 5_000), 50_000)
	input := padded(rows, 1000)
	table(t, "it1.refused", paddedBody)
	text := []byte(paddedHeader + strings.Join(input, ""))
	path, killed := file(t, "in.csv", string(text)), t.TempDir()+"/run"
	run := spawn(
		t,
		nil,
		quorum(
			"load",
			"it1.refused",
			path,
			"--run-dir",
			killed,
			"--ingestrate",
			fmt.Sprint(rows/20),
		)...)
	run.until(t, "the load was under way", func() bool { return recordedRows(killed) > 0 })
	run.kill(t)
	known := recordedRows(killed)

	for name, change := range map[string]func([]byte) []byte{
		"longer":      func(text []byte) []byte { return append(text, "1,1,more\n"...) },
		"shorter":     func(text []byte) []byte { return text[:len(text)-10] },
		"another end": func(text []byte) []byte { text[len(text)-5]++; return text },
		// of a piece that is completed
		"another content": func(text []byte) []byte { text[200_000]++; return text },
	} {
		t.Run("input: "+name, func(t *testing.T) {
			edit(t, path, func([]byte) []byte { return change(bytes.Clone(text)) })
			refused(t, nil, folder(t, killed), "changed")
			edit(t, path, func([]byte) []byte { return text })
		})
	}
	t.Run("input: gone", func(t *testing.T) {
		require.NoError(t, os.Rename(path, path+".away"))
		refused(t, nil, folder(t, killed), path+": ")
		require.NoError(t, os.Rename(path+".away", path))
	})
	t.Run("table altered", func(t *testing.T) {
		exec(t, "ALTER TABLE it1.refused ADD more int")
		refused(
			t,
			nil,
			folder(t, killed),
			"table it1.refused has other columns than when the run began",
		)
		exec(t, "ALTER TABLE it1.refused DROP more")
	})
	for _, name := range []string{"journal", "run.json"} {
		t.Run(name+" damaged", func(t *testing.T) {
			dir := folder(t, killed)
			edit(t, filepath.Join(dir, name), flip)
			refused(t, nil, dir, name)
			require.Equal(t, 1, cqlbulkOffline(t, "status", dir).code)
		})
	}
	t.Run("folder not writable", func(t *testing.T) {
		dir := folder(t, killed)
		require.NoError(t, os.Chmod(dir, 0o500))
		refused(t, asOrdinary(t), dir, "permission denied")
		require.Contains(t, status(t, dir), "stopped unexpectedly", "it can be shown")
		r := spawn(
			t,
			asOrdinary(t),
			quorum("load", "it1.refused", path, "--run-dir", dir+"/new")...).end(t)
		require.Equal(t, 1, r.code)
		require.Contains(t, r.report, "permission denied; --run-dir names another folder")
		require.NoError(t, os.Chmod(dir, 0o700))
	})
	t.Run("journal torn", func(t *testing.T) {
		// As a run may leave it that is killed.
		dir := folder(t, killed)
		edit(
			t,
			filepath.Join(dir, "journal"),
			func(text []byte) []byte { return text[:len(text)-7] },
		)
		require.LessOrEqual(t, recordedRows(dir), known)
		require.Less(
			t,
			counted(t, "it1.refused"),
			rows,
			"none of those that were refused has loaded",
		)
		r := spawn(t, nil, "resume", dir, "--ingestrate", "0").end(t)
		require.Zero(t, r.code)
		require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
		require.Equal(t, requireTable(t, "it1.refused", input), checksum(t, r))
	})
	t.Run("in use", func(t *testing.T) {
		dir := folder(t, killed)
		before := len(read(t, filepath.Join(dir, "journal")))
		first := spawn(t, nil, "resume", dir, "--ingestrate", "20")
		// The resume is recorded before anything else.
		first.until(
			t,
			"the run resumed",
			func() bool { return len(read(t, filepath.Join(dir, "journal"))) > before },
		)
		require.Contains(
			t,
			status(t, dir),
			fmt.Sprintf("under way in process %d on ", first.cmd.Process.Pid),
		)
		second := spawn(t, nil, "resume", dir).end(t)
		require.Equal(t, 4, second.code)
		require.Contains(
			t,
			second.report,
			fmt.Sprintf("in use by process %d on ", first.cmd.Process.Pid),
		)
		require.NoError(t, first.cmd.Process.Signal(syscall.SIGINT))
		require.Equal(t, 130, first.end(t).code)
		require.Contains(t, status(t, dir), "interrupted")
		require.Contains(t, status(t, dir), "cqlbulk resume "+dir)
		r := spawn(t, nil, "resume", dir, "--ingestrate", "0").end(t)
		require.Zero(t, r.code)
		require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
	})
	t.Run("table created again", func(t *testing.T) {
		dir := folder(t, killed)
		table(t, "it1.refused", paddedBody)
		refused(
			t,
			nil,
			dir,
			"table it1.refused is not the one that the run began with, but was created since",
		)
	})
}
