package simcluster

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// own returns the node's own rows of a table.
func (n *node) own(t *table) *table {
	if own, ok := n.copies.Load(t.id); ok {
		return own.(*table)
	}
	own, _ := n.copies.LoadOrStore(t.id, &table{
		relation: t.relation,
		cols:     t.cols,
		clusters: t.clusters,
		statics:  t.statics,
		regulars: t.regulars,
		counter:  t.counter,
		view:     t.view,
		id:       t.id,
	})
	return own.(*table)
}

// keep carries out a mutation on the node's own rows.
func (n *node) keep(m *mutation) {
	if n.cluster.options.Replicated {
		n.own(m.table).apply(m)
	}
}

// write carries out a mutation that the node coordinates. All replicas that it knows of get it,
// pending ones as well.
func (n *node) write(m *mutation) {
	m.table.apply(m)
	if !n.cluster.options.Replicated {
		return
	}
	n.cluster.holding.RLock()
	defer n.cluster.holding.RUnlock()
	l := n.view()
	for _, to := range l.writers(m.at) {
		l.nodes[to].keep(m)
	}
}

// distribute gives the rows that a table begins with to their replicas.
func (c *Cluster) distribute(t *table) {
	if !c.options.Replicated {
		return
	}
	l := c.layout.Load()
	for _, p := range t.partitions {
		for _, n := range l.owners(p.at) {
			l.nodes[n].own(t).merge(p)
		}
	}
}

// view returns the ring as far as the node has heard of it.
func (n *node) view() *layout {
	if l := n.seen.Load(); l != nil {
		return l
	}
	return n.cluster.layout.Load()
}

// owners returns the natural replicas of a token.
func (l *layout) owners(at token.Token) []int { return l.nodesOf(l.placement.Find(at)) }

// writers returns the natural and the pending replicas of a token.
func (l *layout) writers(at token.Token) []int {
	owners := l.owners(at)
	if l.change != nil {
		for _, n := range l.change.after.owners(at) {
			if !slices.Contains(owners, n) {
				owners = append(owners, n)
			}
		}
	}
	return owners
}

// everOwned reports whether the node is a replica of a token, is about to become one, or was one
// before an earlier change. A client may only know that ring.
func (l *layout) everOwned(n int, at token.Token) bool {
	for ; l != nil; l = l.before {
		if slices.Contains(l.writers(at), n) {
			return true
		}
	}
	return false
}
