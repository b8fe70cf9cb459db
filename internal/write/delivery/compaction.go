package delivery

import "context"

// Compaction is what the nodes' compaction had left to do when all was streamed.
type Compaction struct {
	Told, Nodes     int   // nodes that answered, and all nodes
	Active, Pending int   // tasks of all tables
	Left            int64 // bytes of the table that tasks under way have yet to read
}

// Compaction asks the nodes about their compaction. It returns nil if none answers.
func (d *Delivery) Compaction(ctx context.Context) *Compaction {
	t := d.Table
	answers := t.Session.Compactions(ctx, t.Cluster.Nodes, t.Schema.Keyspace, t.Schema.Name)
	if len(answers) == 0 {
		return nil
	}
	c := &Compaction{Told: len(answers), Nodes: len(d.Table.Cluster.Nodes)}
	for _, n := range answers {
		c.Active += n.Active
		c.Pending += n.Pending
		c.Left += n.Left
	}
	return c
}
