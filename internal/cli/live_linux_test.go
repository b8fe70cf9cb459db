package cli

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// drawn is what a program draws: text of printable characters between control codes.
var drawn = regexp.MustCompile(`[^\r\n\x1b]{5,}`)

// What matters most is never cut off where the terminal is narrow.
func TestLiveLineOnANarrowTerminal(t *testing.T) {
	screen := newTerminal(t)
	require.NoError(
		t,
		unix.IoctlSetWinsize(
			int(screen.tty.Fd()),
			unix.TIOCSWINSZ,
			&unix.Winsize{Row: 24, Col: 60},
		),
	)
	counters := &progress.Counters{}
	counters.Total.Store(100)
	counters.Done.Store(50)
	counters.Rows.Store(12_345_678)
	counters.Rejected.Store(1_234)
	stop := printer.Start(
		t.Context(),
		"load warehouse.measurements",
		counters,
		printer.Options{Screen: screen.tty},
	)
	defer stop()
	var line string
	require.Eventually(t, func() bool {
		line = drawn.FindString(screen.shown())
		return line != ""
	}, 30*time.Second, time.Millisecond)
	require.Contains(t, line, "1,234 rejected")
	require.Less(t, len(strings.TrimPrefix(line, "[K")), 60, line)
}

// A terminal that becomes narrower breaks the line into several: all of them go, and the line
// fits again. At 20 columns what matters most is still there, and whole.
func TestLiveLineOfATerminalThatIsResized(t *testing.T) {
	screen := newTerminal(t)
	resize := func(columns uint16) {
		require.NoError(
			t,
			unix.IoctlSetWinsize(
				int(screen.tty.Fd()),
				unix.TIOCSWINSZ,
				&unix.Winsize{Row: 24, Col: columns},
			),
		)
	}
	resize(100)
	counters := &progress.Counters{}
	counters.Total.Store(100)
	counters.Done.Store(50)
	counters.Rejected.Store(1_234)
	stop := printer.Start(
		t.Context(),
		"load warehouse.measurements",
		counters,
		printer.Options{Screen: screen.tty},
	)
	defer stop()
	shows := func(text string) {
		require.Eventually(
			t,
			func() bool { return strings.Contains(screen.shown(), text) },
			30*time.Second,
			time.Millisecond,
		)
	}
	const rejected = "\x1b[31m1,234 rejected\x1b[0m"
	shows(
		rejected + "   50.0%              0 rows      0/s       - left  load warehouse.measurements",
	)
	resize(20)
	const brief = "\x1b[31m1.23k rej\x1b[0m   50.0%"
	shows("\x1b[4A\r\x1b[J" + brief)
	shows("\r\x1b[K" + brief + "\r")
}

// Of two programs on one terminal the first draws, and then the other.
func TestOneLiveLineOnATerminal(t *testing.T) {
	screen := newTerminal(t)
	shows := func(text string) func() bool {
		return func() bool { return strings.Contains(screen.shown(), text) }
	}
	stopScan := printer.Start(
		t.Context(),
		"scan ks.t",
		&progress.Counters{},
		printer.Options{Screen: screen.tty},
	)
	require.Eventually(t, shows("scan ks.t"), 30*time.Second, time.Millisecond)
	loaded := &progress.Counters{}
	stopLoad := printer.Start(t.Context(), "load ks.t", loaded, printer.Options{Screen: screen.tty})
	draws := func() int { return strings.Count(screen.shown(), "scan ks.t") }
	before := draws()
	require.Eventually(
		t,
		func() bool { return draws() > before+3 },
		30*time.Second,
		time.Millisecond,
	)
	require.NotContains(t, screen.shown(), "load ks.t")
	loaded.Rejected.Store(5)
	stopScan()
	require.Eventually(t, shows("load ks.t"), 30*time.Second, time.Millisecond)
	stopLoad()
	last := screen.shown()
	require.Greater(t, strings.LastIndex(last, "load ks.t"), strings.LastIndex(last, "scan ks.t"))
}
