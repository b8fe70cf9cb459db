package token

// Range is the tokens after Start up to and including End. Start lies before End
// always: a range that crosses the end of the ring is kept as two.
type Range struct{ Start, End Token }

// Contains reports whether t lies in (Start, End].
func (r Range) Contains(t Token) bool {
	return r.Start.Less(t) && !r.End.Less(t)
}

// Intersect gives what two ranges have in common; without ok they have nothing.
func Intersect(a, b Range) (both Range, ok bool) {
	both = a
	if both.Start.Less(b.Start) {
		both.Start = b.Start
	}
	if b.End.Less(both.End) {
		both.End = b.End
	}
	return both, both.Start.Less(both.End)
}

// Intersections is what a range has in common with others, none of which overlap, in their order.
func Intersections(r Range, others []Range) []Range {
	var all []Range
	for _, o := range others {
		if both, ok := Intersect(o, r); ok {
			all = append(all, both)
		}
	}
	return all
}

// width is the number of tokens in r.
func (r Range) width() Token { return r.End.sub(r.Start) }

// Whole is the range of the whole ring.
func Whole(p Partitioner) Range {
	return Range{p.Min(), p.Max()}
}

// Halve cuts r in two at its middle; of an odd number of tokens the second half
// has the one more. When r is one token wide, or not a range at all, there is
// nothing to cut: it returns r, the zero Range and false.
func Halve(r Range) (Range, Range, bool) {
	half := r.width().shr(1)
	if !r.Start.Less(r.End) || half == (Token{}) {
		return r, Range{}, false
	}
	middle := r.Start.add(half)
	return Range{r.Start, middle}, Range{middle, r.End}, true
}

// Fraction returns the share of the whole ring that r is: 1 for [Whole], and
// more than 0 for every range. Being a float64, it is for progress and display:
// the fractions of ranges that cover the ring add up to 1 only nearly.
func Fraction(r Range, p Partitioner) float64 {
	return r.width().float() / Whole(p).width().float()
}
