package operation

import "context"

// Compaction is what nodes said that their compaction has to do when all was streamed.
type Compaction struct {
	Told, Nodes     int   // nodes that told, of all
	Active, Pending int   // tasks of all tables
	Left            int64 // bytes of the table that tasks under way have yet to read
}

// compaction asks the nodes for their compaction; nil when none tells.
func (l *landing) compaction(ctx context.Context) *Compaction {
	told := l.t.Session.Compactions(ctx, l.t.Cluster.Nodes, l.t.Schema.Keyspace, l.t.Schema.Name)
	if len(told) == 0 {
		return nil
	}
	c := &Compaction{Told: len(told), Nodes: len(l.t.Cluster.Nodes)}
	for _, n := range told {
		c.Active += n.Active
		c.Pending += n.Pending
		c.Left += n.Left
	}
	return c
}
