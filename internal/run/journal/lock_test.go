package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// childEnv makes this test binary a process that holds the run directory named
// there and writes records to it until it is killed.
const childEnv = "CQLBULK_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Fprintln(os.Stderr, writeForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever prints the number of each record after it was appended.
func writeForever(dir string) error {
	j, err := Create(dir, sample())
	for i := 1; err == nil; i++ {
		if err = j.Append("n", entry{i, strings.Repeat("x", i%1000)}); err == nil {
			_, err = fmt.Println(i)
		}
	}
	return err
}

func TestKilledProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.Command(self)
	child.Env = append(os.Environ(), childEnv+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	defer func() { _ = child.Process.Kill() }()

	printed := bufio.NewScanner(out)
	told := 0
	next := func() {
		told++
		require.True(t, printed.Scan())
		require.Equal(t, fmt.Sprint(told), printed.Text())
	}
	next()

	host, err := os.Hostname()
	require.NoError(t, err)
	holder := Holder{PID: child.Process.Pid, Host: host}
	_, err = Open(dir, nothing)
	var inUse *InUseError
	require.ErrorAs(t, err, &inUse)
	require.Equal(t, holder, inUse.Holder)
	require.EqualError(
		t,
		inUse,
		fmt.Sprintf("run directory %s is in use by process %d on %s", dir, holder.PID, host),
	)
	status, err := Read(dir, nothing)
	require.NoError(t, err)
	require.True(t, status.Live)
	require.Equal(t, holder, status.Holder)

	for told < 300 {
		next()
	}
	require.NoError(t, child.Process.Kill())
	for printed.Scan() {
		told++
	}
	require.Error(t, child.Wait())

	status, err = Read(dir, nothing)
	require.NoError(t, err)
	require.False(t, status.Live)
	require.Zero(t, status.Holder, "whatever the file left behind says")
	require.FileExists(t, filepath.Join(dir, "lock"))

	n := 0
	j, err := Open(dir, func(r Record) error {
		n++
		var e entry
		require.NoError(t, r.Decode(&e))
		require.Equal(t, entry{n, strings.Repeat("x", n%1000)}, e)
		return nil
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, told, "each record that was acknowledged is there")
	require.LessOrEqual(t, n, told+1)
	require.NoError(t, j.Close())
}

func TestLockFileIsOnlyANote(t *testing.T) {
	j := create(t)
	for _, note := range []string{"", "x", "-4 host\n", "7"} {
		require.NoError(t, os.WriteFile(filepath.Join(j.dir, "lock"), []byte(note), 0o600))
		_, err := Open(j.dir, nothing)
		require.EqualError(t, err, "run directory "+j.dir+" is in use by another process")
	}
	require.NoError(t, os.Remove(filepath.Join(j.dir, "lock")))
	_, err := Open(j.dir, nothing)
	require.ErrorAs(t, err, new(*InUseError))
	status, err := Read(j.dir, nothing)
	require.NoError(t, err)
	require.True(t, status.Live)
	require.NoError(t, j.Close())
	j, err = Open(j.dir, nothing)
	require.NoError(t, err)
	require.NoError(t, j.Close())
}

func TestWriterWaitsForReaders(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Close())
	root, err := os.OpenRoot(j.dir)
	require.NoError(t, err)
	defer root.Close()
	var files [2]*os.File // a reader's and a writer's
	for i := range files {
		files[i], err = os.Open(j.path())
		require.NoError(t, err)
		defer files[i].Close()
	}
	reading, err := try(files[0], unix.LOCK_SH)
	require.NoError(t, err)
	require.True(t, reading)

	waits := 0
	err = take(j.dir, root, files[1], func() { waits++ })
	require.ErrorAs(t, err, new(*InUseError))
	require.Equal(t, readerTries, waits, "not for ever")

	waits = 0
	require.NoError(t, take(j.dir, root, files[1], func() {
		if waits++; waits == 2 {
			_, err := try(files[0], unix.LOCK_UN)
			require.NoError(t, err)
		}
	}))
	require.Equal(t, 2, waits)
	live, err := held(files[0])
	require.NoError(t, err)
	require.True(t, live)
}

func TestOneOfManyOpens(t *testing.T) {
	first := create(t)
	require.NoError(t, first.Close())
	for range 20 {
		var mu sync.Mutex
		var got []*Journal
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				j, err := Open(first.dir, nothing)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got = append(got, j)
				} else if _, ok := errors.AsType[*InUseError](err); !ok {
					t.Error(err)
				}
			})
			all.Go(func() {
				if _, err := Read(first.dir, nothing); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, got, 1, "readers exclude no one, writers all others")
		require.NoError(t, got[0].Close())
	}
}
