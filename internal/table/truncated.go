package table

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Truncations is when the local nodes last truncated the table.
func (t *Table) Truncations(ctx context.Context) records.Truncations {
	if !t.Connected() {
		return nil
	}
	return t.Session.Truncations(ctx, t.Cluster.Local(), t.Schema.ID)
}

// truncation is one of the table as the user is told of it.
type truncation struct{ Node, At string }

// TruncatedSince finds a truncation since a run began, by what nodes told then; nil when
// there is none, or no node tells of it, which is logged.
func (t *Table) TruncatedSince(
	ctx context.Context,
	then records.Truncations,
	env spec.Environment,
) *truncation {
	node, at, compared := t.Truncations(ctx).Since(then)
	if !compared {
		env.Logf("no node tells whether table %s was truncated since the run began", t.Schema)
	}
	if node == "" {
		return nil
	}
	return &truncation{t.NodeName(node), at.Format(time.RFC3339)}
}
