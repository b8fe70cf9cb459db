package delivery

import (
	"context"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// asksForFailure is how often a node is asked why it failed a session. It records the reason a
// moment after it reports the failure.
const asksForFailure = 3

// explained adds the node's reason for a failed session to its error, if there is one, and the
// class of the error.
func (s *sender) explained(
	ctx context.Context,
	err error,
	node string,
	plan internode.UUID,
) error {
	var wait pace.Backoff
	for i := range asksForFailure {
		if failure := s.failure(ctx, node, plan); failure.Why != "" {
			err = fmt.Errorf("%w: %s", err, failure.Why)
			if failure.Rows {
				err = &stream.RowsError{Why: failure.Why, Advice: s.advice(), Err: err}
			}
			break
		}
		if pace.Sleep(ctx, wait.Delay(i+1)) != nil {
			break
		}
	}
	return fault.New(classOf(internode.Failed), err)
}

// advice returns what to do about a row that a node refuses.
func (s *sender) advice() string {
	if len(s.indexes) == 0 {
		return "change or remove the row, or load with --via cql, which rejects it"
	}
	return fmt.Sprintf(
		"change or remove the row, or load with --via cql, which rejects it if %s %s cannot have it; "+
			"or drop the index, resume, and create it again",
		human.Verb(len(s.indexes), "index", "indexes"),
		strings.Join(s.indexes, ", "),
	)
}
