package plan

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Check returns nil if the ranges make up the plan's splits, each token once. A range may cover
// several adjacent splits.
func (p *Plan) Check(done []token.Range) error {
	if p.partitioner == nil {
		return nil
	}
	byStart := func(a, b token.Range) int { return a.Start.Compare(b.Start) }
	sorted, splits := slices.Clone(done), token.Merge(ranges(p.Splits))
	slices.SortFunc(sorted, byStart)
	for _, s := range splits {
		n := 0
		for n < len(sorted) && sorted[n].Start.Less(s.End) {
			n++
		}
		if err := token.Cover(p.partitioner, s, sorted[:n]); err != nil {
			return err
		}
		sorted = sorted[n:]
	}
	if len(sorted) > 0 {
		return fmt.Errorf(
			"token range (%s, ...] is not in the plan",
			p.partitioner.Append(nil, sorted[0].Start),
		)
	}
	return nil
}

func ranges(splits []token.Split) []token.Range {
	out := make([]token.Range, len(splits))
	for i, s := range splits {
		out[i] = s.Range
	}
	return out
}

// checkCoarse is checkWhole for splits that may reach over several vnode ranges.
func checkCoarse(p token.Partitioner, placement *token.Placement, splits []token.Split) error {
	for _, s := range splits {
		if in := placement.SetOf(s.Range); s.Set != in {
			return fmt.Errorf(
				"the split that ends at token %s lies in vnode range %d and not in %d",
				p.Append(nil, s.Range.End),
				in,
				s.Set,
			)
		}
	}
	return token.Cover(p, token.Whole(p), ranges(splits))
}

// checkWhole returns nil if the splits are the whole ring, each token once, and each in its vnode
// range. There may be millions of splits, so they are sorted by number, one vnode range at a time.
func checkWhole(p token.Partitioner, placement *token.Placement, splits []token.Split) error {
	order, first := byVnode(splits, placement.Len())
	at := p.Min()
	for vnode := range placement.Len() {
		in := order[first[vnode]:first[vnode+1]]
		slices.SortFunc(
			in,
			func(a, b int32) int { return splits[a].Range.Start.Compare(splits[b].Range.Start) },
		)
		for _, i := range in {
			r := splits[i].Range
			if r.Start != at || !r.Start.Less(r.End) {
				return fmt.Errorf(
					"a split reaches from token %s to %s, where one from %s belongs",
					p.Append(nil, r.Start),
					p.Append(nil, r.End),
					p.Append(nil, at),
				)
			}
			at = r.End
		}
		if end := placement.Range(vnode).End; at != end {
			return fmt.Errorf(
				"the splits of the vnode range that ends at token %s end at %s",
				p.Append(nil, end),
				p.Append(nil, at),
			)
		}
	}
	if at != p.Max() {
		return fmt.Errorf("the splits end at token %s", p.Append(nil, at))
	}
	return nil
}

// byVnode lists the indexes of the splits of vnode range 0, then those of 1 and so on. In the
// result, first has the position where each vnode range begins, and at last the end of all.
func byVnode(splits []token.Split, vnodes int) (order, first []int32) {
	first = make([]int32, vnodes+1)
	for _, s := range splits {
		first[s.Set+1]++
	}
	for i := range vnodes {
		first[i+1] += first[i]
	}
	next := slices.Clone(first)
	order = make([]int32, len(splits))
	for i, s := range splits {
		order[next[s.Set]] = int32(i)
		next[s.Set]++
	}
	return order, first
}
