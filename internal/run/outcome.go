package run

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// Outcome is how a run ended.
type Outcome uint8

const (
	// Done is a run that did all.
	Done Outcome = iota
	// Partly is a run that came to its end, but for what is listed.
	Partly
	// Interrupted is a run that was canceled.
	Interrupted
	// Failed is a run that ended with an error.
	Failed
)

// OutcomeOf returns how a run ended. partly: the run came to its end, and something failed. A run
// that came to its end counts as such, even if its context was canceled meanwhile.
func OutcomeOf(ctx context.Context, err error, partly bool) Outcome {
	switch {
	case err == nil && partly:
		return Partly
	case err == nil:
		return Done
	case ctx.Err() != nil || fault.ClassOf(err) == fault.Canceled:
		return Interrupted
	default:
		return Failed
	}
}
