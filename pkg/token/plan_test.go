package token

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func rangesOf(splits []Split) []Range {
	ranges := make([]Range, len(splits))
	for i, s := range splits {
		ranges[i] = s.Range
	}
	return ranges
}

// requirePlan checks every guarantee of Plan.
func requirePlan(t testing.TB, p *Placement, want int, splits []Split) {
	t.Helper()
	partitioner := p.ring.partitioner
	require.Len(t, splits, max(want, p.Len()))
	require.NoError(t, Cover(partitioner, Whole(partitioner), rangesOf(splits)))
	narrowest, widest := map[int]Token{}, map[int]Token{}
	for _, s := range splits {
		r := p.Range(s.Set)
		require.False(t, s.Range.Start.Less(r.Start), "crosses a border")
		require.False(t, r.End.Less(s.Range.End), "crosses a border")
		w := s.Range.width()
		if old, ok := narrowest[s.Set]; !ok || w.Less(old) {
			narrowest[s.Set] = w
		}
		if widest[s.Set].Less(w) {
			widest[s.Set] = w
		}
	}
	for i, w := range widest {
		require.False(t, narrowest[i].add(one).Less(w), "unequal parts")
	}
}

func TestPlanCoversRandomRings(t *testing.T) {
	for seed := range uint64(200) {
		source := rand.New(rand.NewPCG(seed, 4))
		p := []Partitioner{Murmur3, Random}[seed%2]
		nodes := randomNodes(p, source, 1+source.IntN(8), 1+source.IntN(20), 2, 3)
		placed := mustRing(t, p, nodes...).Place(Strategy{kind: kindSimple, factor: 3})
		want := source.IntN(600)
		requirePlan(t, placed, want, placed.Plan(want, seed))
	}
}

func TestPlanIsProportional(t *testing.T) {
	nodes := randomNodes(Murmur3, rand.New(rand.NewPCG(5, 5)), 6, 16, 1, 1)
	placed := mustRing(t, Murmur3, nodes...).Place(Strategy{kind: kindSimple, factor: 1})
	const want = 100_000
	counts := make([]float64, placed.Len())
	for _, s := range placed.Plan(want, 1) {
		counts[s.Set]++
	}
	for i, n := range counts {
		share := want * Fraction(placed.Range(i), Murmur3)
		require.InDelta(t, max(share, 1), n, 1+share/1000, "range %d", i)
	}
}

func TestPlanSmallCases(t *testing.T) {
	least, most := Murmur3.Min(), Murmur3.Max()
	single := mustRing(t, Murmur3, Node{ID: "a", Tokens: []Token{most}}).Place(Strategy{})
	for _, want := range []int{math.MinInt, -1, 0, 1} {
		require.Equal(t, []Split{{Whole(Murmur3), 0}}, single.Plan(want, 7), want)
	}
	quarters := rangesOf(single.Plan(4, 7))
	require.ElementsMatch(t, []Range{
		{least, at(-1 << 62)}, {at(-1 << 62), at(0)}, {at(0), at(1 << 62)}, {at(1 << 62), most},
	}, quarters)

	// Ranges of one token between two halves of the ring.
	crowded := mustRing(t, Murmur3, node("a", "", "", 0, 2, 4), node("b", "", "", 1, 3, 5)).Place(
		Strategy{},
	)
	splits := crowded.Plan(11, 7)
	requirePlan(t, crowded, 11, splits)
	counts := make([]int, crowded.Len())
	for _, s := range splits {
		counts[s.Set]++
	}
	require.Equal(t, []int{3, 1, 1, 1, 1, 1, 3}, counts)
}

func TestPlanSeed(t *testing.T) {
	placed := mustRing(t, Murmur3, node("a", "", "", -1<<62, 100), node("b", "", "", 1<<62)).Place(
		Strategy{kind: kindSimple, factor: 1},
	)
	splits := placed.Plan(64, 42)
	require.Equal(t, splits, placed.Plan(64, 42))
	require.NotEqual(t, splits, placed.Plan(64, 43))
	require.ElementsMatch(t, splits, placed.Plan(64, 43))

	// The order must not change: a resumed run must find the plan that it started with.
	var first []string
	for _, s := range splits[:6] {
		first = append(first, string(AppendRange(nil, Murmur3, s.Range)))
	}
	require.Equal(t, []string{
		"(1729382256910270528, 2017612633061982266]",
		"(-6917529027641081856, -6629298651489370112]",
		"(-5188146770730811392, -4899916394579099648]",
		"(-576460752303423400, -288230376151711650]",
		"(8935141660703064064, 9223372036854775807]",
		"(8070450532247928832, 8358680908399640576]",
	}, first)
}
