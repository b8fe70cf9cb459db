package sstables

import "github.com/cqlbulk/cqlbulk/pkg/token"

// cutter decides how much of the ranges of a piece is fetched at once, by what nodes announced of
// what was asked for before.
//
// A node announces at least a chunk for each SSTable and range, and a large partition stays one. So
// where less of the ring is hardly less to send, no smaller part is asked for.
type cutter struct {
	target float64 // bytes; 0: no limit
	most   float64 // bytes that are not refused; it rises where no part can be smaller

	width float64 // of what is taken next, in tokens

	taken   float64 // the width of what was taken last
	widest  float64 // of those that were refused in a row, the first
	bytes   int64   // that were announced of that
	refusal int     // how many were refused in a row
}

const (
	// mostOfTarget is how much larger than the target a piece may be.
	mostOfTarget = 1.5
	// fullOfTarget is how much of the target a piece is cut to, since its bytes are not spread
	// evenly.
	fullOfTarget = 0.9
	// mostGrowth and mostShrinkage are by how much a piece may be larger or smaller than the one
	// before.
	mostGrowth    = 8
	mostShrinkage = 1024
	// refusals is how often a part is cut smaller before it is taken as it is. The count starts
	// again if a cut left less than the fraction gain of the bytes.
	refusals = 3
	gain     = 0.75
)

func newCutter(most int64) cutter {
	return cutter{target: float64(most), most: mostOfTarget * float64(most)}
}

// begin begins a piece: at first all of it is asked for.
func (c *cutter) begin(ranges []token.Range) { c.width, c.refusal = widthOf(ranges), 0 }

// take returns the ranges to ask for next, and how many bytes they may have; 0: any number.
func (c *cutter) take(left []token.Range) (some, rest []token.Range, most int64) {
	some, rest = split(left, c.width)
	c.taken = widthOf(some)
	if c.taken <= 1 || c.refusal > refusals {
		return some, rest, 0
	}
	return some, rest, int64(c.most)
}

// refused takes in that the ranges were too many.
func (c *cutter) refused(bytes int64) {
	if c.refusal == 0 || float64(bytes) < gain*float64(c.bytes) {
		c.refusal, c.widest, c.bytes = 0, c.taken, bytes
	}
	if c.refusal++; c.refusal > refusals {
		c.width = c.widest // it has no more bytes than its parts
		c.most = max(c.most, mostOfTarget*float64(c.bytes))
		return
	}
	c.width = c.taken * max(fullOfTarget*c.target/float64(bytes), 1.0/mostShrinkage)
}

// fetched takes in how large those were that came.
func (c *cutter) fetched(bytes int64) {
	c.refusal = 0
	c.width = c.taken * min(max(fullOfTarget*c.target/max(float64(bytes), 1), 1), mostGrowth)
}

// widthOf is how many tokens there are in ranges.
func widthOf(ranges []token.Range) (tokens float64) {
	for _, r := range ranges {
		tokens += token.Width(r)
	}
	return tokens
}

// rounding is the part of a range that is not left for later.
const rounding = 1e-6

// split takes the first tokens of ranges, at least one.
func split(ranges []token.Range, tokens float64) (some, rest []token.Range) {
	for i, r := range ranges {
		width := token.Width(r)
		if width <= tokens+width*rounding {
			tokens = max(tokens-width, 0)
			continue
		}
		some = ranges[:i:i]
		first, second, both := token.CutAt(r, tokens)
		switch {
		case both && (tokens >= 1 || i == 0):
			return append(some, first), append([]token.Range{second}, ranges[i+1:]...)
		case i == 0:
			return ranges[:1], ranges[1:]
		default:
			return some, ranges[i:]
		}
	}
	return ranges, nil
}
