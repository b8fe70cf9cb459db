package token

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// walk returns the nodes on the walk clockwise from t, each once, without those that skip reports.
// It is the model for the tests of placement.
func walk(nodes []Node, t Token, skip func(n int) bool) []int {
	type owned struct {
		token Token
		node  int
	}
	var ring []owned
	for i, n := range nodes {
		for _, v := range n.Tokens {
			ring = append(ring, owned{v, i})
		}
	}
	slices.SortFunc(ring, func(a, b owned) int { return a.token.Compare(b.token) })
	start := slices.IndexFunc(ring, func(o owned) bool { return !o.token.Less(t) })
	var met []int
	for i := range ring {
		n := ring[(max(start, 0)+i)%len(ring)].node
		if !slices.Contains(met, n) && (skip == nil || !skip(n)) {
			met = append(met, n)
		}
	}
	return met
}

// modelTopology follows NetworkTopologyStrategy step by step for one token.
func modelTopology(nodes []Node, t Token, factors map[string]int) []int {
	picks := []int{}
	left, repeats := map[string]int{}, map[string]int{}
	seen := map[[2]string]bool{}
	for dc, factor := range factors {
		members, racks := 0, map[string]bool{}
		for _, n := range nodes {
			if n.DC == dc && len(n.Tokens) > 0 {
				members++
				racks[n.Rack] = true
			}
		}
		left[dc], repeats[dc] = min(factor, members), factor-len(racks)
	}
	for _, i := range walk(nodes, t, nil) {
		n := nodes[i]
		if left[n.DC] == 0 {
			continue
		}
		if seen[[2]string{n.DC, n.Rack}] {
			if repeats[n.DC] <= 0 {
				continue
			}
			repeats[n.DC]--
		}
		seen[[2]string{n.DC, n.Rack}] = true
		left[n.DC]--
		picks = append(picks, i)
	}
	return picks
}

// byName returns NetworkTopologyStrategy with the factors.
func byName(factors map[string]int) Strategy {
	return Strategy{kind: kindTopology, byDC: factors}
}

func TestPlaceIsCassandras(t *testing.T) {
	var nodes []Node
	var replication map[string]string
	var placed *Placement
	checked := 0
	for _, line := range readLines(t, "placement.txt") {
		switch line[0] {
		case "cluster":
			nodes, placed, replication = nil, nil, map[string]string{"class": line[1]}
			for _, option := range line[2:] {
				name, value, _ := strings.Cut(option, "=")
				replication[name] = value
			}
		case "node":
			n := Node{ID: fmt.Sprint(len(nodes)), DC: line[1], Rack: line[2]}
			for _, s := range line[3:] {
				n.Tokens = append(n.Tokens, parse(t, Murmur3, s))
			}
			nodes = append(nodes, n)
		case "at":
			if placed == nil {
				s, err := ParseStrategy(replication)
				require.NoError(t, err)
				placed = mustRing(t, Murmur3, nodes...).Place(s)
			}
			want := []int{}
			for _, s := range line[2:] {
				n, err := strconv.Atoi(s)
				require.NoError(t, err)
				want = append(want, n)
			}
			asked := parse(t, Murmur3, line[1])
			if asked == Murmur3.Min() {
				continue // in no range, and the token of no row
			}
			got := placed.Replicas(placed.Find(asked))
			require.Equal(
				t, want, append([]int{}, got...), "%v %v at %s", replication, nodes, line[1],
			)
			checked++
		}
	}
	require.Greater(t, checked, 1000)
}

