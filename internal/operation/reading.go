package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// failedRanges lists the ranges that a sweep gave up. If there are none, every token of the ring
// was read once, or there is an error. If the table was dropped or replaced during the run, it
// returns an error and no list. Nodes that know of the change fail before all nodes report it.
func failedRanges(ctx context.Context, t *files.Source, r sweep.Result) ([]FailedRange, error) {
	if len(r.Failed) == 0 {
		if err := t.Plan.Check(r.Done); err != nil {
			return nil, fmt.Errorf(
				"internal check failed: the ranges read do not make up the ring: %w",
				err,
			)
		}
		return nil, nil
	}
	if t.Files != nil && t.Files.Unchanged != nil {
		if err := t.Files.Unchanged(ctx); errors.As(err, new(*run.RefusedError)) {
			return nil, err
		}
	}
	failed := make([]FailedRange, len(r.Failed))
	for i, f := range r.Failed {
		failed[i] = FailedRange{t.Tokens(f.Range), f.Err}
	}
	return failed, nil
}

// sweepError is the error that ended a sweep. A condition (--where) that the servers
// refuse before anything was read is a matter of usage.
func sweepError(err error, where string, begun bool) error {
	if where != "" && !begun && fault.ClassOf(err) == fault.Permanent && fault.Answered(err) {
		if strings.Contains(err.Error(), "ALLOW FILTERING") {
			err = fmt.Errorf(
				"--allow-filtering has the servers read all rows to find those that meet the condition; without it they say: %w",
				err,
			)
		}
		return &spec.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return err
}
