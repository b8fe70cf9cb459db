package pace

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// Outcome is what a request told about the load of the server.
type Outcome uint8

const (
	// Good is an answer; its latency counts.
	Good Outcome = iota
	// Overloaded is a refusal because of load, or a time-out.
	Overloaded
	// Bad is any other failure; it says nothing about load.
	Bad
)

// OutcomeOf is the outcome of a request that ended with err, by its class.
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
