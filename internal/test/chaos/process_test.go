package chaos

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a process may take. One that takes longer hangs: the longest
// waits of the program between attempts are far shorter, and faults end.
const patience = 3 * time.Minute

// process is the program, running.
type process struct {
	command *exec.Cmd
	output  bytes.Buffer // both streams
	ended   chan struct{}

	mu   sync.Mutex
	sent os.Signal // the last signal
}

// exit is how a process ended.
type exit struct {
	code   int            // -1: by a signal
	by     syscall.Signal // that ended it
	asked  os.Signal      // the signal that it was sent, if any
	output string
}

// killed says that a signal ended the process.
func (e exit) killed() bool { return e.code == -1 }

// launch starts the program in a folder, with nothing of this process's environment
// that it would take for a setting.
func launch(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return launchFrom(t, nil, dir, args...)
}

// launchFrom is launch with a standard input.
func launchFrom(t *testing.T, stdin io.Reader, dir string, args ...string) *process {
	t.Helper()
	p := &process{command: exec.Command(os.Args[0], args...), ended: make(chan struct{})}
	p.command.Dir, p.command.Stdin = dir, stdin
	p.command.Stdout, p.command.Stderr = &p.output, &p.output
	p.command.Env = []string{
		programVariable + "=1",
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"GOTRACEBACK=all",
		raceOptions(dir),
	}
	require.NoError(t, p.command.Start())
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // the state has the result
	}()
	return p
}

// signal sends a signal, if the process still runs.
func (p *process) signal(s os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.command.Process.Signal(s) == nil {
		p.sent = s
	}
}

// wait waits for the end. A process that hangs is made to show its goroutines.
func (p *process) wait(t *testing.T) exit {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-p.ended:
	case <-limit.C:
		totals.hung.Add(1)
		p.signal(syscall.SIGQUIT)
		select {
		case <-p.ended:
		case <-time.After(10 * time.Second):
			p.signal(syscall.SIGKILL)
			<-p.ended
		}
		t.Fatalf("hung: cqlbulk %s\n%s", strings.Join(p.command.Args[1:], " "), p.output.String())
	}
	checkRaces(t, p.command.Dir)
	e := exit{code: p.command.ProcessState.ExitCode(), output: p.output.String()}
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.by = status.Signal()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e.asked = p.sent
	return e
}

func (e exit) String() string {
	if e.killed() {
		return fmt.Sprintf("ended by %s", e.by)
	}
	return fmt.Sprintf("exit status %d", e.code)
}
