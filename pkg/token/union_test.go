package token_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// For each token, a union has the replicas of all placements once, those of the first placement
// first.
func TestUnion(t *testing.T) {
	place := func(members, factor int) *token.Placement {
		var nodes []token.Node
		for i := range 5 {
			n := token.Node{ID: fmt.Sprint(i), DC: "dc1", Rack: fmt.Sprint(i % 3)}
			for v := range 4 {
				if i < members {
					n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
				}
			}
			nodes = append(nodes, n)
		}
		ring, err := token.NewRing(token.Murmur3, nodes)
		require.NoError(t, err)
		s, err := token.ParseStrategy(
			map[string]string{"class": "NetworkTopologyStrategy", "dc1": fmt.Sprint(factor)},
		)
		require.NoError(t, err)
		return ring.Place(s)
	}
	three, five, wide := place(3, 2), place(5, 2), place(4, 3)
	union := token.Union(three, five, wide)
	require.Equal(t, three, token.Union(three))
	require.Equal(t, token.Murmur3.Min(), union.Range(0).Start)
	require.Equal(t, token.Murmur3.Max(), union.Range(union.Len()-1).End)
	require.Equal(t, union, union.LocalTo("dc1"))
	for i := range 2000 {
		at := token.Murmur3.Hash(fmt.Appendf(nil, "key %d", i))
		got := union.Replicas(union.Find(at))
		var want []int
		for _, p := range []*token.Placement{three, five, wide} {
			for _, n := range p.Replicas(p.Find(at)) {
				if !slices.Contains(want, n) {
					want = append(want, n)
				}
			}
		}
		require.Equal(t, want, got)
	}
}
