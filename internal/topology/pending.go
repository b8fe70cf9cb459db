package topology

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ChangeKind is what happens to a node.
type ChangeKind uint8

// The kinds.
const (
	Joining   ChangeKind = iota + 1 // it takes over ranges of others
	Replacing                       // it takes over the tokens of another node, which is down
	Leaving                         // others take over its ranges; it may be down
	Moving                          // it gives up its tokens for another one
)

// Change is a change of the ring that is under way.
type Change struct {
	Kind   ChangeKind
	Node   string        // its id
	Tokens []token.Token // that a node which joins or moves will have
	Old    string        // id of the node that is replaced
	Gone   bool          // the node that leaves is down for good
}

// String describes the change for the user, with the node's name put in front of it.
func (c Change) String() string {
	switch c.Kind {
	case Joining:
		return "is joining"
	case Replacing:
		return "is replacing another node"
	case Leaving:
		return "is leaving"
	default:
		return "is moving"
	}
}

// PlacePending returns the replicas of each range as they are. Behind them it returns those that
// the range may have when changes of the ring have ended. These are the nodes that a write by CQL
// goes to meanwhile. The nodes that join are among the cluster's, without tokens.
//
// As Cassandra (TokenMetadata.calculatePendingRanges), it assumes that nodes that leave do so
// together, and that each of the other changes follows them separately. The ring after all changes
// may still differ. A replica too many then has rows that it does not show, and one too few lacks
// them.
func (c *Cluster) PlacePending(
	replication map[string]string,
	changes []Change,
) (*token.Placement, error) {
	now, err := c.PlaceAll(replication)
	if err != nil || len(changes) == 0 {
		return now, err
	}
	left := c.after(Change{})
	for _, change := range changes {
		if change.Kind == Leaving {
			left = left.after(change)
		}
	}
	all := left
	rings := []*Cluster{left}
	for _, change := range changes {
		if change.Kind != Leaving {
			rings = append(rings, left.after(change))
			all = all.after(change)
		}
	}
	var others []*token.Placement
	for _, ring := range append(rings, all) {
		if !slices.ContainsFunc(ring.Nodes, func(n Node) bool { return len(n.Tokens) > 0 }) {
			continue // the last node leaves
		}
		p, err := ring.PlaceAll(replication)
		if err != nil {
			return nil, fmt.Errorf("the ring that is to be: %w", err)
		}
		others = append(others, p)
	}
	return token.Union(now, others...), nil
}

// after is the cluster in which a change has ended.
func (c *Cluster) after(change Change) *Cluster {
	out := *c
	out.Nodes = slices.Clone(c.Nodes)
	tokens := change.Tokens
	for i := range out.Nodes {
		if n := &out.Nodes[i]; change.Kind == Replacing && n.ID == change.Old {
			tokens, n.Tokens = n.Tokens, nil
		}
	}
	for i := range out.Nodes {
		switch n := &out.Nodes[i]; {
		case change.Kind == 0:
		case n.ID == change.Node && change.Kind == Leaving:
			n.Tokens = nil
		case n.ID == change.Node:
			n.Tokens = tokens
		case len(tokens) > 0: // a token has one owner
			n.Tokens = slices.DeleteFunc(
				slices.Clone(n.Tokens),
				func(t token.Token) bool { return slices.Contains(tokens, t) },
			)
		}
	}
	return &out
}
