package write

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Replicas is a set of nodes that hold the same rows.
type Replicas struct {
	Hosts []string // node ids, the best to send to first; empty: any node
	Index int      // order among the sets of a router, from 0 on
}

// Primary returns the node to send to first, empty for any.
func (s *Replicas) Primary() string {
	if len(s.Hosts) == 0 {
		return ""
	}
	return s.Hosts[0]
}

// Router finds the replicas of a partition key. It is safe for concurrent use.
type Router struct {
	partitioner token.Partitioner
	find        func(token.Token) int
	sets        []*Replicas // by vnode range
}

// nowhere serves tables whose replicas are not known.
var nowhere = &Replicas{}

// NewRouter returns a router for a placement. hosts returns the node ids of a vnode range. With a
// nil placement every row goes to any node.
func NewRouter(
	p token.Partitioner,
	placement *token.Placement,
	hosts func(vnode int) []string,
) *Router {
	r := &Router{partitioner: p}
	if placement == nil {
		return r
	}
	r.find = placement.Find
	known := make(map[string]*Replicas)
	for i := range placement.Len() {
		list := hosts(i)
		key := ""
		for _, h := range list {
			key += h + " "
		}
		if known[key] == nil {
			known[key] = &Replicas{Hosts: list, Index: len(known)}
		}
		r.sets = append(r.sets, known[key])
	}
	return r
}

// Route returns the token and the replicas of a serialized partition key.
func (r *Router) Route(key []byte) (token.Token, *Replicas) {
	if r.find == nil {
		return token.Murmur3.Hash(key), nowhere // the token keeps partitions apart
	}
	t := r.partitioner.Hash(key)
	return t, r.sets[r.find(t)]
}

// Count returns the number of sets of replicas. Each set's index is below it.
func (r *Router) Count() int {
	most := 0
	for _, s := range r.sets {
		most = max(most, s.Index)
	}
	return most + 1
}

// Primaries lists the nodes that are the first choice of some set, in the order of the sets. The
// empty name stands for any node.
func (r *Router) Primaries() []string {
	sets := r.sets
	if len(sets) == 0 {
		sets = []*Replicas{nowhere}
	}
	var names []string
	for _, s := range sets {
		if !slices.Contains(names, s.Primary()) {
			names = append(names, s.Primary())
		}
	}
	return names
}
