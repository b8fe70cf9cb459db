package driver

import (
	"fmt"
	"sync"
)

// logger passes the driver's messages to a function, one at a time, until it is closed. The
// driver's goroutines may outlive their session.
type logger struct {
	tell   func(format string, args ...any)
	mu     sync.Mutex
	closed bool
}

// Printf passes on a message.
func (l *logger) Printf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.tell("%s", translate(fmt.Sprintf(format, v...)))
	}
}

// Print passes on the result of fmt.Sprint.
func (l *logger) Print(v ...any) { l.Printf("%s", fmt.Sprint(v...)) }

// Println does the same as Print.
func (l *logger) Println(v ...any) { l.Print(v...) }

// close stops the logger. Afterwards no message is in progress.
func (l *logger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
