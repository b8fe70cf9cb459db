package token

import (
	"slices"
	"sort"
)

// Merge gives the fewest ranges that hold the tokens of these, in order: ranges
// that overlap or touch become one. What is no range (Start not before End) holds
// no token and is left out. The ranges are not changed, and may come in any order.
//
// The result may cross the borders of vnodes, so it is for keeping and showing
// what is done, and not for work: see [Subtract].
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

// Subtract gives what of the ranges is not done: the pieces of each in order, in
// the order in which the ranges were given. Those that nothing is done of come
// back as they are. Pieces of two ranges are never joined, so that no piece
// crosses a border that the ranges keep to, such as one between vnodes; ranges
// that overlap give pieces that do.
//
// The ranges done may come in any order, overlap, touch and reach beyond. What is
// no range (Start not before End) holds no token on either side. Neither slice is
// changed. The time is that of sorting what is done and looking up each range.
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
