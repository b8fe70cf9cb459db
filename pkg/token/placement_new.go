package token

import (
	"errors"
	"fmt"
	"slices"
)

// NewPlacement returns a placement of explicit ranges, such as the tablets of ScyllaDB. Range i
// ends at ends[i] and starts at the end before it, or at Min. The nodes in replicas[i] hold it, in
// order of preference; they are indexes into a list of the caller's. NewPlacement copies both
// slices.
//
// A placement from NewPlacement knows no datacenters: [Placement.LocalTo] returns it unchanged. A
// caller that wants only local replicas leaves the others out of the lists.
//
// NewPlacement returns an error without a partitioner or without ranges, or if the lengths of ends
// and replicas differ. It also returns an error if ends do not ascend from above Min to Max, or if
// a list has a negative or repeated index.
func NewPlacement(p Partitioner, ends []Token, replicas [][]int) (*Placement, error) {
	switch {
	case p == nil:
		return nil, errors.New("placement without a partitioner")
	case len(ends) == 0:
		return nil, errors.New("placement without ranges")
	case len(ends) != len(replicas):
		return nil, fmt.Errorf(
			"placement of %d ranges with %d lists of replicas", len(ends), len(replicas),
		)
	}
	bounds := make([]Token, 0, len(ends)+1)
	bounds = append(bounds, p.Min())
	for _, end := range ends {
		if last := bounds[len(bounds)-1]; !last.Less(end) {
			return nil, fmt.Errorf(
				"placement: a range ends at token %s, which is not after %s",
				p.Append(nil, end),
				p.Append(nil, last),
			)
		}
		bounds = append(bounds, end)
	}
	if last := bounds[len(bounds)-1]; last != p.Max() {
		return nil, fmt.Errorf(
			"placement: the last range ends at token %s instead of %s",
			p.Append(nil, last),
			p.Append(nil, p.Max()),
		)
	}
	b := newPlacementBuilder(&Ring{partitioner: p, bounds: bounds})
	set := make([]int32, len(replicas))
	for i, list := range replicas {
		for at, n := range list {
			if n < 0 || slices.Contains(list[:at], n) {
				return nil, fmt.Errorf(
					"placement: replicas %v of the range that ends at token %s: each must be a node of its own",
					list,
					p.Append(nil, ends[i]),
				)
			}
		}
		set[i] = b.intern(list)
	}
	return &Placement{b.ring, b.sets, set}, nil
}
