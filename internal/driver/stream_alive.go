package driver

import (
	"context"

	"github.com/gocql/gocql"
)

// StreamEnded asks a node for the state of a stream, by its plan. It returns whether the node
// answers, and whether the stream has ended as far as the node knows. Nodes report that since 4.1,
// to roles that may read the table (org.apache.cassandra.db.virtual.StreamingVirtualTable and
// streaming.StreamingState).
func (s *Session) StreamEnded(
	ctx context.Context,
	node string,
	plan [16]byte,
) (answers, ended bool) {
	if s.PingAny(ctx, []string{node}) != nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.AskTimeout)
	defer cancel()
	var status string
	err := s.each(ctx, node, func() error { return nil }, []any{&status},
		"SELECT status FROM system_views.streaming WHERE id = ?", gocql.UUID(plan))
	return true, err == nil && (status == "success" || status == "failure")
}
