package token

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewPlacement(t *testing.T) {
	ends := []Token{at(-5), at(7), at(math.MaxInt64)}
	replicas := [][]int{{2, 0}, {}, {2, 0}}
	p, err := NewPlacement(Murmur3, ends, replicas)
	require.NoError(t, err)
	require.Equal(t, 3, p.Len())
	require.Equal(t, Range{Murmur3.Min(), at(-5)}, p.Range(0))
	require.Equal(t, Range{at(7), Murmur3.Max()}, p.Range(2))
	require.Equal(t, []int{2, 0}, p.Replicas(0))
	require.Empty(t, p.Replicas(1))
	require.Same(t, &p.Replicas(0)[0], &p.Replicas(2)[0], "equal lists are kept once")
	for v, want := range map[int64]int{
		math.MinInt64: 0, math.MinInt64 + 1: 0, -5: 0, -4: 1, 7: 1, 8: 2, math.MaxInt64: 2,
	} {
		require.Equal(t, want, p.Find(at(v)), v)
	}
	ends[0], replicas[0][0] = at(0), 9
	require.Equal(t, at(-5), p.Range(0).End, "copied")
	require.Equal(t, []int{2, 0}, p.Replicas(0), "copied")
	local := p.LocalTo("dc1")
	for i := range p.Len() {
		require.Equal(t, p.Range(i), local.Range(i))
		require.Equal(t, p.Replicas(i), local.Replicas(i))
	}
}

func TestNewPlacementErrors(t *testing.T) {
	most := at(math.MaxInt64)
	for _, c := range []struct {
		name     string
		p        Partitioner
		ends     []Token
		replicas [][]int
		want     string
	}{
		{"no partitioner", nil, []Token{most}, [][]int{{0}}, "without a partitioner"},
		{"no ranges", Murmur3, nil, nil, "without ranges"},
		{"too few lists", Murmur3, []Token{at(0), most}, [][]int{{0}}, "2 ranges with 1 lists"},
		{"ends twice", Murmur3, []Token{at(3), at(3), most}, [][]int{{0}, {0}, {0}}, "ends at token 3, which is not after 3"},
		{"descends", Murmur3, []Token{at(3), at(2), most}, [][]int{{0}, {0}, {0}}, "ends at token 2, which is not after 3"},
		{"empty first range", Murmur3, []Token{Murmur3.Min(), most}, [][]int{{0}, {0}}, "not after -9223372036854775808"},
		{"short of the end", Murmur3, []Token{at(3)}, [][]int{{0}}, "ends at token 3 instead of 9223372036854775807"},
		{"beyond the end", Murmur3, []Token{{Hi: 1}}, [][]int{{0}}, "the last range ends at token"},
		{"negative node", Murmur3, []Token{most}, [][]int{{-1}}, "replicas [-1]"},
		{"node twice", Murmur3, []Token{at(3), most}, [][]int{{0}, {1, 2, 1}}, "replicas [1 2 1] of the range that ends at token 9223372036854775807"},
	} {
		_, err := NewPlacement(c.p, c.ends, c.replicas)
		require.ErrorContains(t, err, c.want, c.name)
	}
}

// A placement built from the ranges of another placement is equal to it.
func TestNewPlacementOfPlaced(t *testing.T) {
	for seed := range uint64(40) {
		source := rand.New(rand.NewPCG(seed, 5))
		p := []Partitioner{Murmur3, Random}[seed%2]
		placed := mustRing(
			t,
			p,
			randomNodes(p, source, 1+source.IntN(6), 1+source.IntN(5), 1, 1)...).Place(
			Strategy{kind: kindSimple, factor: 2},
		)
		var ends []Token
		var replicas [][]int
		for i := range placed.Len() {
			ends = append(ends, placed.Range(i).End)
			replicas = append(replicas, slices.Clone(placed.Replicas(i)))
		}
		rebuilt, err := NewPlacement(p, ends, replicas)
		require.NoError(t, err)
		require.Equal(t, placed.Len(), rebuilt.Len())
		require.Equal(t, placed.Plan(50, seed), rebuilt.Plan(50, seed))
		for i := range placed.Len() {
			require.Equal(t, placed.Range(i), rebuilt.Range(i))
			require.Equal(t, placed.Replicas(i), rebuilt.Replicas(i))
		}
	}
}
