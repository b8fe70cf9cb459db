package token

import (
	"slices"
	"sort"
)

// Merge returns the fewest ranges with the same tokens, in order: it joins ranges that overlap or
// touch. It leaves out empty ranges (Start not before End). The ranges may be in any order; Merge
// does not modify them.
//
// The result may cross the borders of vnodes. It serves to store and display completed work. To
// plan work, use [Subtract].
func Merge(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return a.Start.Compare(b.Start) })
	merged := sorted[:0]
	for _, r := range sorted {
		if !r.Start.Less(r.End) {
			continue
		}
		if last := len(merged) - 1; last >= 0 && !merged[last].End.Less(r.Start) {
			merged[last].End = later(merged[last].End, r.End)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// Subtract returns the parts of the ranges that are not done. The results follow the order of
// ranges, and the parts of each range are in ring order. A range without done tokens is returned
// unchanged.
//
// Subtract never joins parts of two ranges, so no part crosses a border between the ranges, such as
// a vnode border. If the ranges overlap, so do the parts.
//
// The done ranges may be in any order, overlap, touch and extend beyond the others. Empty ranges
// (Start not before End) are ignored in both slices. Subtract modifies neither slice. It sorts done
// once and makes a binary search for each range.
func Subtract(ranges, done []Range) []Range {
	done = Merge(done)
	var left []Range
	for _, r := range ranges {
		first := sort.Search(len(done), func(i int) bool { return r.Start.Less(done[i].End) })
		for _, d := range done[first:] {
			if !d.Start.Less(r.End) {
				break
			}
			if r.Start.Less(d.Start) {
				left = append(left, Range{r.Start, d.Start})
			}
			r.Start = d.End
		}
		if r.Start.Less(r.End) {
			left = append(left, r)
		}
	}
	return left
}
