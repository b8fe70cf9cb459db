package table

import (
	"context"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Truncations returns the times at which the local nodes last truncated the table.
func (t *Table) Truncations(ctx context.Context) records.Truncations {
	return t.truncations(ctx, func(int, topology.Node) bool { return true })
}

// fewNodes is the number of nodes that FewTruncations asks at most. A TRUNCATE reaches all nodes,
// or fails.
const fewNodes = 8

// FewTruncations is [Table.Truncations] of a few nodes, for a run that may itself be a few
// requests.
func (t *Table) FewTruncations(ctx context.Context) records.Truncations {
	return t.truncations(ctx, func(i int, _ topology.Node) bool { return i < fewNodes })
}

// truncations asks those local nodes for which ask returns true. nil: there is no cluster.
func (t *Table) truncations(
	ctx context.Context,
	ask func(i int, n topology.Node) bool,
) records.Truncations {
	if !t.Connected() {
		return nil
	}
	var asked []topology.Node
	for i, n := range t.Cluster.Local() {
		if ask(i, n) {
			asked = append(asked, n)
		}
	}
	return t.Session.Truncations(ctx, asked, t.Schema.ID)
}

// truncation is a truncation of the table, as the user sees it.
type truncation struct{ Node, At string }

// TruncatedSince returns a truncation since a run began, or nil. then has the nodes' truncations at
// that time. If none of these nodes answers, TruncatedSince logs it and returns nil.
func (t *Table) TruncatedSince(
	ctx context.Context,
	then records.Truncations,
	env spec.Environment,
) *truncation {
	now := t.truncations(ctx, func(_ int, n topology.Node) bool {
		_, told := then[n.ID] // no other node can be compared
		return told
	})
	node, at, compared := now.Since(then)
	if !compared {
		env.Logf("no node reports whether table %s was truncated since the run began", t.Schema)
	}
	if node == "" {
		return nil
	}
	return &truncation{t.NodeName(node), at.Format(time.RFC3339)}
}

// ReadRepair returns an addition to a warning of a truncation, about read repair. Reads at the
// level may have copied rows from a replica before its truncation to one that was truncated
// already. On three nodes, 11 of 12 scans at ALL did.
func ReadRepair(level string) string {
	if driver.ReadsOneReplica(level) {
		return ""
	}
	return fmt.Sprintf(
		"; reads at %s may have written some rows to it again (read repair): truncate it again",
		level,
	)
}

// WarnIfTruncated warns if the table was truncated since then. The meaning begins with the point of
// the run at which it was.
func (t *Table) WarnIfTruncated(
	ctx context.Context,
	env spec.Environment,
	then records.Truncations,
	meaning string,
) {
	if found := t.TruncatedSince(ctx, then, env); found != nil {
		env.Warn(
			"table %s was truncated at %s (node %s), %s",
			t.Schema,
			found.At,
			found.Node,
			meaning,
		)
	}
}
