package operation

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// asksForFailure is how often a node is asked why it failed a session, which it notes a moment after it has said so.
const asksForFailure = 3

// explained adds to the error of a session why the node failed it, if it tells.
func (s *streamSender) explained(ctx context.Context, err error, node string, plan internode.UUID) error {
	var wait pace.Backoff
	for i := range asksForFailure {
		if why := s.failure(ctx, node, plan); why != "" {
			return fmt.Errorf("%w: %s", err, why)
		}
		if pace.Sleep(ctx, wait.Delay(i+1)) != nil {
			break
		}
	}
	return err
}
