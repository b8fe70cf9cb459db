package simcluster

import (
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Replica is where a copy of a row is: the index of the node, and its shard (0 on
// Cassandra's nodes).
type Replica struct{ Node, Shard int }

// layout is the nodes and what they hold. It never changes: what happens to a
// cluster makes a new one.
type layout struct {
	nodes     []*node
	member    []bool // by node: has not left
	tokens    [][]token.Token
	factor    int              // replicas in each data center
	placement *token.Placement // by the ring or by tablets
	holders   []int            // by index of the placement: the node
	tablets   []tablet
	left      map[int]string // status in gossip, by node, of nodes that are no members any more
	change    *Change        // that is under way; nil: none
	before    *layout        // that a change took the place of; nil: it was the first
	epoch     int            // number of layouts that changes have shown before
}

// tablet is the rows up to a token, after that of the tablet before.
type tablet struct {
	end      token.Token
	replicas []Replica
}

func (l *layout) clone() *layout {
	return &layout{
		nodes:  slices.Clone(l.nodes),
		member: slices.Clone(l.member),
		tokens: slices.Clone(l.tokens),
		left:   maps.Clone(l.left),
		factor: l.factor,
		epoch:  l.epoch,
	}
}

func (l *layout) add(n *node, tokens []token.Token) {
	l.nodes = append(l.nodes, n)
	l.member = append(l.member, true)
	l.tokens = append(l.tokens, tokens)
}

// count is the number of members in a data center.
func (l *layout) count(dc string) int {
	count := 0
	for i, n := range l.nodes {
		if l.member[i] && n.dc == dc {
			count++
		}
	}
	return count
}

// nodesOf lists the nodes that hold a range of the placement.
func (l *layout) nodesOf(i int) []int {
	var nodes []int
	for _, at := range l.placement.Replicas(i) {
		nodes = append(nodes, l.holders[at])
	}
	return nodes
}

// Replicas lists the copies of the row with that token, in all data centers.
func (c *Cluster) Replicas(t token.Token) []Replica {
	l := c.layout.Load()
	i := l.placement.Find(t)
	if len(l.tablets) > 0 {
		return slices.Clone(l.tablets[i].replicas)
	}
	var replicas []Replica
	for _, n := range l.nodesOf(i) {
		replicas = append(replicas, Replica{n, c.Shard(t)})
	}
	return replicas
}

// Shard is the shard that ScyllaDB gives a token to on each node, if the table has no tablets. It
// is computed as the definition says, with whole numbers of any size: the bits after the ignored
// ones are a fraction of the shards.
func (c *Cluster) Shard(t token.Token) int {
	z := new(big.Int).SetUint64(t.Lo)
	z.Lsh(z, uint(c.options.IgnoreMSB))
	z.And(z, new(big.Int).SetUint64(1<<64-1))
	z.Mul(z, big.NewInt(int64(c.options.Shards)))
	return int(z.Rsh(z, 64).Int64())
}

// replication is the keyspaces' replication map.
func (c *Cluster) replication(l *layout) map[string]string {
	options := map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy"}
	for _, dc := range c.options.DCs {
		options[dc] = strconv.Itoa(l.factor)
	}
	return options
}

// place makes the tablets of a layout, or else places the tables by the ring, and
// makes it the cluster's.
func (c *Cluster) place(l *layout) error {
	if err := c.fill(l); err != nil {
		return err
	}
	l.before = c.layout.Load()
	c.layout.Store(l)
	return nil
}

func (c *Cluster) fill(l *layout) error {
	if c.options.Tablets > 0 {
		return c.placeTablets(l)
	}
	var nodes []token.Node
	for i, n := range l.nodes {
		if l.member[i] {
			nodes = append(
				nodes,
				token.Node{ID: n.id.String(), DC: n.dc, Rack: n.rack, Tokens: l.tokens[i]},
			)
			l.holders = append(l.holders, i)
		}
	}
	ring, err := token.NewRing(token.Murmur3, nodes)
	if err != nil {
		return err
	}
	strategy, err := token.ParseStrategy(c.replication(l))
	if err != nil {
		return err
	}
	l.placement = ring.Place(strategy)
	return nil
}

// placeTablets makes tablets of equal width on nodes drawn by lot; those of a node
// are dealt out to its shards in turn.
func (c *Cluster) placeTablets(l *layout) error {
	width := ^uint64(0) / uint64(c.options.Tablets)
	var ends []token.Token
	var replicas [][]int
	held := make([]int, len(l.nodes))
	for i := range l.nodes {
		l.holders = append(l.holders, i)
	}
	for i := range c.options.Tablets {
		t := tablet{end: token.Token{Lo: width * uint64(i+1)}}
		if i == c.options.Tablets-1 {
			t.end = token.Murmur3.Max()
		}
		var nodes []int
		left := make(map[string]int)
		for _, n := range c.random.Perm(len(l.nodes)) {
			if dc := l.nodes[n].dc; l.member[n] && left[dc] < l.factor {
				left[dc]++
				t.replicas = append(t.replicas, Replica{n, held[n] % max(c.options.Shards, 1)})
				held[n]++
				nodes = append(nodes, n)
			}
		}
		l.tablets = append(l.tablets, t)
		ends, replicas = append(ends, t.end), append(replicas, nodes)
	}
	var err error
	l.placement, err = token.NewPlacement(token.Murmur3, ends, replicas)
	return err
}
