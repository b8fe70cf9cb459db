package table

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Truncations is when the local nodes last truncated the table.
func (t *Table) Truncations(ctx context.Context) records.Truncations {
	if !t.Connected() {
		return nil
	}
	return t.Session.Truncations(ctx, t.Cluster.Local(), t.Schema.ID)
}

// fewNodes is the number of nodes that FewTruncations asks at most. A TRUNCATE reaches all nodes,
// or fails.
const fewNodes = 8

// FewTruncations is [Table.Truncations] of a few nodes, for a run that may itself be a few
// requests.
func (t *Table) FewTruncations(ctx context.Context) records.Truncations {
	if !t.Connected() {
		return nil
	}
	nodes := t.Cluster.Local()
	return t.Session.Truncations(ctx, nodes[:min(len(nodes), fewNodes)], t.Schema.ID)
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
	var asked []topology.Node
	if t.Connected() {
		asked = slices.DeleteFunc(slices.Clone(t.Cluster.Local()), func(n topology.Node) bool {
			_, told := then[n.ID]
			return !told
		})
	}
	var now records.Truncations
	if len(asked) > 0 {
		now = t.Session.Truncations(ctx, asked, t.Schema.ID)
	}
	node, at, compared := now.Since(then)
	if !compared {
		env.Logf("no node tells whether table %s was truncated since the run began", t.Schema)
	}
	if node == "" {
		return nil
	}
	return &truncation{t.NodeName(node), at.Format(time.RFC3339)}
}
