package token

import (
	"errors"
	"fmt"
	"slices"
)

// NewPlacement makes a placement of ranges that are known as such, rather than
// through the tokens of nodes: the tablets of ScyllaDB. Range i reaches from the
// end before it, or from Min, to ends[i], and is held by replicas[i], indexes of
// nodes in a list of the caller's, in the order of preference. Both are copied.
//
// As the placement has no nodes it knows no datacenters: [Placement.LocalTo]
// gives it unchanged, and whoever wants only local replicas leaves the others out
// of the lists.
//
// Errors: no partitioner; no ranges; a number of lists other than that of ends;
// ends that do not ascend from above Min to Max; a negative index; a node twice
// in one list.
func NewPlacement(p Partitioner, ends []Token, replicas [][]int) (*Placement, error) {
	switch {
	case p == nil:
		return nil, errors.New("placement without a partitioner")
	case len(ends) == 0:
		return nil, errors.New("placement without ranges")
	case len(ends) != len(replicas):
		return nil, fmt.Errorf("placement of %d ranges with %d lists of replicas", len(ends), len(replicas))
	}
	bounds := make([]Token, 0, len(ends)+1)
	bounds = append(bounds, p.Min())
	for _, end := range ends {
		if last := bounds[len(bounds)-1]; !last.Less(end) {
			return nil, fmt.Errorf("placement: a range ends at token %s, which is not after %s", p.Append(nil, end), p.Append(nil, last))
		}
		bounds = append(bounds, end)
	}
	if last := bounds[len(bounds)-1]; last != p.Max() {
		return nil, fmt.Errorf("placement: the last range ends at token %s instead of %s", p.Append(nil, last), p.Append(nil, p.Max()))
	}
	b := newPlacementBuilder(&Ring{partitioner: p, bounds: bounds})
	set := make([]int32, len(replicas))
	for i, list := range replicas {
		for at, n := range list {
			if n < 0 || slices.Contains(list[:at], n) {
				return nil, fmt.Errorf("placement: replicas %v of the range that ends at token %s: each must be a node of its own", list, p.Append(nil, ends[i]))
			}
		}
		set[i] = b.intern(list)
	}
	return &Placement{b.ring, b.sets, set}, nil
}
