package simcluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// ErrGone is that a node has left for good, or was killed, so that it cannot start again.
var ErrGone = errors.New("it is gone")

var (
	errClosed   = errors.New("simcluster: the cluster is closed")
	errChanging = errors.New("simcluster: a change of the ring is under way")
)

// Stop ends a node: it takes no more connections, and those it has are closed. A
// request that it was carrying out may still take effect, without an answer.
func (c *Cluster) Stop(node int) { c.halt(node, true) }

// halt ends a node. reported: the others report it to their clients.
func (c *Cluster) halt(node int, reported bool) {
	c.life.Lock()
	defer c.life.Unlock()
	n := c.layout.Load().nodes[node]
	if n.stop() && !c.closed && reported {
		c.emit(statusEvent(n, primitive.StatusChangeTypeDown))
	}
}

// Restart starts a stopped node again, at its old address and with no statement
// prepared. It has no effect on one that is up. The error is that its port is taken,
// ErrGone, or that the cluster is closed.
func (c *Cluster) Restart(node int) error {
	c.life.Lock()
	defer c.life.Unlock()
	l := c.layout.Load()
	n := l.nodes[node]
	switch {
	case c.closed:
		return errClosed
	case !l.member[node] && !n.joining.Load():
		return fmt.Errorf("simcluster: node %d has left: %w", node, ErrGone)
	case n.gone.Load():
		return fmt.Errorf("simcluster: node %d was killed: %w", node, ErrGone)
	case n.up():
		return nil
	}
	if err := n.restart(); err != nil {
		return err
	}
	c.emit(statusEvent(n, primitive.StatusChangeTypeUp))
	return nil
}

// Disagree has a node say that it has another schema than the others, or the same again.
func (c *Cluster) Disagree(
	node int,
	differs bool,
) {
	c.layout.Load().nodes[node].astray.Store(differs)
}

// SetClock sets a node's clock so far ahead of this host's; below zero: behind.
func (c *Cluster) SetClock(node int, ahead time.Duration) {
	c.layout.Load().nodes[node].ahead.Store(int64(ahead))
}

// Join adds a node, which takes its share of tokens or tablets, and gives its index.
// An empty dc or rack is that of the first node. The error is that the port is not
// free at the next address, or that the cluster is closed.
func (c *Cluster) Join(dc, rack string) (int, error) {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return 0, errClosed
	}
	if c.layout.Load().change != nil {
		return 0, errChanging
	}
	next := c.layout.Load().clone()
	first, index := next.nodes[0], len(next.nodes)
	if dc == "" {
		dc = first.dc
	}
	if rack == "" {
		rack = first.rack
	}
	n := c.newNode(binary.BigEndian.Uint32(first.address)+uint32(index), index, dc, rack)
	if err := n.listen(); err != nil {
		n.unlisten()
		return 0, err
	}
	next.add(n, c.drawTokens())
	if err := c.place(next); err != nil {
		n.unlisten()
		return 0, err
	}
	n.serve()
	c.emit(topologyEvent(n, primitive.TopologyChangeTypeNewNode))
	c.emit(statusEvent(n, primitive.StatusChangeTypeUp))
	return index, nil
}

// Leave takes a node out of the cluster for good. The error is that too few would
// be left for the replicas.
func (c *Cluster) Leave(node int) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return errClosed
	}
	if c.layout.Load().change != nil {
		return errChanging
	}
	next := c.layout.Load().clone()
	next.member[node] = false
	if next.count(next.nodes[node].dc) < next.factor {
		return fmt.Errorf(
			"simcluster: without node %d too few are left for %d replicas",
			node,
			next.factor,
		)
	}
	if err := c.place(next); err != nil {
		return err
	}
	next.nodes[node].stop()
	c.emit(topologyEvent(next.nodes[node], primitive.TopologyChangeTypeRemovedNode))
	return nil
}

// Move gives a node new tokens. If the cluster has tablets, all tablets are distributed again.
func (c *Cluster) Move(node int) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return errClosed
	}
	if c.layout.Load().change != nil {
		return errChanging
	}
	next := c.layout.Load().clone()
	next.tokens[node] = c.drawTokens()
	if err := c.place(next); err != nil {
		return err
	}
	c.emit(topologyEvent(next.nodes[node], primitive.TopologyChangeTypeMovedNode))
	return nil
}
