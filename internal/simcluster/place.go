package simcluster

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Replica is where a copy of a row is: the index of the node, and its shard (0 on
// Cassandra's nodes).
type Replica struct{ Node, Shard int }

// tablet is the rows up to a token, after that of the tablet before.
type tablet struct {
	end      token.Token
	replicas []Replica
}

// Replicas lists the copies of the row with that token, in all data centers.
func (c *Cluster) Replicas(t token.Token) []Replica {
	i := c.placement.Find(t)
	if len(c.tablets) > 0 {
		return slices.Clone(c.tablets[i].replicas)
	}
	var replicas []Replica
	for _, n := range c.placement.Replicas(i) {
		replicas = append(replicas, Replica{n, c.Shard(t)})
	}
	return replicas
}

// Shard is the shard that ScyllaDB gives a token to on each node, when the table
// has no tablets. It is worked out as the definition says, with whole numbers of
// any size: the bits after the ignored ones are a fraction of the shards.
func (c *Cluster) Shard(t token.Token) int {
	z := new(big.Int).SetUint64(t.Lo)
	z.Lsh(z, uint(c.options.IgnoreMSB))
	z.And(z, new(big.Int).SetUint64(1<<64-1))
	z.Mul(z, big.NewInt(int64(c.options.Shards)))
	return int(z.Rsh(z, 64).Int64())
}

// replication is the keyspace's replication map.
func (c *Cluster) replication() map[string]string {
	options := map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy"}
	for _, dc := range c.options.DCs {
		options[dc] = strconv.Itoa(c.options.Factor)
	}
	return options
}

// place makes the tablets, or else places the table by the ring.
func (c *Cluster) place(random *rand.Rand) error {
	if c.options.Tablets > 0 {
		return c.placeTablets(random)
	}
	var nodes []token.Node
	for _, n := range c.nodes {
		nodes = append(nodes, token.Node{ID: n.id.String(), DC: n.dc, Rack: n.rack, Tokens: n.tokens})
	}
	ring, err := token.NewRing(token.Murmur3, nodes)
	if err != nil {
		return err
	}
	strategy, err := token.ParseStrategy(c.replication())
	if err != nil {
		return err
	}
	c.placement = ring.Place(strategy)
	return nil
}

// placeTablets makes tablets of equal width on nodes drawn by lot; those of a node
// are dealt out to its shards in turn.
func (c *Cluster) placeTablets(random *rand.Rand) error {
	width := ^uint64(0) / uint64(c.options.Tablets)
	var ends []token.Token
	var replicas [][]int
	held := make([]int, len(c.nodes))
	for i := range c.options.Tablets {
		t := tablet{end: token.Token{Lo: width * uint64(i+1)}}
		if i == c.options.Tablets-1 {
			t.end = token.Murmur3.Max()
		}
		var nodes []int
		left := make(map[string]int)
		for _, n := range random.Perm(len(c.nodes)) {
			if dc := c.nodes[n].dc; left[dc] < c.options.Factor {
				left[dc]++
				t.replicas = append(t.replicas, Replica{n, held[n] % c.options.Shards})
				held[n]++
				nodes = append(nodes, n)
			}
		}
		c.tablets = append(c.tablets, t)
		ends, replicas = append(ends, t.end), append(replicas, nodes)
	}
	var err error
	c.placement, err = token.NewPlacement(token.Murmur3, ends, replicas)
	return err
}
