// Package fault sorts database errors by what may be done about them, so that
// the pipelines can decide on a retry without knowing the driver.
//
// The driver room wraps every error it returns in an [Error]; the pipelines ask
// [ClassOf]. An error without a class counts as [Permanent].
package fault

import (
	"context"
	"errors"
	"time"
)

// Class says what may be done about a failed request.
type Class uint8

const (
	// Permanent errors come back however often the request is sent: a syntax
	// error, an invalid value, a missing right, a table that is gone.
	Permanent Class = iota
	// Transient errors were answered before anything was applied: unavailable, bootstrapping, or no
	// connection. The request may be sent again, best to another replica.
	Transient
	// Overloaded is Transient from a node that asks for less.
	Overloaded
	// Unknown means that no answer came, or a time-out: a write may or may not
	// have been applied. Only idempotent requests may be sent again.
	Unknown
	// Fatal ends the run: the cluster cannot be reached or refuses the user.
	Fatal
	// NotApplied says that the condition of a write did not hold: nothing was
	// written, as was asked for.
	NotApplied
	// Canceled is the end of the caller's own context.
	Canceled
	// GivenUp says that a range cannot be read in this run, and that all that can be tried was: its
	// files are broken, say. The next range may be well.
	GivenUp
)

// String names the class as it is shown in summaries.
func (c Class) String() string {
	switch c {
	case Transient:
		return "transient"
	case Overloaded:
		return "overloaded"
	case Unknown:
		return "unknown outcome"
	case Fatal:
		return "fatal"
	case NotApplied:
		return "not applied"
	case Canceled:
		return "canceled"
	case GivenUp:
		return "given up"
	default:
		return "permanent"
	}
}

// Error is an error with its class.
type Error struct {
	Class Class
	Err   error
	// Answered says that a server answered with this error, so that it is there:
	// silence and broken connections are no answers.
	Answered bool
	// After is how long the server asks to wait before the request is sent again; 0: it does not
	// say.
	After time.Duration
}

// New gives err a class; nil stays nil.
func New(class Class, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Class: class, Err: err}
}

// After returns how long the server asks to wait before the request that failed is sent again; 0:
// it does not say.
func After(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.After
	}
	return 0
}

// Answered says whether err is what a server has answered with.
func Answered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Answered
}

// Error is the text of the wrapped error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf finds the class of err. The caller's own cancellation is Canceled
// even when nothing wrapped it; any other error without a class is Permanent.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	if errors.Is(err, context.Canceled) {
		return Canceled
	}
	return Permanent
}

// Retryable reports whether a request that failed with err may be sent again. idempotent says
// whether sending it twice does no harm.
func Retryable(err error, idempotent bool) bool {
	switch ClassOf(err) {
	case Transient, Overloaded:
		return true
	case Unknown:
		return idempotent
	default:
		return false
	}
}
