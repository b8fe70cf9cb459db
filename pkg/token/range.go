package token

import "math"

// Range is the tokens after Start up to and including End. Start is always before End: the package
// keeps a range that crosses the end of the ring as two.
type Range struct{ Start, End Token }

// Contains reports whether t lies in (Start, End].
func (r Range) Contains(t Token) bool {
	return r.Start.Less(t) && !r.End.Less(t)
}

// Intersect returns the tokens that are in both ranges; ok is false if there are none.
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

// Intersections returns the intersections of r with the others, in their order. The others must not
// overlap.
func Intersections(r Range, others []Range) []Range {
	var all []Range
	for _, o := range others {
		if both, ok := Intersect(o, r); ok {
			all = append(all, both)
		}
	}
	return all
}

// width returns the number of tokens in r.
func (r Range) width() Token { return r.End.sub(r.Start) }

// Whole returns the range of the whole ring.
func Whole(p Partitioner) Range {
	return Range{p.Min(), p.Max()}
}

// Halve cuts r in two at its middle. If r has an odd number of tokens, the second half is one
// wider. If r is one token wide or not a range, Halve returns r, the zero Range and false.
func Halve(r Range) (Range, Range, bool) {
	half := r.width().shr(1)
	if !r.Start.Less(r.End) || half == (Token{}) {
		return r, Range{}, false
	}
	middle := r.Start.add(half)
	return Range{r.Start, middle}, Range{middle, r.End}, true
}

// Fraction returns the share of the whole ring in r: 1 for [Whole], and more than 0 for every
// range. It is for progress and display: because of rounding, the fractions of a complete cover
// only nearly add up to 1.
func Fraction(r Range, p Partitioner) float64 {
	return r.width().float() / Whole(p).width().float()
}

// Width returns the approximate number of tokens in r.
func Width(r Range) float64 { return r.width().float() }

// CutAt cuts r in two, with about the given number of tokens in the first part. Each part has at
// least one. If r is one token wide or not a range, CutAt returns r, the zero Range and false.
func CutAt(r Range, tokens float64) (Range, Range, bool) {
	width := r.width()
	if !r.Start.Less(r.End) || width == (Token{Lo: 1}) {
		return r, Range{}, false
	}
	at := tokenOf(max(tokens, 1))
	if !at.Less(width) {
		at = width.sub(Token{Lo: 1})
	}
	middle := r.Start.add(at)
	return Range{r.Start, middle}, Range{middle, r.End}, true
}

// tokenOf converts a number of at least 0 to a token, rounded down. If n is too large it returns
// the largest token.
func tokenOf(n float64) Token {
	const word = 0x1p64
	if n >= word*word {
		return Token{math.MaxUint64, math.MaxUint64}
	}
	hi := math.Floor(n / word)
	return Token{uint64(hi), uint64(n - hi*word)}
}
