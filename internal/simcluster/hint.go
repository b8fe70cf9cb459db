package simcluster

import (
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// hint is what ScyllaDB adds to the answer of a single write that came to a node
// or a shard without the row's tablet: that tablet and where it is.
func (c *conn) hint(m message.Message) map[string][]byte {
	cluster := c.node.cluster
	execute, ok := m.(*message.Execute)
	if !ok || len(cluster.tablets) == 0 {
		return nil
	}
	st, err := parse(string(execute.QueryId))
	if err != nil || st.verb != "INSERT" {
		return nil
	}
	key := execute.Options.PositionalValues[slices.Index(st.columns, "k")].Contents
	i := cluster.placement.Find(token.Murmur3.Hash(key))
	if slices.Contains(cluster.tablets[i].replicas, Replica{c.node.index, c.shard}) {
		return nil
	}
	within := cluster.placement.Range(i)
	return map[string][]byte{"tablets-routing-v1": tuple(
		token.Murmur3.AppendWire(nil, within.Start), token.Murmur3.AppendWire(nil, within.End),
		cluster.replicaList(cluster.tablets[i]),
	)}
}

// replicaList is a tablet's replicas as a CQL value.
func (c *Cluster) replicaList(t tablet) []byte {
	var replicas [][]byte
	for _, at := range t.replicas {
		replicas = append(replicas, tuple(c.nodes[at.Node].id[:], integer(at.Shard)))
	}
	return list(replicas...)
}
