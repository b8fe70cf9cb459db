package simcluster

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Stream is a session that a node called complete.
type Stream struct {
	Node       int
	Began      time.Time
	Partitions []token.Token // of what it brought, file by file
	Applied    []Applied     // what it wrote: that rows are there, and each of their columns
}

// Streams are the sessions that were called complete, in that order.
func (c *Cluster) Streams() []Stream {
	c.streams.Lock()
	defer c.streams.Unlock()
	return slices.Clone(c.streams.all)
}

// TableID is the id of a table, whose name is that of keyspace and table with a dot between; zero
// when there is none.
func (c *Cluster) TableID(table string) internode.UUID {
	if t := c.schema.named(table); t != nil {
		return internode.UUID(t.id)
	}
	return internode.UUID{}
}

// serveStorage takes streams, and brings what it is asked for, until the node is stopped.
func (n *node) serveStorage() {
	port := internodetest.Node{Has: n.bring}
	n.cluster.options.Storage(n.index, &port)
	port.Take, port.Gossip = n.take, n.gossips()
	ctx, cancel := context.WithCancel(context.Background())
	n.endStorage = cancel
	l := n.storage
	n.cluster.handlers.Go(func() { port.Listen(ctx, l) })
}

// take adds the rows of a session's files to the tables: all of them, or none. As with writes by
// CQL, the rows are the whole cluster's. A test checks Streams for what each replica got.
func (n *node) take(s *internodetest.Session) error {
	stream := Stream{Node: n.index, Began: s.Began}
	var all []*mutation
	for i := range s.Files {
		r := rowReader{cluster: n.cluster, node: n.index}
		if err := r.file(&s.Files[i]); err != nil {
			return err
		}
		stream.Partitions = append(stream.Partitions, r.partitions...)
		all = append(all, r.mutations...)
	}
	n.cluster.holding.RLock()
	defer n.cluster.holding.RUnlock()
	for _, m := range all {
		m.table.apply(m)
		n.keep(m)
		stream.Applied = append(stream.Applied, m.exported(0, n.index, true))
	}
	n.cluster.streams.Lock()
	defer n.cluster.streams.Unlock()
	n.cluster.streams.all = append(n.cluster.streams.all, stream)
	return nil
}
