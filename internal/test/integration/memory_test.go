//go:build integration

package integration

import (
	"errors"
	"fmt"
	"os"
	command "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// measuring is a first argument of the tests' own executable. With it the executable runs a program
// and writes its peak memory to a file. A process starts with the peak of its parent (getrusage(2),
// ru_maxrss), so a test that holds large inputs cannot measure by itself. A new process of the
// executable is small.
const measuring = "measure-peak-memory"

// Ahead of the tests, and of the testing package's look at the arguments:
// os.Args is measuring, the file, the program and its arguments.
func init() {
	if len(os.Args) > 3 && os.Args[1] == measuring {
		os.Exit(measure(os.Args[2], os.Args[3:]))
	}
}

func measure(file string, words []string) (code int) {
	cmd := command.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The program ends with this process, whose thread this is.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var exit *command.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10 // from kB
	if err := os.WriteFile(file, strconv.AppendInt(nil, peak, 10), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	return cmd.ProcessState.ExitCode()
}

// measured runs the built program, and gives and logs the most memory that it had
// at any time (its peak resident set), in bytes.
func measured(t *testing.T, args ...string) (r result, peak int64) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "peak")
	r = start(t, []string{self, measuring, file}, args...).end(t)
	peak, err = strconv.ParseInt(strings.TrimSpace(read(t, file)), 10, 64)
	require.NoError(t, err, r.report)
	t.Logf("%s: exit code %d, peak memory %d MiB", filepath.Base(t.Name()), r.code, peak>>20)
	return r, peak
}
