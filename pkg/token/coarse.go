package token

import "math"

// Several is the [Split.Set] of a split that covers several ranges of the placement. No single list
// of replicas holds such a split.
const Several = -1

// PlanCoarse cuts the ring into about want splits, even if there are more ranges than want. A split
// may then cover several complete neighbouring ranges, and its Set is [Several]. A range wider than
// a split is cut as by [Placement.Plan]. No split is wider than twice the ring's width divided by
// want. There are at most twice want splits.
//
// As with Plan, the same placement, want and seed give the same splits in the same order.
func (p *Placement) PlanCoarse(want int, seed uint64) []Split {
	want = max(want, 1)
	widths, total := p.scaledWidths()
	share := float64(total) / float64(want)
	var splits []Split
	joined, first := 0.0, 0 // the width and first index of the ranges that form the next split
	end := func(next int) {
		if first < next {
			set := first
			if next-first > 1 {
				set = Several
			}
			splits = append(splits, Split{Range{p.Range(first).Start, p.Range(next - 1).End}, set})
		}
		joined, first = 0, next
	}
	for i, width := range widths {
		w := float64(width)
		if first < i && joined+w > 1.5*share {
			end(i)
		}
		if n := uint64(math.Round(w / share)); n > 1 {
			splits = appendParts(splits, p.Range(i), n, i)
			first = i + 1
			continue
		}
		if joined += w; joined >= share {
			end(i + 1)
		}
	}
	end(len(widths))
	shuffle(splits, seed)
	return splits
}

// SetOf returns the index of the range of the placement that contains r, or [Several] if r covers
// more than one.
func (p *Placement) SetOf(r Range) int {
	if i := p.FindFirst(r); !p.Range(i).End.Less(r.End) {
		return i
	}
	return Several
}

// FindFirst returns the index of the range that holds the first token of r.
func (p *Placement) FindFirst(r Range) int {
	i := p.Find(r.Start)
	if p.Range(i).End == r.Start && i+1 < p.Len() {
		i++
	}
	return i
}

// CutFirst cuts about the given number of tokens, at least one, from the start of r. The first part
// is inside one range of the placement or ends at the end of one. If alone is true, it is always
// inside one range. Repeated calls cut a range into parts of about equal width. If cut is false,
// first is r and there is no rest.
func (p *Placement) CutFirst(r Range, tokens float64, alone bool) (first, rest Range, cut bool) {
	i := p.FindFirst(r)
	border := p.Range(i).End
	whole := Width(r) <= tokens
	if whole && (!alone || !border.Less(r.End)) {
		return r, Range{}, false
	}
	if border.Less(r.End) && Width(Range{r.Start, border}) <= tokens {
		if !alone {
			if reach, _, ok := CutAt(r, tokens); ok {
				if last := p.Range(p.Find(reach.End)); last.End == reach.End {
					border = last.End
				} else if border.Less(last.Start) {
					border = last.Start
				}
			}
		}
		return Range{r.Start, border}, Range{border, r.End}, true
	}
	within := Range{r.Start, earlier(border, r.End)}
	parts := math.Ceil(Width(within) / max(tokens, 1))
	first, _, cut = CutAt(within, Width(within)/max(parts, 1))
	if !cut || parts <= 1 {
		first = within
	}
	if first.End == r.End {
		return r, Range{}, false
	}
	return first, Range{first.End, r.End}, true
}
