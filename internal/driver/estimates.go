package driver

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Estimate is what a node estimates it has of a table in its primary ranges. Nodes renew it every
// few minutes and count flushed data only. So it is good for planning, and not for correctness.
type Estimate struct {
	Partitions int64
	Bytes      int64
}

// Estimates asks each node that is up for its estimate. The result has one entry for each of nodes,
// zero if a node has none or did not answer. A warning names those that did not.
func (s *Session) Estimates(
	ctx context.Context,
	nodes []topology.Node,
	keyspace, table string,
) []Estimate {
	estimates := make([]Estimate, len(nodes))
	up, asked := s.upOf(nodes)
	_, silent := s.askAll(ctx, asked, func(ctx context.Context, i int) error {
		var partitions, mean int64
		var sum Estimate
		err := s.each(
			ctx,
			asked[i].HostID(),
			func() error {
				sum.Partitions += partitions
				sum.Bytes += partitions * mean
				return nil
			},
			[]any{&partitions, &mean},
			"SELECT partitions_count, mean_partition_size FROM system.size_estimates WHERE keyspace_name = ? AND table_name = ?",
			keyspace,
			table,
		)
		if err == nil {
			estimates[up[i]] = sum
		}
		return err
	})
	s.warnSilent(silent, "what they hold of the table is missing in the estimate of its size")
	return estimates
}