func TestPlaceByHand(t *testing.T) {
	// The tokens are 10, 20, ... in the order of the nodes; the test checks the replicas of (least,
	// 10].
	cluster := func(where ...string) []Node {
		var nodes []Node
		for i, w := range where {
			dc, rack, _ := strings.Cut(w, "/")
			nodes = append(nodes, node(fmt.Sprint(i), dc, rack, int64(i+1)*10))
		}
		return nodes
	}
	for _, c := range []struct {
		name  string
		nodes []Node
		s     Strategy
		want  []int
	}{
		{"simple", cluster("a/1", "a/1", "a/1", "a/1"), Strategy{kind: kindSimple, factor: 3}, []int{0, 1, 2}},
		{"simple, more than there are", cluster("a/1", "a/1"), Strategy{kind: kindSimple, factor: 3}, []int{0, 1}},
		{"simple takes no heed of racks", cluster("a/1", "b/1", "a/2"), Strategy{kind: kindSimple, factor: 2}, []int{0, 1}},
		{"racks enough", cluster("a/1", "a/1", "a/1", "a/2", "a/2", "a/3"), byName(map[string]int{"a": 3}), []int{0, 3, 5}},
		{"a rack too few", cluster("a/1", "a/1", "a/1", "a/2"), byName(map[string]int{"a": 3}), []int{0, 1, 3}},
		{"a rack too few, repeat at the end", cluster("a/1", "a/2", "a/2", "a/1"), byName(map[string]int{"a": 3}), []int{0, 1, 2}},
		{"one rack", cluster("a/1", "a/1", "a/1", "a/1"), byName(map[string]int{"a": 3}), []int{0, 1, 2}},
		{"fewer nodes than replicas", cluster("a/1", "a/1"), byName(map[string]int{"a": 3}), []int{0, 1}},
		{"datacenters interleave", cluster("a/1", "b/1", "a/2", "b/2", "a/3"), byName(map[string]int{"a": 2, "b": 2}), []int{0, 1, 2, 3}},
		{"racks of one name in two datacenters", cluster("a/1", "b/1", "b/1", "a/1"), byName(map[string]int{"a": 1, "b": 1}), []int{0, 1}},
		{"a datacenter far off", cluster("a/1", "a/2", "a/3", "a/4", "b/1"), byName(map[string]int{"a": 1, "b": 1}), []int{0, 4}},
		{"a datacenter without replicas", cluster("b/1", "a/1", "b/2", "a/2"), byName(map[string]int{"a": 1, "b": 0}), []int{1}},
		{"a datacenter without nodes", cluster("a/1", "a/2"), byName(map[string]int{"a": 1, "c": 3}), []int{0}},
		{"only datacenters without nodes", cluster("a/1", "a/2"), byName(map[string]int{"c": 3}), []int{}},
		{"one factor for all", cluster("a/1", "b/1", "c/1", "a/2"), Strategy{kind: kindTopology, factor: 1, byDC: map[string]int{"b": 0}}, []int{0, 2}},
		{"everywhere", append(cluster("a/1", "b/1"), node("spare", "a", "1")), Strategy{kind: kindEverywhere}, []int{0, 1}},
		{"local", cluster("a/1", "a/1"), Strategy{kind: kindLocal}, []int{}},
		{"zero strategy", cluster("a/1", "a/1"), Strategy{}, []int{}},
	} {
		p := mustRing(t, Murmur3, c.nodes...).Place(c.s)
		require.Equal(t, c.want, append([]int{}, p.Replicas(0)...), c.name)
		require.Equal(t, p.Replicas(0), p.Replicas(p.Len()-1), "%s: the range that wraps", c.name)
	}
}

func TestPlaceMatchesModel(t *testing.T) {
	for seed := range uint64(150) {
		source := rand.New(rand.NewPCG(seed, 3))
		p := []Partitioner{Murmur3, Random}[seed%2]
		nodes := randomNodes(
			p, source, 1+source.IntN(25), 1+source.IntN(6), 1+source.IntN(3), 1+source.IntN(5),
		)
		nodes = append(nodes, Node{ID: "tokenless", DC: "dc0", Rack: "its own"})
		r := mustRing(t, p, nodes...)
		factors := map[string]int{"dc0": source.IntN(6), "dc1": source.IntN(6), "dc7": 2}
		simple := r.Place(Strategy{kind: kindSimple, factor: 3})
		topology := r.Place(byName(factors))
		for i := range topology.Len() {
			end := topology.Range(i).End
			met := walk(nodes, end, nil)
			require.Equal(t, met[:min(3, len(met))], simple.Replicas(i))
			require.Equal(
				t,
				modelTopology(nodes, end, factors),
				append([]int{}, topology.Replicas(i)...),
				"seed %d",
				seed,
			)
		}
	}
}

func TestPlaceEverywhere(t *testing.T) {
	nodes := []Node{
		node("0", "a", "1", 30),
		node("spare", "a", "1"),
		node("2", "b", "1", 10, 40),
		node("3", "a", "1", 20),
	}
	p := mustRing(t, Murmur3, nodes...).Place(Strategy{kind: kindEverywhere})
	for i, want := range [][]int{{2, 3, 0}, {3, 0, 2}, {0, 2, 3}, {2, 3, 0}, {2, 3, 0}} {
		require.Equal(t, want, p.Replicas(i), i)
	}
	require.Len(t, p.sets, 3)
}

func TestLocalTo(t *testing.T) {
	nodes := []Node{
		node("0", "a", "1", 10),
		node("1", "b", "1", 20),
		node("2", "b", "1", 30),
		node("3", "a", "1", 40),
	}
	p := mustRing(t, Murmur3, nodes...).Place(Strategy{kind: kindSimple, factor: 2})
	replicas := func(p *Placement) (lists [][]int) {
		for i := range p.Len() {
			lists = append(lists, p.Replicas(i))
		}
		return lists
	}
	require.Equal(t, [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1}}, replicas(p))
	require.Equal(t, [][]int{{0}, {1, 2}, {3}, {3, 0}, {0}}, replicas(p.LocalTo("a")))
	require.Equal(t, [][]int{{1}, {1, 2}, {2}, {3, 0}, {1}}, replicas(p.LocalTo("b")))
	require.Equal(t, replicas(p), replicas(p.LocalTo("c")))
	require.Equal(t, p.Range(2), p.LocalTo("a").Range(2))
	require.Equal(t, [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1}}, replicas(p), "unchanged")
}

func TestEqualReplicaListsAreKeptOnce(t *testing.T) {
	nodes := randomNodes(Murmur3, rand.New(rand.NewPCG(9, 9)), 3, 100, 1, 1)
	p := mustRing(t, Murmur3, nodes...).Place(Strategy{kind: kindSimple, factor: 3})
	require.Len(t, p.sets, 6)
	require.Len(t, p.LocalTo("dc0").sets, 6)
}
