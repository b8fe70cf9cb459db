package chaos

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// exitLeaking is the exit status of a process in which a goroutine still runs after the command has
// ended.
const exitLeaking = 70

// notOurs are in the stacks of goroutines that may still run. Some of the driver library end
// seconds after a session was closed, and some never after one that could not be opened. A
// goroutine that waits for it ends with it. A session that is closed waits for a refresh of the
// ring under way. If its debouncer ends at that moment, it waits forever; the program does not wait
// for that (driver.shut).
var notOurs = []string{
	"created by github.com/gocql/gocql",
	"gocql.(*Session).WaitUntilReady(",
	"debounce.(*RefreshDebouncer).Stop(",
	"os/signal.signal_recv",
	"os/signal.loop",
}

// leakTime is how long goroutines have to end after the command.
const leakTime = 3 * time.Second

// withoutLeaks gives a command's exit status, if nothing of it runs any more.
func withoutLeaks(code int) int {
	for end := time.Now().Add(leakTime); ; time.Sleep(5 * time.Millisecond) {
		left := leftRunning()
		if len(left) == 0 {
			return code
		}
		if time.Now().After(end) {
			fmt.Fprintf(os.Stderr, "left running:\n%s\n", strings.Join(left, "\n\n"))
			return exitLeaking
		}
	}
}

// leftRunning lists the stacks of the program's goroutines, but for this one.
func leftRunning() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(strings.TrimSpace(string(stacks)), "\n\n")[1:] {
		ours := true
		for _, part := range notOurs {
			ours = ours && !strings.Contains(stack, part)
		}
		if ours {
			left = append(left, stack)
		}
	}
	return left
}
