package token

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Node is one member of the cluster, as system.local and system.peers show it.
type Node struct {
	ID, DC, Rack string
	// Tokens are the node's positions on the ring, in any order. A node without
	// any is a member that holds no data.
	Tokens []Token
}

// Ring is the tokens of a cluster in order, each with the node that owns it. It
// never changes and is safe for concurrent use.
type Ring struct {
	partitioner Partitioner
	nodes       []Node
	tokens      []Token // ascending, distinct
	owners      []int   // by token: index of the node
	bounds      []Token // range i is (bounds[i], bounds[i+1]], from Min to Max
}

// NewRing makes the ring of these nodes. The nodes are copied; their order is
// that of [Ring.Nodes] and gives the indexes in [Placement.Replicas]. A token
// listed twice by one node counts once.
//
// Errors: no partitioner; no node, or none with a token; two nodes of one ID; a
// token outside the partitioner's ring; a token of two nodes, naming both.
func NewRing(p Partitioner, nodes []Node) (*Ring, error) {
	if p == nil {
		return nil, errors.New("ring without a partitioner")
	}
	if len(nodes) == 0 {
		return nil, errors.New("ring without nodes")
	}
	r := &Ring{partitioner: p, nodes: slices.Clone(nodes)}
	seen := make(map[string]struct{}, len(nodes))
	for i := range r.nodes {
		n := &r.nodes[i]
		if _, twice := seen[n.ID]; twice {
			return nil, fmt.Errorf("ring: node %q is listed twice", n.ID)
		}
		seen[n.ID] = struct{}{}
		n.Tokens = slices.Clone(n.Tokens)
	}
	if err := r.sortTokens(); err != nil {
		return nil, err
	}
	r.setBounds()
	return r, nil
}

// sortTokens fills tokens and owners from the nodes.
func (r *Ring) sortTokens() error {
	type owned struct {
		token Token
		node  int
	}
	count := 0
	for _, n := range r.nodes {
		count += len(n.Tokens)
	}
	if count == 0 {
		return fmt.Errorf("ring of %d nodes without a token", len(r.nodes))
	}
	all := make([]owned, 0, count)
	for i, n := range r.nodes {
		for _, t := range n.Tokens {
			if r.partitioner.Max().Less(t) {
				return fmt.Errorf("ring: a token of node %q is above the maximum of %s", n.ID, r.partitioner.Name())
			}
			all = append(all, owned{t, i})
		}
	}
	slices.SortFunc(all, func(a, b owned) int {
		if c := a.token.Compare(b.token); c != 0 {
			return c
		}
		return cmp.Compare(a.node, b.node)
	})
	r.tokens, r.owners = make([]Token, 0, count), make([]int, 0, count)
	for i, o := range all {
		if i > 0 && o.token == all[i-1].token {
			if prev := all[i-1].node; prev != o.node {
				return fmt.Errorf("ring: token %s belongs to two nodes, %q and %q",
					r.partitioner.Append(nil, o.token), r.nodes[prev].ID, r.nodes[o.node].ID)
			}
			continue
		}
		r.tokens = append(r.tokens, o.token)
		r.owners = append(r.owners, o.node)
	}
	return nil
}

// setBounds sets the borders of the ranges: the tokens, and the two ends of the
// ring where these are no tokens themselves.
func (r *Ring) setBounds() {
	first, last := r.partitioner.Min(), r.partitioner.Max()
	r.bounds = make([]Token, 0, len(r.tokens)+2)
	if r.tokens[0] != first {
		r.bounds = append(r.bounds, first)
	}
	r.bounds = append(r.bounds, r.tokens...)
	if r.tokens[len(r.tokens)-1] != last {
		r.bounds = append(r.bounds, last)
	}
}

// ranges is the number of unwrapped vnode ranges, at least one.
func (r *Ring) ranges() int { return len(r.bounds) - 1 }

// tokenOf is the index of the token that owns range i: the one the range ends
// at, or, past the last token, the first one of the ring.
func (r *Ring) tokenOf(i int) int {
	if r.tokens[0] == r.bounds[0] {
		i++
	}
	if i == len(r.tokens) {
		return 0
	}
	return i
}

// Nodes returns the nodes in the order given to [NewRing]. The slice is shared
// and must not be changed.
func (r *Ring) Nodes() []Node { return r.nodes }

// Partitioner returns the partitioner whose tokens these are.
func (r *Ring) Partitioner() Partitioner { return r.partitioner }
