package operation

import (
	"context"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// asksForFailure is how often a node is asked why it failed a session, which it notes a moment after it has said so.
const asksForFailure = 3

// explained adds to the error of a session that a node failed why it did, if it tells, and gives it its class.
func (s *streamSender) explained(ctx context.Context, err error, node string, plan internode.UUID) error {
	var wait pace.Backoff
	for i := range asksForFailure {
		if failure := s.failure(ctx, node, plan); failure.Why != "" {
			err = fmt.Errorf("%w: %s", err, failure.Why)
			if failure.Rows && s.again(node) {
				return fault.New(fault.Permanent, fmt.Errorf("%s: %w", s.advice(), err))
			}
			break
		}
		if pace.Sleep(ctx, wait.Delay(i+1)) != nil {
			break
		}
	}
	return fault.New(classOf(internode.Failed), err)
}

// advice says what to do about rows that a node does not take.
func (s *streamSender) advice() string {
	if len(s.indexes) == 0 {
		return "the node does not take a row of what it was sent, and resume would fail again: load with --via cql, which rejects that row"
	}
	return fmt.Sprintf("the node cannot index a row of what it was sent (%s %s), and resume would fail again: load with --via cql, which rejects that row, "+
		"or drop the index, resume, and create it again", amount.Verb(len(s.indexes), "index", "indexes"), strings.Join(s.indexes, ", "))
}

// again reports whether a node failed a session for its rows before. What is sent again is the same.
func (s *streamSender) again(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.refused[node]
	if s.refused == nil {
		s.refused = make(map[string]bool)
	}
	s.refused[node] = true
	return before
}
