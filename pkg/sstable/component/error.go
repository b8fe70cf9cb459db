package component

import "fmt"

// Error says that a component of an SSTable is damaged, or cannot be read.
type Error struct {
	Path string // of the component, or its name behind that of the node which sent it
	Err  error
}

// Error names the component, and what is wrong with it.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
