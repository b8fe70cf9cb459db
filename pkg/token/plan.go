package token

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Split is a unit of work: all or part of one vnode range, so that one list of replicas holds all
// of it.
type Split struct {
	Range Range
	// Set is the index of the range of the [Placement] that contains the split, for
	// [Placement.Replicas].
	Set int
}

// Plan cuts the ring into want splits, or into one for each range if there are more ranges than
// want. A split never crosses the border of a range. The number of splits of a range is at least
// one and in proportion to its width. The splits of one range differ in width by at most one token.
//
// Plan shuffles the splits by seed, so that work taken in order is spread over the nodes. The same
// placement, want and seed give the same splits in the same order on every machine and with every
// release of Go.
func (p *Placement) Plan(want int, seed uint64) []Split {
	parts := p.parts(want)
	splits := make([]Split, 0, max(want, p.Len()))
	for i, n := range parts {
		splits = appendParts(splits, p.Range(i), n, i)
	}
	shuffle(splits, seed)
	return splits
}

// parts returns the number of splits for each range. A range whose share of want is at most one
// gets one. The others divide the rest by width. Each fraction is carried over to the next range,
// so the sum is exactly want.
//
// No range gets more parts than it has tokens. Removing the ranges below their share only lowers
// the splits per token of the others. That ratio starts below one half, because want is below 2^63
// and the ring is at least 2^64-1 wide.
func (p *Placement) parts(want int) []uint64 {
	parts := make([]uint64, p.Len())
	for i := range parts {
		parts[i] = 1
	}
	if want <= len(parts) {
		return parts
	}
	widths, total := p.scaledWidths()
	byWidth := make([]int, len(widths))
	for i := range byWidth {
		byWidth[i] = i
	}
	slices.SortFunc(
		byWidth, func(a, b int) int { return Token{Lo: widths[a]}.Compare(Token{Lo: widths[b]}) },
	)
	rest := uint64(want)
	for _, i := range byWidth {
		if hi, lo := bits.Mul64(widths[i], rest); (Token{Lo: total}).Less(Token{hi, lo}) {
			break
		}
		rest--
		total -= widths[i]
		widths[i] = 0
	}
	var sum, given uint64
	for i, w := range widths {
		if w == 0 {
			continue
		}
		sum += w
		hi, lo := bits.Mul64(sum, rest)
		upTo, _ := bits.Div64(hi, lo, total)
		parts[i] = upTo - given
		given = upTo
	}
	return parts
}

// scaledWidths returns the widths of the ranges and their sum. The unit is the smallest power of
// two in which the whole ring is below 2^64.
func (p *Placement) scaledWidths() (widths []uint64, total uint64) {
	unit := uint(max(Whole(p.ring.partitioner).width().bitLen()-64, 0))
	widths = make([]uint64, p.Len())
	for i := range widths {
		widths[i] = p.Range(i).width().shr(unit).Lo
		total += widths[i]
	}
	return widths, total
}

// appendParts appends r, cut into n parts, 1 <= n <= width of r. If n does not divide the width,
// the first parts are one token wider.
func appendParts(dst []Split, r Range, n uint64, set int) []Split {
	step, wider := r.width().div(n)
	at := r.Start
	for i := range n {
		end := at.add(step)
		if i < wider {
			end = end.add(Token{Lo: 1})
		}
		dst = append(dst, Split{Range{at, end}, set})
		at = end
	}
	return dst
}

// shuffle is the Fisher-Yates shuffle over PCG-DXSM. Both are written out here or fixed by their
// definition, so that a seed gives the same order forever. The multiplication maps a random word to
// an index with a bias below 2^-32.
func shuffle(splits []Split, seed uint64) {
	const stream = 0x9e3779b97f4a7c15
	source := rand.NewPCG(seed, stream)
	for i := len(splits) - 1; i > 0; i-- {
		j, _ := bits.Mul64(source.Uint64(), uint64(i+1))
		splits[i], splits[j] = splits[j], splits[i]
	}
}
