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
	// Interrupted is a run that was told to stop.
	Interrupted
	// Failed is a run that could not go on.
	Failed
)

// OutcomeOf says how a run ended. partly says that it came to its end, with something
// that failed; then it does not matter that it was told to stop meanwhile.
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
