package sstable

import (
	"errors"
	"fmt"
	"io"
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

// cutOffError is [io.ErrUnexpectedEOF] in the words of a user.
type cutOffError struct{}

func (cutOffError) Error() string { return "ends too early" }

// Unwrap has errors.Is find it.
func (cutOffError) Unwrap() error { return io.ErrUnexpectedEOF }

// cutOff replaces the errors of a reader that ends too early by one that says so.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cutOffError{}
	}
	return err
}

// errNoPartitions is the error of a component that should have partitions.
var errNoPartitions = errors.New("has no partitions")

// damaged returns the error of a component; it names the component, unless err does. nil stays nil.
func (f *tableFiles) damaged(c Component, err error) error {
	if err == nil || errors.As(err, new(*ComponentError)) {
		return err
	}
	return &ComponentError{f.path(c), err}
}
