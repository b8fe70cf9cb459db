package token

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireSets checks that splits cover the ring, and that the Set of each is the range that
// contains it.
func requireSets(t *testing.T, p *Placement, splits []Split) {
	t.Helper()
	var ranges []Range
	for _, s := range splits {
		ranges = append(ranges, s.Range)
		require.Equal(t, s.Set, p.SetOf(s.Range))
		if s.Set == Several {
			require.Equal(t, p.Range(p.FindFirst(s.Range)).Start, s.Range.Start, "whole ranges")
			require.Equal(t, p.Range(p.Find(s.Range.End)).End, s.Range.End, "whole ranges")
		}
	}
	require.NoError(t, Cover(p.ring.partitioner, Whole(p.ring.partitioner), ranges))
}

func TestPlanCoarse(t *testing.T) {
	for seed := range uint64(200) {
		source := rand.New(rand.NewPCG(seed, 17))
		part := []Partitioner{Murmur3, Random}[seed%2]
		nodes := randomNodes(part, source, 1+source.IntN(20), 1+source.IntN(40), 1, 3)
		p := mustRing(t, part, nodes...).Place(Strategy{kind: kindSimple, factor: 2})
		want := 1 + source.IntN(300)
		splits := p.PlanCoarse(want, seed)
		requireSets(t, p, splits)
		require.LessOrEqual(t, len(splits), 2*want+1)
		for _, s := range splits {
			require.LessOrEqual(t, Fraction(s.Range, part), 2.01/float64(want))
		}
		require.Equal(t, splits, p.PlanCoarse(want, seed))
		other := p.PlanCoarse(want, seed+1)
		require.ElementsMatch(t, splits, other)
	}
}

func TestSetOf(t *testing.T) {
	p := mustRing(t, Murmur3, node("0", "a", "1", 10), node("1", "a", "1", 20)).Place(
		Strategy{kind: kindSimple, factor: 1},
	)
	for _, c := range []struct {
		r    Range
		want int
	}{
		{Range{Murmur3.Min(), at(10)}, 0},
		{Range{at(10), at(20)}, 1},
		{Range{at(10), at(11)}, 1},
		{Range{at(9), at(10)}, 0},
		{Range{at(9), at(11)}, Several},
		{Range{at(19), at(21)}, Several},
		{Range{at(20), Murmur3.Max()}, 2},
		{Whole(Murmur3), Several},
	} {
		require.Equal(t, c.want, p.SetOf(c.r), c.r)
	}
}

// TestCutFirst cuts ranges repeatedly and checks three things. The parts form the range. Each is in
// one range of the placement or ends at the end of one. Their number is close to the number asked
// for.
func TestCutFirst(t *testing.T) {
	for seed := range uint64(300) {
		source := rand.New(rand.NewPCG(seed, 18))
		part := []Partitioner{Murmur3, Random}[seed%2]
		nodes := randomNodes(part, source, 1+source.IntN(10), 1+source.IntN(10), 1, 3)
		p := mustRing(t, part, nodes...).Place(Strategy{kind: kindSimple, factor: 2})
		within := p.PlanCoarse(1+source.IntN(20), seed)[0].Range
		tokens := Width(Whole(part)) / float64(1+source.IntN(500))
		alone := source.IntN(2) == 0
		var pieces []Range
		borders := 0
		for i := range p.Len() {
			if _, ok := Intersect(p.Range(i), within); ok {
				borders++
			}
		}
		for rest, cut := within, true; cut; {
			var first Range
			first, rest, cut = p.CutFirst(rest, tokens, alone)
			pieces = append(pieces, first)
			set := p.SetOf(first)
			if set == Several {
				require.False(t, alone)
				require.LessOrEqual(t, Width(first), 1.0001*tokens)
				require.True(
					t, first.End == within.End || p.Range(p.Find(first.End)).End == first.End,
				)
			} else {
				require.LessOrEqual(t, Width(first), max(1.0001*tokens, 2))
			}
		}
		require.NoError(t, Cover(part, within, pieces))
		require.True(
			t,
			slices.IsSortedFunc(pieces, func(a, b Range) int { return a.Start.Compare(b.Start) }),
		)
		require.LessOrEqual(t, len(pieces), int(2*Width(within)/tokens)+2*borders+2)
	}
}

// A range of few tokens is cut into parts of at least one token.
func TestCutFirstOfFewTokens(t *testing.T) {
	p := mustRing(t, Murmur3, node("0", "a", "1", 10), node("1", "a", "1", 12)).Place(
		Strategy{kind: kindSimple, factor: 1},
	)
	first, rest, cut := p.CutFirst(Range{at(9), at(11)}, 0.5, false)
	require.True(t, cut)
	require.Equal(t, Range{at(9), at(10)}, first)
	require.Equal(t, Range{at(10), at(11)}, rest)
	first, _, cut = p.CutFirst(rest, 0.5, true)
	require.False(t, cut)
	require.Equal(t, rest, first)
}
