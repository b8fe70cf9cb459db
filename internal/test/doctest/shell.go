package doctest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// loop is what the shell runs: commands that end with a NUL come in at 3, and their exit statuses
// go out at 4. What a command leaves in the shell, its status among it, the next one finds.
const loop = `
status=0
while IFS= read -r -d '' command <&3; do
  (exit "$status")
  eval "$command" 3<&- 4>&- </dev/null
  status=$?
  echo "$status" >&4
done`

// A Shell runs commands one after the other, as one terminal would.
type Shell struct {
	cmd      *exec.Cmd
	commands *os.File
	told     *os.File
	statuses *bufio.Reader // of the commands
	printed  *os.File
	read     int64 // of printed
}

// NewShell starts a bash in a folder, with an environment. What its commands print goes to a file
// of that path, both streams together. The caller closes it; the end of the context ends it, and
// all that it has started.
func NewShell(
	ctx context.Context,
	folder string,
	environment []string,
	printed string,
) (*Shell, error) {
	s := &Shell{cmd: exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", loop)}
	s.cmd.Dir, s.cmd.Env = folder, environment
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.cmd.Cancel = s.kill
	var err error
	if s.printed, err = os.OpenFile(
		printed,
		os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND,
		0o600,
	); err != nil {
		return nil, err
	}
	s.cmd.Stdout, s.cmd.Stderr = s.printed, s.printed
	typed, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = typed.Close() }() // the shell has it
	told, statuses, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = statuses.Close() }()
	s.commands, s.told, s.statuses = commands, told, bufio.NewReader(told)
	s.cmd.ExtraFiles = []*os.File{typed, statuses}
	return s, s.cmd.Start()
}

// Run runs a command, and gives what was printed since the last one, and the exit status. It is an
// error when the command ends the shell.
func (s *Shell) Run(command string) (printed string, status int, err error) {
	if _, err := s.commands.WriteString(command + "\x00"); err != nil {
		return "", 0, err
	}
	word, err := s.statuses.ReadString('\n')
	if err != nil {
		err = fmt.Errorf("the shell has ended: %w", err)
	} else {
		status, err = strconv.Atoi(strings.TrimSpace(word))
	}
	text, unread := io.ReadAll(io.NewSectionReader(s.printed, s.read, math.MaxInt64-s.read))
	s.read += int64(len(text))
	return string(text), status, errors.Join(err, unread)
}

// Close ends the shell, and what it has left running.
func (s *Shell) Close() error {
	_ = s.kill()
	_ = s.cmd.Wait() // it was killed
	return errors.Join(s.commands.Close(), s.told.Close(), s.printed.Close())
}

func (s *Shell) kill() error { return syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) }
