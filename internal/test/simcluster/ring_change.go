package simcluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ChangeKind is a way in which the ring changes.
type ChangeKind string

// The ways, by their names in nodetool or in Cassandra's documentation.
const (
	Joining   ChangeKind = "join"
	Replacing ChangeKind = "replace"
	Leaving   ChangeKind = "decommission"
	Moving    ChangeKind = "move"
	Removing  ChangeKind = "removenode"
	// Altering is of the keyspaces' replication: the new replicas are natural ones at once, and a
	// repair brings them what the old ones have.
	Altering ChangeKind = "alter keyspace"
)

// Change is a change of the ring that takes time, as a real one does. While it is under way the
// natural replicas are those of before. CQL writes go to the pending replicas as well: those that
// become natural when it is finished (TokenMetadata.calculatePendingRanges). These get what the
// owners have when [Change.Transfer] is called, and nothing that reaches only the owners later.
//
// A change is announced to its own node first. Other nodes learn of it in [Change.Announce], as
// gossip does not reach all at once. A real node that changes waits 30 seconds for it, so Announce
// comes before Transfer. One change is under way at a time.
type Change struct {
	Kind  ChangeKind
	Node  int // that joins, replaces another, leaves, moves, is removed, or altered the keyspace
	Other int // that is replaced, or that coordinates a removal; -1: none

	cluster *Cluster
	before  *layout
	during  *layout
	after   *layout // the ring when the change is finished
	over    bool
	events  []message.Event // events for clients when it is finished
}

// BeginJoin adds a node that is joining. It has a storage port, no CQL port, and stands in no
// system.peers. An empty dc or rack is that of the first node.
func (c *Cluster) BeginJoin(dc, rack string) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		first := now.nodes[0]
		if dc == "" {
			dc = first.dc
		}
		if rack == "" {
			rack = first.rack
		}
		ch.Kind, ch.Node = Joining, len(now.nodes)
		return ch.addNode(dc, rack, c.drawTokens())
	})
}

// BeginReplace adds a node that takes the place and the tokens of one that is down for good.
func (c *Cluster) BeginReplace(dead int) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		if err := now.isDead(dead); err != nil {
			return err
		}
		old := now.nodes[dead]
		ch.Kind, ch.Node, ch.Other = Replacing, len(now.nodes), dead
		ch.after.member[dead] = false
		return ch.addNode(old.dc, old.rack, now.tokens[dead])
	})
}

// BeginLeave has a node hand its ranges over to others.
func (c *Cluster) BeginLeave(node int) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		ch.Kind, ch.Node = Leaving, node
		return ch.without(node)
	})
}

// BeginRemove has others take over the ranges of a node that is down for good.
func (c *Cluster) BeginRemove(dead int) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		if err := now.isDead(dead); err != nil {
			return err
		}
		ch.Kind, ch.Node = Removing, dead
		for i := range now.nodes {
			if now.member[i] && now.nodes[i].up() {
				ch.Other = i
			}
		}
		return ch.without(dead)
	})
}

// BeginMove gives a node another token. A node with several tokens cannot move.
func (c *Cluster) BeginMove(node int) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		if len(now.tokens[node]) != 1 || !now.member[node] {
			return errors.New("simcluster: only a member with one token moves")
		}
		ch.Kind, ch.Node = Moving, node
		ch.after.tokens[node] = c.drawTokens()
		return nil
	})
}

// BeginAlter gives the keyspaces another number of replicas in each data center.
func (c *Cluster) BeginAlter(node, factor int) (*Change, error) {
	return c.beginChange(func(now *layout, ch *Change) error {
		for i, n := range now.nodes {
			if now.member[i] && now.count(n.dc) < factor {
				return fmt.Errorf("simcluster: too few nodes for %d replicas", factor)
			}
		}
		if factor == now.factor || factor < 1 {
			return errors.New("simcluster: not another number of replicas")
		}
		ch.Kind, ch.Node = Altering, node
		ch.during.factor, ch.after.factor = factor, factor
		return nil
	})
}

func (l *layout) isDead(node int) error {
	if !l.member[node] || l.nodes[node].up() {
		return fmt.Errorf("simcluster: node %d is no member that is down", node)
	}
	return nil
}

