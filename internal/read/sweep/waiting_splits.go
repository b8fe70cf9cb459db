package sweep

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// splits are the splits of a sweep that no worker has taken, in the order of the plan. A large
// cluster has millions of them, so the indexes for join are made when join first needs them. It is
// not safe for concurrent use.
type splits struct {
	all  []token.Split
	next int // index of the first that may be left
	left int

	order []int32 // indexes by the start of the range; nil: not made yet
	place []int32 // position of each index in order
	taken []bool
}

func newSplits(all []token.Split) splits { return splits{all: all, left: len(all)} }

// take returns the next split. There must be one.
func (s *splits) take() token.Split {
	for s.taken != nil && s.taken[s.next] {
		s.next++
	}
	split := s.all[s.next]
	s.next++
	s.left--
	return split
}

// join takes the splits that follow the split taken last on the ring, as long as all of them
// together are no wider than tokens. It returns the range of all of them.
func (s *splits) join(within token.Range, tokens float64) token.Range {
	if s.left == 0 || 2*token.Width(within) > tokens {
		return within
	}
	s.sort()
	for at := int(s.place[s.next-1]) + 1; at < len(s.order); at++ {
		i := s.order[at]
		joined := token.Range{Start: within.Start, End: s.all[i].Range.End}
		if int(i) < s.next || s.taken[i] || s.all[i].Range.Start != within.End ||
			token.Width(joined) > tokens {
			break
		}
		s.taken[i] = true
		s.left--
		within = joined
	}
	return within
}

// sort makes the indexes.
func (s *splits) sort() {
	if s.order != nil {
		return
	}
	s.order = make([]int32, len(s.all))
	s.place = make([]int32, len(s.all))
	s.taken = make([]bool, len(s.all))
	for i := range s.order {
		s.order[i] = int32(i)
	}
	slices.SortFunc(
		s.order,
		func(a, b int32) int { return s.all[a].Range.Start.Compare(s.all[b].Range.Start) },
	)
	for at, i := range s.order {
		s.place[i] = int32(at)
	}
}
