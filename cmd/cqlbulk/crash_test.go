package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// panics is the variable that has the test's own program panic.
const panics = "CQLBULK_TEST_PANICS"

// A panic of any goroutine ends the program by a signal, and not with an exit status that says
// something else.
func TestPanicOfAGoroutineAborts(t *testing.T) {
	if os.Getenv(panics) != "" {
		abortOnPanic()
		go func() { panic("of a goroutine") }()
		select {}
	}
	self := exec.CommandContext(
		t.Context(),
		os.Args[0],
		"-test.run",
		"^TestPanicOfAGoroutineAborts$",
	) //nolint:gosec // this test
	self.Env = append(os.Environ(), panics+"=1", "GOTRACEBACK=")
	var stderr bytes.Buffer
	self.Stderr = &stderr
	var failed *exec.ExitError
	require.True(t, errors.As(self.Run(), &failed))
	status := failed.Sys().(syscall.WaitStatus)
	require.True(t, status.Signaled(), "exit status %d", status.ExitStatus())
	require.Equal(t, syscall.SIGABRT, status.Signal())
	require.False(t, status.CoreDump())
	require.Contains(t, stderr.String(), "panic: of a goroutine")
}
