package token

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Node is a member of the cluster, as in system.local and system.peers.
type Node struct {
	ID, DC, Rack string
	// Tokens are the node's positions on the ring, in any order. Empty: the node holds no data.
	Tokens []Token
}

// Ring is the ordered tokens of a cluster, each with the node that owns it. It is immutable and
// safe for concurrent use.
type Ring struct {
	partitioner Partitioner
	nodes       []Node
	tokens      []Token // ascending, distinct
	owners      []int   // by token: index of the node
	bounds      []Token // range i is (bounds[i], bounds[i+1]], from Min to Max
}

// NewRing returns the ring of the nodes. It copies the nodes and keeps their order: [Ring.Nodes]
// returns that order, and the indexes in [Placement.Replicas] refer to it. A token that a node
// lists twice counts once.
//
// NewRing returns an error without a partitioner, without a node or without any token. It also
// returns an error if two nodes share an ID or a token, or if a token is outside the partitioner's
// ring.
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
				return fmt.Errorf(
					"ring: a token of node %q is above the maximum of %s",
					n.ID,
					r.partitioner.Name(),
				)
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

// setBounds sets the borders of the ranges: all tokens, Min and Max.
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

// ranges returns the number of vnode ranges that do not wrap, at least one.
func (r *Ring) ranges() int { return len(r.bounds) - 1 }

// tokenOf returns the index of the token that owns range i. A range is owned by the token at its
// end; the range after the last token is owned by the first token of the ring.
func (r *Ring) tokenOf(i int) int {
	if r.tokens[0] == r.bounds[0] {
		i++
	}
	if i == len(r.tokens) {
		return 0
	}
	return i
}

// Nodes returns the nodes in the order given to [NewRing]. The slice is shared and must not be
// modified.
func (r *Ring) Nodes() []Node { return r.nodes }

// Partitioner returns the partitioner of the ring's tokens.
func (r *Ring) Partitioner() Partitioner { return r.partitioner }
