package sstable

import (
	"errors"
	"fmt"
)

// ComponentError says that a component of an SSTable is damaged, or cannot be read.
type ComponentError struct {
	Path string // of the component, or its name behind that of the node which sent it
	err  error
}

// Error names the component, and what is wrong with it.
func (e *ComponentError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.err) }

// Unwrap returns the cause.
func (e *ComponentError) Unwrap() error { return e.err }

// errNoPartitions is the error of a component that should have partitions.
var errNoPartitions = errors.New("has no partitions")

// damaged returns the error of a component; it names the component, unless err does. nil stays nil.
func (f *tableFiles) damaged(c Component, err error) error {
	if err == nil || errors.As(err, new(*ComponentError)) {
		return err
	}
	return &ComponentError{f.path(c), err}
}
