package token

import (
	"fmt"
	"slices"
)

// Cover checks that the ranges cover within exactly. Every token in within must be in one range,
// and none in two. No range may extend beyond within. The ranges may be in any order. The error
// names the first fault on the ring in decimal tokens. Cover does not modify the ranges.
func Cover(p Partitioner, within Range, ranges []Range) error {
	if !within.Start.Less(within.End) {
		return coverError(p, "not a range", within)
	}
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return a.End.Compare(b.End)
	})
	at := within.Start
	for _, r := range sorted {
		switch {
		case !r.Start.Less(r.End):
			return coverError(p, "not a range", r)
		case r.Start.Less(within.Start):
			return coverError(p, "out of bounds", Range{r.Start, earlier(r.End, within.Start)})
		case r.Start.Less(at):
			return coverError(p, "overlap", Range{r.Start, earlier(r.End, at)})
		case at.Less(r.Start) && at.Less(within.End):
			return coverError(p, "gap", Range{at, earlier(r.Start, within.End)})
		case within.End.Less(r.End):
			return coverError(p, "out of bounds", Range{later(r.Start, within.End), r.End})
		}
		at = r.End
	}
	if at.Less(within.End) {
		return coverError(p, "gap", Range{at, within.End})
	}
	return nil
}

func coverError(p Partitioner, what string, r Range) error {
	return fmt.Errorf("token ranges: %s: %s", what, AppendRange(nil, p, r))
}

func earlier(a, b Token) Token {
	if a.Less(b) {
		return a
	}
	return b
}

func later(a, b Token) Token {
	if a.Less(b) {
		return b
	}
	return a
}
