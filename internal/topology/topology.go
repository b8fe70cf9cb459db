// Package topology is the picture of a cluster that plans are made from: its
// nodes, their tokens and cores, and where a keyspace's replicas stand.
//
// Start with [Cluster]. Nothing here changes it, so that it is safe for concurrent
// use.
package topology

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Node is one member of the cluster.
type Node struct {
	ID      string // host id
	Address string // address and port clients reach it by
	DC      string
	Rack    string
	Version string // release version
	Cores   int    // processors or ScyllaDB shards; 0 when unknown
	Up      bool
	// Excluded is a node that is not to be the coordinator of requests. Another node is, in its
	// place.
	Excluded bool
	Tokens   []token.Token
}

// Cluster is what was read of a cluster at one moment.
type Cluster struct {
	Name        string
	Partitioner string // Java class name as the cluster states it
	LocalDC     string // the data center that requests go to
	Nodes       []Node
}

// Local lists the nodes of the local data center.
func (c *Cluster) Local() []Node {
	var local []Node
	for _, n := range c.Nodes {
		if n.DC == c.LocalDC {
			local = append(local, n)
		}
	}
	return local
}

// DCs lists the names of the data centers, sorted.
func (c *Cluster) DCs() []string {
	var dcs []string
	for _, n := range c.Nodes {
		if !slices.Contains(dcs, n.DC) {
			dcs = append(dcs, n.DC)
		}
	}
	slices.Sort(dcs)
	return dcs
}

// CheckDC gives an error when the cluster has no data center of that name.
func (c *Cluster) CheckDC() error {
	if len(c.Local()) > 0 {
		return nil
	}
	if len(c.Nodes) == 0 {
		return errors.New("the cluster reports no node")
	}
	return fmt.Errorf(
		"no node is in data center %q; the cluster has %s",
		c.LocalDC,
		strings.Join(c.DCs(), ", "),
	)
}

// Ring makes the ring of all nodes. Errors are those of [token.ByClass] and
// [token.NewRing].
func (c *Cluster) Ring() (*token.Ring, error) {
	p, err := token.ByClass(c.Partitioner)
	if err != nil {
		return nil, err
	}
	nodes := make([]token.Node, len(c.Nodes))
	for i, n := range c.Nodes {
		nodes[i] = token.Node{ID: n.ID, DC: n.DC, Rack: n.Rack, Tokens: n.Tokens}
	}
	return token.NewRing(p, nodes)
}

// Place finds the local replicas of a keyspace, as PlaceAll does all of them. A range
// without a local replica has those of the other data centers.
func (c *Cluster) Place(replication map[string]string) (*token.Placement, error) {
	placement, err := c.PlaceAll(replication)
	if err != nil {
		return nil, err
	}
	return placement.LocalTo(c.LocalDC), nil
}

// PlaceAll finds the replicas of a keyspace in all data centers, with the given replication
// options (system_schema.keyspaces.replication). The indexes in the placement
// are those of Nodes. Errors are those of Ring and of [token.ParseStrategy].
func (c *Cluster) PlaceAll(replication map[string]string) (*token.Placement, error) {
	ring, err := c.Ring()
	if err != nil {
		return nil, err
	}
	strategy, err := token.ParseStrategy(replication)
	if err != nil {
		return nil, err
	}
	return ring.Place(strategy), nil
}

// PlaceAt returns the placement of a table that does not follow the ring. A range ends at ends[i]
// and begins where the one before ended. nodes[i] are the ids of the nodes that hold it. Only local
// nodes are kept, but for a range that has none of them.
func (c *Cluster) PlaceAt(ends []token.Token, nodes [][]string) (*token.Placement, error) {
	p, err := token.ByClass(c.Partitioner)
	if err != nil {
		return nil, err
	}
	index := make(map[string]int, len(c.Nodes))
	for i, n := range c.Nodes {
		index[n.ID] = i
	}
	replicas := make([][]int, len(nodes))
	for i, ids := range nodes {
		var all, local []int
		for _, id := range ids {
			n, ok := index[id]
			if !ok {
				continue
			}
			all = append(all, n)
			if c.Nodes[n].DC == c.LocalDC {
				local = append(local, n)
			}
		}
		if len(local) == 0 {
			local = all
		}
		replicas[i] = local
	}
	return token.NewPlacement(p, ends, replicas)
}
