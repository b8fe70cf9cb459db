package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// terminal is a pseudo-terminal: keyboard and screen of a user.
type terminal struct {
	keys *os.File // what is written to it is typed
	tty  *os.File // the program's side
	mu   sync.Mutex
	seen bytes.Buffer
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	var number, locked int32
	ioctl(t, keys, syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(t, keys, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	screen := &terminal{keys: keys, tty: tty}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		buf := make([]byte, 1024)
		for {
			n, err := keys.Read(buf)
			screen.mu.Lock()
			screen.seen.Write(buf[:n])
			screen.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close() // the last one on that side: the reader comes to an end
		<-watched
		_ = keys.Close()
	})
	return screen
}

func ioctl(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	var errno syscall.Errno
	require.NoError(t, raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	}))
	require.Zero(t, errno)
}

// echoes says whether the terminal shows what is typed.
func (s *terminal) echoes(t *testing.T) bool {
	t.Helper()
	var settings syscall.Termios
	ioctl(t, s.tty, syscall.TCGETS, unsafe.Pointer(&settings))
	return settings.Lflag&syscall.ECHO != 0
}

func (s *terminal) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// TestAskPassword runs the program at a terminal of its own, with its streams led
// elsewhere as far as they can be. Nothing listens where it would connect to.
func TestAskPassword(t *testing.T) {
	for _, tc := range []struct {
		name, typed string
		stdin       bool // the terminal is the standard input; else it is the standard error
		code        int
		want        string
	}{
		{"a password", "s3cret\n", true, exitFatal, "nothing listens on 127.0.0.1:1 "},
		{"with data on the standard input", "s3cret\n", false, exitFatal, "nothing listens on 127.0.0.1:1 "},
		{"nothing", "\n", true, exitUsage, `no password for user "u" was entered`},
		{"Ctrl-C", "s3cr\x03", true, exitInterrupted, "interrupted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			screen := newTerminal(t)
			// By this name the test binary is the program.
			c := exec.Command(os.Args[0], "count", "demo.flights", "--user", "u")
			c.Args[0] = "cqlbulk"
			c.Dir = t.TempDir()
			c.Env = append(
				os.Environ(),
				"CQLBULK_HOSTS=127.0.0.1:1",
				"CQLBULK_PASSWORD=",
				"HOME=/no-home",
				"GORACE=atexit_sleep_ms=0",
			)
			var report strings.Builder
			if tc.stdin {
				c.Stdin, c.Stderr = screen.tty, &report
			} else {
				c.Stdin, c.Stderr = strings.NewReader("data"), screen.tty
			}
			c.ExtraFiles = []*os.File{screen.tty}
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
			require.NoError(t, c.Start())
			defer func() { _ = c.Process.Kill() }()
			require.Eventually(t, func() bool {
				return strings.Contains(screen.shown(), "Password of u: ") && !screen.echoes(t)
			}, 30*time.Second, time.Millisecond)
			_, err := screen.keys.WriteString(tc.typed)
			require.NoError(t, err)
			_ = c.Wait()
			require.Equal(t, tc.code, c.ProcessState.ExitCode(), report.String())
			require.True(t, screen.echoes(t), "the terminal is as it was")
			said := func() string { return report.String() + screen.shown() }
			require.Eventually(
				t,
				func() bool { return strings.Contains(said(), tc.want) },
				30*time.Second,
				time.Millisecond,
				said(),
			)
			require.NotContains(t, said(), "s3cr")
		})
	}
}
