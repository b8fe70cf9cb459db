package printer

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// screen is where a live line is drawn.
type screen interface {
	io.Writer
	// claim reports whether this program draws the line. The first of several programs that claims
	// it has it until it leaves.
	claim() bool
	// meet passes this program's reading to the programs that share the screen, and returns theirs.
	meet(own progress.Reading) neighbors
	leave()
	// width is the number of columns.
	width() int
}

// terminal is a screen that is a terminal.
type terminal struct {
	*os.File
	// lock is the terminal, opened again: a lock belongs to an open file, and a shell passes the
	// same open file to all programs of a pipe. Nil if it cannot be opened, as after su; then every
	// program draws.
	lock *os.File
	ours bool
	*peers
}

func newTerminal(f *os.File) *terminal {
	lock, err := os.OpenFile(
		fmt.Sprintf("/proc/self/fd/%d", f.Fd()),
		os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK,
		0,
	)
	if err != nil {
		return &terminal{File: f, peers: newPeers(f)}
	}
	return &terminal{File: f, lock: lock, peers: newPeers(f)}
}

func (t *terminal) claim() bool {
	if t.lock == nil || t.ours {
		return true
	}
	err := unix.Flock(int(t.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	t.ours = !errors.Is(err, unix.EWOULDBLOCK)
	return t.ours
}

func (t *terminal) leave() {
	t.peers.leave()
	if t.lock != nil {
		_ = t.lock.Close() // nothing was written there
	}
}

// usualWidth is the width of a terminal that does not report it.
const usualWidth = 80

func (t *terminal) width() int { return Width(t.File) }

// Width returns the number of columns of a terminal; 0: it is not a terminal.
func Width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if columns, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && columns > 0 {
		return columns
	}
	return usualWidth
}
