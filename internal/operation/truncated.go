package operation

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// truncations is when the local nodes last truncated the table.
func (t *tableSession) truncations(ctx context.Context) records.Truncations {
	if !t.connected() {
		return nil
	}
	return t.session.Truncations(ctx, t.cluster.Local(), t.table.ID)
}

// truncation is one of the table as the user is told of it.
type truncation struct{ node, at string }

// truncatedSince finds a truncation since a run began, by what nodes told then; nil when
// there is none, or no node tells of it, which is logged.
func (t *tableSession) truncatedSince(ctx context.Context, then records.Truncations, env spec.Environment) *truncation {
	node, at, compared := t.truncations(ctx).Since(then)
	if !compared {
		env.Logf("no node tells whether table %s was truncated since the run began", t.table)
	}
	if node == "" {
		return nil
	}
	return &truncation{t.nodeName(node), at.Format(time.RFC3339)}
}