// beginChange announces the change that draw describes.
func (c *Cluster) beginChange(draw func(now *layout, ch *Change) error) (*Change, error) {
	c.life.Lock()
	defer c.life.Unlock()
	now := c.layout.Load()
	switch {
	case c.closed:
		return nil, errClosed
	case now.change != nil:
		return nil, errChanging
	case len(now.tablets) > 0:
		return nil, errors.New("simcluster: tablets have no ring")
	}
	ch := &Change{Other: -1, cluster: c, before: now, during: now.clone(), after: now.clone()}
	ch.during.change = ch
	if err := draw(now, ch); err != nil {
		return nil, err
	}
	for _, l := range []*layout{ch.during, ch.after} {
		if err := c.fill(l); err != nil {
			return nil, err
		}
	}
	if n := ch.during.nodes[ch.Node]; n.joining.Load() {
		if err := n.listen(); err != nil {
			n.unlisten()
			return nil, err
		}
		n.serve()
	}
	ch.show(ch.during)
	return ch, nil
}

// addNode adds the node of the change, which is a member when it is finished.
func (ch *Change) addNode(dc, rack string, tokens []token.Token) error {
	c := ch.cluster
	first := binary.BigEndian.Uint32(ch.during.nodes[0].address)
	n := c.newNode(first+uint32(ch.Node), ch.Node, dc, rack)
	n.joining.Store(true)
	ch.during.add(n, tokens)
	ch.during.member[ch.Node] = false
	ch.after.add(n, tokens)
	return nil
}

// without takes the node of the change out of the ring that comes of it.
func (ch *Change) without(node int) error {
	dc := ch.after.nodes[node].dc
	if ch.after.member[node] = false; ch.after.count(dc) < ch.after.factor {
		return fmt.Errorf(
			"simcluster: without node %d too few are left for %d replicas",
			node,
			ch.after.factor,
		)
	}
	return nil
}

// show makes a layout the cluster's. The node that the change is about knows it, and others know it
// after Announce. The coordinator of a removal knows it.
func (ch *Change) show(next *layout) {
	c := ch.cluster
	c.holding.Lock()
	defer c.holding.Unlock()
	now := c.layout.Load()
	next.before, next.epoch = now, now.epoch+1
	for _, n := range next.nodes {
		if n.seen.Load() == nil {
			n.seen.Store(now)
		}
	}
	next.nodes[ch.Node].seen.Store(nil)
	if ch.Kind == Removing {
		next.nodes[ch.Other].seen.Store(nil)
	}
	c.layout.Store(next)
}

// Announce gives a node the present ring, and sends events to its clients if the change has ended.
func (ch *Change) Announce(node int) {
	c := ch.cluster
	c.life.Lock()
	defer c.life.Unlock()
	n := c.layout.Load().nodes[node]
	if n.seen.Swap(nil) != nil && !c.closed {
		ch.emitBy(n)
	}
}

// emitBy makes nodes send their clients the events of the change.
func (ch *Change) emitBy(nodes ...*node) {
	for _, event := range ch.events {
		ch.cluster.emitBy(nodes, event)
	}
}

// AnnounceAll gives all nodes the present ring.
func (ch *Change) AnnounceAll() {
	for i := range ch.cluster.layout.Load().nodes {
		ch.Announce(i)
	}
}

// Transfer copies to the pending replicas what one of the owners has, at this moment, of a range of
// tokens. If the owner that gives the token up is up, it is that one, else the first that is
// (RangeStreamer.calculateRangesToFetchWithPreferredEndpoints with consistent range movement,
// StorageService.restoreReplicaCount).
func (ch *Change) Transfer(within token.Range) {
	c := ch.cluster
	c.holding.Lock()
	defer c.holding.Unlock()
	if ch.over {
		return
	}
	for _, t := range c.schema.list() {
		for i, n := range ch.during.nodes {
			own := n.own(t)
			for _, p := range own.partitions {
				if !within.Contains(p.at) || ch.source(p.at) != i {
					continue
				}
				for _, to := range ch.gainers(p.at) {
					ch.during.nodes[to].own(t).merge(p)
				}
			}
		}
	}
}

// gainers are the nodes that become replicas of a token.
func (ch *Change) gainers(at token.Token) []int {
	owners := ch.before.owners(at)
	return slices.DeleteFunc(
		ch.after.owners(at),
		func(n int) bool { return slices.Contains(owners, n) },
	)
}

// source is the node that a token's rows are streamed from; -1 if no owner is up.
func (ch *Change) source(at token.Token) int {
	owners, after := ch.before.owners(at), ch.after.owners(at)
	from := -1
	for _, n := range owners {
		switch {
		case ch.during.nodes[n].gone.Load():
		case !slices.Contains(after, n):
			return n
		case from < 0:
			from = n
		}
	}
	return from
}

