package simcluster

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// hint is what ScyllaDB adds to the answer of a single write whose node or shard does not have the
// row's tablet: that tablet and where it is.
func (c *conn) hint(m *mutation) map[string][]byte {
	l := c.node.cluster.layout.Load()
	if len(l.tablets) == 0 {
		return nil
	}
	i := l.placement.Find(m.at)
	if slices.Contains(l.tablets[i].replicas, Replica{c.node.index, c.shard}) {
		return nil
	}
	within := l.placement.Range(i)
	return map[string][]byte{"tablets-routing-v1": tuple(
		token.Murmur3.AppendWire(nil, within.Start), token.Murmur3.AppendWire(nil, within.End),
		l.replicaList(l.tablets[i]),
	)}
}

// replicaList is a tablet's replicas as a CQL value.
func (l *layout) replicaList(t tablet) []byte {
	var replicas [][]byte
	for _, at := range t.replicas {
		replicas = append(replicas, tuple(l.nodes[at.Node].id[:], integer(at.Shard)))
	}
	return list(replicas...)
}
