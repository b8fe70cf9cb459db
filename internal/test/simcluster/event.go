package simcluster

import (
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// eventStream is the stream of what no request asked for.
const eventStream = -1

func statusEvent(n *node, change primitive.StatusChangeType) message.Event {
	return &message.StatusChangeEvent{ChangeType: change, Address: n.inet()}
}

func topologyEvent(n *node, change primitive.TopologyChangeType) message.Event {
	return &message.TopologyChangeEvent{ChangeType: change, Address: n.inet()}
}

func schemaEvent(t *table, change primitive.SchemaChangeType) message.Event {
	return &message.SchemaChangeEvent{
		ChangeType: change,
		Target:     primitive.SchemaChangeTargetTable,
		Keyspace:   t.keyspace,
		Object:     t.name,
	}
}

func (n *node) inet() *primitive.Inet {
	return &primitive.Inet{Addr: n.address, Port: int32(n.cluster.port)}
}

// register notes what a connection wants to hear of.
func (c *conn) register(types []primitive.EventType) {
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	c.events = append(c.events, types...)
}

// emit sends an event to every connection that registered for it. The caller holds the cluster's
// life, which is not closed.
func (c *Cluster) emit(event message.Event) { c.emitBy(c.layout.Load().nodes, event) }

// emitBy is emit for the connections to some of the nodes.
func (c *Cluster) emitBy(nodes []*node, event message.Event) {
	var listeners []*conn
	for _, n := range nodes {
		n.mu.Lock()
		for conn := range n.conns {
			if slices.Contains(conn.events, event.GetEventType()) {
				listeners = append(listeners, conn)
			}
		}
		n.mu.Unlock()
	}
	if len(listeners) == 0 {
		return
	}
	c.handlers.Go(func() {
		for _, conn := range listeners {
			conn.send(frame.NewFrame(primitive.ProtocolVersion4, eventStream, event))
		}
	})
}
