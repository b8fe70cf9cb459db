package sstables

import "github.com/cqlbulk/cqlbulk/pkg/token"

// cutter decides how much of the ranges of a piece is fetched at once, by what nodes announced of
// what was asked for before.
//
// Partitioners hash: of several partitions, some are in each half of a range. So where halving a
// part some times leaves all bytes in one half, that is one large partition, or few. Or it is what
// a node announces of any part: at least a chunk for each SSTable and range. No smaller part is
// asked for then.
type cutter struct {
	target float64 // bytes; 0: no limit
	most   float64 // bytes that are not refused; it rises where no part can be smaller

	width float64 // of what is taken next, in tokens
	taken float64 // the width of what was taken last

	refusals []refusal // of parts that begin where the next one does, the widest first
	uneven   bool      // the bytes of the last of them are not spread evenly
	uncut    int       // how often in a row it was cut, and all bytes were in one part
	came     bool      // a part of the first of them was fetched
}

// refusal is a part that was refused.
type refusal struct {
	width float64 // in tokens
	bytes float64 // that were announced
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
	// mostUncut is how often a part is cut that keeps its bytes. Four cuts keep two partitions
	// together once in 16 times, and four of them once in 4,096.
	mostUncut = 4
	// allOfIt is the fraction of the bytes of a part that counts as all of them.
	allOfIt = 0.75
	// nearlyHalf is from which share of a part on it counts as cut in two.
	nearlyHalf = 0.4
)

func newCutter(most int64) cutter {
	return cutter{target: float64(most), most: mostOfTarget * float64(most)}
}

// begin begins a piece: at first all of it is asked for.
func (c *cutter) begin(ranges []token.Range) {
	c.width, c.refusals, c.most = widthOf(ranges), nil, mostOfTarget*c.target
	c.spread(false, false)
}

// take returns the ranges to ask for next, and how many bytes they may have; 0: any number.
func (c *cutter) take(left []token.Range) (some, rest []token.Range, most int64) {
	some, rest = split(left, c.width)
	c.taken = widthOf(some)
	if c.taken <= 1 || c.uncut > mostUncut {
		return some, rest, 0
	}
	return some, rest, int64(c.most)
}

// refused takes in that the ranges were too many.
func (c *cutter) refused(bytes int64) {
	now := refusal{c.taken, float64(bytes)}
	last := len(c.refusals) - 1
	uncut := last >= 0 && now.bytes >= allOfIt*c.refusals[last].bytes
	c.spread(uncut, uncut)
	c.came = c.came && last >= 0
	c.refusals = append(c.refusals, now)
	if c.uncut > mostUncut && !c.came { // what is announced of any part
		c.most = max(c.most, mostOfTarget*now.bytes)
	}
	c.aim()
}

// spread takes in how the bytes of the last of the refused parts are spread: not evenly, or all on
// one side of a cut.
func (c *cutter) spread(uneven, uncut bool) {
	c.uneven = uneven || uncut
	switch {
	case uncut:
		c.uncut++
	case !uneven:
		c.uncut = 0
	}
}

// fetched takes in how large those were that came.
func (c *cutter) fetched(bytes int64) {
	c.width = c.taken * min(max(fullOfTarget*c.target/max(float64(bytes), 1), 1), mostGrowth)
	c.came = true
	if !c.leave(float64(bytes)) {
		return
	}
	c.aim()
}

// leave takes bytes that came off the refused parts, and reports whether one is left that is too
// large. Where none is, but something of them is left, that is what is taken next.
func (c *cutter) leave(bytes float64) bool {
	last := len(c.refusals) - 1
	for i := range c.refusals {
		r := &c.refusals[i]
		if i == last {
			share := c.taken / r.width // of its bytes, if they are spread evenly
			uneven := bytes < (1-allOfIt)*share*r.bytes
			c.spread(uneven, uneven && share >= nearlyHalf)
		}
		r.width, r.bytes = r.width-c.taken, r.bytes-bytes
	}
	for ; last >= 0; last-- {
		r := c.refusals[last]
		switch {
		case r.width <= rounding*c.taken:
		case r.bytes > c.target:
			return true
		default:
			c.width = max(c.width, r.width)
		}
		c.refusals = c.refusals[:last]
		c.spread(false, false)
	}
	return false
}

// aim decides how much of the last of the refused parts is taken next. If its bytes are spread
// evenly, that is as much as has the wanted bytes, else it is half. If it cannot be cut, all of it
// is taken, with what lies behind it and has no more bytes.
func (c *cutter) aim() {
	last := len(c.refusals) - 1
	r := c.refusals[last]
	switch {
	case c.uncut > mostUncut:
		for last > 0 && allOfIt*c.refusals[last-1].bytes <= r.bytes {
			last--
		}
		c.width = c.refusals[last].width
	case c.uneven:
		c.width = r.width / 2
	default:
		c.width = r.width * max(fullOfTarget*c.target/r.bytes, 1.0/mostShrinkage)
	}
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
