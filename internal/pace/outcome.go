package pace

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// Outcome is what the end of a request shows about the load of the server.
type Outcome uint8

const (
	// Good is an answer; its latency counts.
	Good Outcome = iota
	// Overloaded is a refusal because of load, or a time-out.
	Overloaded
	// Bad is any other failure. It shows nothing about the load.
	Bad
)

// OutcomeOf returns the outcome of a request that ended with err, by the error's class.
func OutcomeOf(err error) Outcome {
	if err == nil || errors.As(err, new(*fault.LargeError)) {
		return Good
	}
	switch fault.ClassOf(err) {
	case fault.NotApplied:
		return Good
	case fault.Overloaded, fault.Unknown:
		return Overloaded
	default:
		return Bad
	}
}
