package token

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func node(id, dc, rack string, tokens ...int64) Node {
	n := Node{ID: id, DC: dc, Rack: rack}
	for _, v := range tokens {
		n.Tokens = append(n.Tokens, at(v))
	}
	return n
}

func mustRing(t testing.TB, p Partitioner, nodes ...Node) *Ring {
	t.Helper()
	r, err := NewRing(p, nodes)
	require.NoError(t, err)
	return r
}

// randomToken returns a random token of the partitioner, sometimes the least or the greatest.
func randomToken(p Partitioner, source *rand.Rand) Token {
	switch source.IntN(40) {
	case 0:
		return p.Min()
	case 1:
		return p.Max()
	case 2:
		return p.Min().add(one)
	case 3:
		return p.Max().sub(one)
	}
	if p == Murmur3 {
		return Token{Lo: source.Uint64()}
	}
	return Token{source.Uint64() >> 1, source.Uint64()}
}

// randomNodes returns random nodes that share no token.
func randomNodes(p Partitioner, source *rand.Rand, nodes, vnodes, dcs, racks int) []Node {
	taken := make(map[Token]bool)
	list := make([]Node, nodes)
	for i := range list {
		list[i] = Node{
			ID:   fmt.Sprint("n", i),
			DC:   fmt.Sprint("dc", source.IntN(dcs)),
			Rack: fmt.Sprint("r", source.IntN(racks)),
		}
		for len(list[i].Tokens) < vnodes {
			if v := randomToken(p, source); !taken[v] {
				taken[v] = true
				list[i].Tokens = append(list[i].Tokens, v)
			}
		}
	}
	return list
}

func TestRingRanges(t *testing.T) {
	const least, most = -1 << 63, 1<<63 - 1
	type owned struct {
		start, end int64
		owner      int
	}
	for _, c := range []struct {
		name  string
		nodes []Node
		want  []owned
	}{
		{"one token", []Node{node("a", "", "", 5)}, []owned{{least, 5, 0}, {5, most, 0}}},
		{"one token at the minimum", []Node{node("a", "", "", least)}, []owned{{least, most, 0}}},
		{"one token at the maximum", []Node{node("a", "", "", most)}, []owned{{least, most, 0}}},
		{"both extremes", []Node{node("a", "", "", least), node("b", "", "", most)}, []owned{{least, most, 1}}},
		{"after the minimum", []Node{node("a", "", "", least+1, 7), node("b", "", "", 0)},
			[]owned{{least, least + 1, 0}, {least + 1, 0, 1}, {0, 7, 0}, {7, most, 0}}},
		{"at the minimum", []Node{node("a", "", "", 7), node("b", "", "", least), node("c", "", "", 0)},
			[]owned{{least, 0, 2}, {0, 7, 0}, {7, most, 1}}},
		{"at the maximum", []Node{node("a", "", "", most), node("b", "", "", 0)},
			[]owned{{least, 0, 1}, {0, most, 0}}},
		{"wraps to the first", []Node{node("a", "", "", 10), node("b", "", "", 20)},
			[]owned{{least, 10, 0}, {10, 20, 1}, {20, most, 0}}},
		{"listed twice by its node", []Node{node("a", "", "", 5, 5), node("b", "", "", 6)},
			[]owned{{least, 5, 0}, {5, 6, 1}, {6, most, 0}}},
	} {
		p := mustRing(t, Murmur3, c.nodes...).Place(Strategy{kind: kindSimple, factor: 1})
		require.Equal(t, len(c.want), p.Len(), c.name)
		for i, want := range c.want {
			require.Equal(t, Range{at(want.start), at(want.end)}, p.Range(i), c.name)
			require.Equal(t, []int{want.owner}, p.Replicas(i), c.name)
			require.Equal(t, i, p.Find(at(want.end)), c.name)
			require.Equal(t, i, p.Find(at(want.start+1)), c.name)
		}
	}
}

func TestRingErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     Partitioner
		nodes []Node
		want  string
	}{
		{"no partitioner", nil, []Node{node("a", "", "", 1)}, "without a partitioner"},
		{"no nodes", Murmur3, nil, "without nodes"},
		{"no tokens", Murmur3, []Node{node("a", "", ""), node("b", "", "")}, "2 nodes without a token"},
		{"one token of two nodes", Murmur3, []Node{node("a", "", "", 1, 9), node("b", "", "", -4, 9)}, `token 9 belongs to two nodes, "a" and "b"`},
		{"one node twice", Murmur3, []Node{node("a", "", "", 1), node("a", "", "", 2)}, `node "a" is listed twice`},
		{"outside murmur3", Murmur3, []Node{{ID: "a", Tokens: []Token{{1, 0}}}}, `node "a" is above the maximum of Murmur3Partitioner`},
		{"outside random", Random, []Node{{ID: "a", Tokens: []Token{{1 << 63, 2}}}}, `node "a" is above the maximum of RandomPartitioner`},
	} {
		_, err := NewRing(c.p, c.nodes)
		require.ErrorContains(t, err, c.want, c.name)
	}
}

func TestRingKeepsItsOwnCopy(t *testing.T) {
	nodes := []Node{node("a", "x", "", 1), node("b", "x", "", 2)}
	r := mustRing(t, Murmur3, nodes...)
	nodes[0].ID, nodes[1].Tokens[0] = "z", at(99)
	require.Equal(t, []Node{node("a", "x", "", 1), node("b", "x", "", 2)}, r.Nodes())
	require.Equal(t, Murmur3, r.Partitioner())
}

func TestFindMatchesContains(t *testing.T) {
	for seed := range uint64(60) {
		source := rand.New(rand.NewPCG(seed, 2))
		p := []Partitioner{Murmur3, Random}[seed%2]
		nodes := randomNodes(p, source, 1+source.IntN(6), 1+source.IntN(5), 1, 1)
		placed := mustRing(t, p, nodes...).Place(Strategy{kind: kindSimple, factor: 2})
		for range 50 {
			v := randomToken(p, source)
			i := placed.Find(v)
			if v == p.Min() {
				require.Zero(t, i)
				continue
			}
			require.True(t, placed.Range(i).Contains(v))
			require.Equal(t, walk(nodes, v, nil)[:len(placed.Replicas(i))], placed.Replicas(i))
		}
	}
}
