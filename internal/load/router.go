package load

import "github.com/cqlbulk/cqlbulk/pkg/token"

// Set is a set of replicas: rows that share it may share a batch.
type Set struct {
	Hosts []string // node ids, the best to send to first; empty: any node
	index int      // order among the sets
}

// Router tells where a partition key belongs. It is safe for concurrent use.
type Router struct {
	partitioner token.Partitioner
	find        func(token.Token) int
	sets        []*Set // by vnode range
}

// nowhere serves tables whose replicas cannot be told.
var nowhere = &Set{}

// NewRouter makes a router on a placement; hosts gives the node ids of a vnode
// range. With a nil placement every row goes to any node.
func NewRouter(p token.Partitioner, placement *token.Placement, hosts func(vnode int) []string) *Router {
	r := &Router{partitioner: p}
	if placement == nil {
		return r
	}
	r.find = placement.Find
	known := make(map[string]*Set)
	for i := range placement.Len() {
		list := hosts(i)
		key := ""
		for _, h := range list {
			key += h + " "
		}
		if known[key] == nil {
			known[key] = &Set{Hosts: list, index: len(known)}
		}
		r.sets = append(r.sets, known[key])
	}
	return r
}

// Route gives the token and the replicas of a serialized partition key.
func (r *Router) Route(key []byte) (token.Token, *Set) {
	if r.find == nil {
		return token.Murmur3.Hash(key), nowhere // tells partitions apart
	}
	t := r.partitioner.Hash(key)
	return t, r.sets[r.find(t)]
}