// Finish makes the pending replicas natural ones. The other nodes learn of it in [Change.Announce].
// It returns an error if the change has ended, or if the port of a node that joins is taken.
func (ch *Change) Finish() error {
	c := ch.cluster
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed || ch.over {
		return errClosed
	}
	after, n := ch.after, ch.after.nodes[ch.Node]
	switch ch.Kind {
	case Joining, Replacing:
		if err := n.open(); err != nil {
			return err
		}
	case Leaving:
		after.left[ch.Node] = status("LEFT", tokenText(after.tokens[ch.Node]), expiry())
	case Removing:
		after.left[ch.Node] = status("removed", n.id.String(), expiry())
	}
	ch.over = true
	ch.show(after)
	switch ch.Kind {
	case Joining, Replacing:
		if ch.Kind == Replacing {
			ch.events = append(
				ch.events,
				topologyEvent(after.nodes[ch.Other], primitive.TopologyChangeTypeRemovedNode),
			)
		}
		ch.events = append(
			ch.events,
			topologyEvent(n, primitive.TopologyChangeTypeNewNode),
			statusEvent(n, primitive.StatusChangeTypeUp),
		)
	case Leaving, Removing:
		n.stop()
		ch.events = []message.Event{topologyEvent(n, primitive.TopologyChangeTypeRemovedNode)}
	case Moving:
		ch.events = []message.Event{topologyEvent(n, primitive.TopologyChangeTypeMovedNode)}
	case Altering: // the schema was changed when it began
	}
	for _, one := range after.nodes {
		if one.seen.Load() == nil {
			ch.emitBy(one)
		}
	}
	return nil
}

// Abort ends a change that fails: the ring stays as it was. A node that was to join is gone; what
// others were sent, they keep.
func (ch *Change) Abort() error {
	c := ch.cluster
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed || ch.over {
		return errClosed
	}
	back := ch.during.clone()
	back.factor = ch.before.factor
	if err := c.fill(back); err != nil {
		return err
	}
	ch.over = true
	if n := back.nodes[ch.Node]; n.joining.Load() {
		n.joining.Store(false)
		n.stop()
	}
	ch.show(back)
	return nil
}

// open has a node that joined take clients.
func (n *node) open() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.joining.Store(false)
	if n.stopped {
		return nil // it will when it is back
	}
	if err := n.listenToClients(); err != nil {
		n.joining.Store(true)
		return err
	}
	n.serveClients()
	return nil
}

// Kill ends a node that does not come back, so that it is replaced or removed. Others do not
// stream from it.
func (c *Cluster) Kill(node int) {
	c.layout.Load().nodes[node].gone.Store(true)
	c.Stop(node)
}

// Cleanup has all nodes drop the rows that they are no replicas of any more, unless a change is
// under way.
func (c *Cluster) Cleanup() {
	c.holding.Lock()
	defer c.holding.Unlock()
	l := c.layout.Load()
	if l.change != nil {
		return
	}
	for _, t := range c.schema.list() {
		for i, n := range l.nodes {
			own := n.own(t)
			own.mu.Lock()
			own.partitions = slices.DeleteFunc(own.partitions, func(p *partition) bool {
				return !slices.Contains(l.owners(p.at), i)
			})
			own.mu.Unlock()
		}
	}
}

// Members are the nodes that have joined and not left, and are not dead.
func (c *Cluster) Members() []int {
	l := c.layout.Load()
	var members []int
	for i, n := range l.nodes {
		if l.member[i] && !n.gone.Load() {
			members = append(members, i)
		}
	}
	return members
}

// Rack returns the data center and the rack of a node.
func (c *Cluster) Rack(node int) (dc, rack string) {
	n := c.layout.Load().nodes[node]
	return n.dc, n.rack
}

// Factor is the number of replicas in each data center.
func (c *Cluster) Factor() int { return c.layout.Load().factor }

// MayGo reports whether enough nodes are left for the replicas without this one.
func (c *Cluster) MayGo(node int) bool {
	l := c.layout.Load()
	return l.count(l.nodes[node].dc) > l.factor
}

func expiry() string { return strconv.FormatInt(time.Now().Add(72*time.Hour).UnixMilli(), 10) }

func tokenText(tokens []token.Token) string { return string(token.Murmur3.Append(nil, tokens[0])) }
