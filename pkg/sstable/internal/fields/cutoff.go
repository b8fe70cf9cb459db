package fields

import (
	"errors"
	"io"
)

// CutOffError is [io.ErrUnexpectedEOF] in the words of a user.
type CutOffError struct{}

func (CutOffError) Error() string { return "ends too early" }

// Unwrap has errors.Is find it.
func (CutOffError) Unwrap() error { return io.ErrUnexpectedEOF }

// CutOff replaces the errors of a reader that ends too early by one that says so.
func CutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return CutOffError{}
	}
	return err
}
