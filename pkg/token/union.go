package token

import "slices"

// Union returns a placement with the replicas of all placements. For each token, the replicas of
// the first placement come first, then those that only the others have, in their order. All
// placements must be of one partitioner, with the same node indexes. The nodes and datacenters of
// the result are those of the first.
func Union(first *Placement, others ...*Placement) *Placement {
	if len(others) == 0 {
		return first
	}
	bounds := slices.Clone(first.ring.bounds)
	for _, p := range others {
		bounds = append(bounds, p.ring.bounds...)
	}
	slices.SortFunc(bounds, Token.Compare)
	bounds = slices.Compact(bounds)
	b := newPlacementBuilder(
		&Ring{partitioner: first.ring.partitioner, nodes: first.ring.nodes, bounds: bounds},
	)
	set := make([]int32, len(bounds)-1)
	var all []int
	for i := range set {
		all = append(all[:0], first.Replicas(first.Find(bounds[i+1]))...)
		for _, p := range others {
			for _, n := range p.Replicas(p.Find(bounds[i+1])) {
				if !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
		}
		set[i] = b.intern(all)
	}
	return &Placement{b.ring, b.sets, set}
}
