package token

import "math"

// Several is the [Split.Set] of a split that reaches over several ranges of the placement, which no
// single list of replicas holds.
const Several = -1

// PlanCoarse cuts the ring into about want splits, also where there are more ranges than that: a
// split then reaches over neighbouring ranges, whole ones, and its Set is [Several]. A range that is
// wider than a split is cut as by [Placement.Plan]. No split is wider than twice the ring's part for
// each of want, and there are no more than twice want splits.
//
// The order is that of Plan: the same placement, want and seed give the same splits.
func (p *Placement) PlanCoarse(want int, seed uint64) []Split {
	want = max(want, 1)
	widths, total := p.scaledWidths()
	share := float64(total) / float64(want)
	var splits []Split
	joined, first := 0.0, 0 // the ranges from first on that are to be one split
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

// SetOf returns the range of the placement that r lies in, [Several] if it reaches over more than
// one. r is a range.
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

// CutFirst cuts r in two, with about the given number of tokens in the first part, at least one. The
// first part either lies in one range of the placement or ends with one; if alone, the first always.
// The parts that it makes of a range one after the other are about equal. Without rest, r is
// not cut.
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
