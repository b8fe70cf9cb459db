package driver

import (
	"fmt"
	"sync"
)

// logger hands the driver's own messages to a function, one after the other, until it is
// closed: the driver's goroutines may outlive their session.
type logger struct {
	tell   func(format string, args ...any)
	mu     sync.Mutex
	closed bool
}

// Printf hands on a message.
func (l *logger) Printf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.tell("%s", translate(fmt.Sprintf(format, v...)))
	}
}

// Print hands on what fmt.Sprint makes of v.
func (l *logger) Print(v ...any) { l.Printf("%s", fmt.Sprint(v...)) }

// Println does the same.
func (l *logger) Println(v ...any) { l.Print(v...) }

// close ends it; no message is under way after it.
func (l *logger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
