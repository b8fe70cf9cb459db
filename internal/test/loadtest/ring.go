package loadtest

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Ring returns a router for a cluster of some nodes, with two replicas of each token range.
func Ring(t testing.TB, nodes, vnodes int) *write.Router { return RingOf(t, nodes, vnodes, 2) }

// RingOf is like Ring, with any number of replicas.
func RingOf(t testing.TB, nodes, vnodes, replicas int) *write.Router {
	t.Helper()
	var list []token.Node
	for i := range nodes {
		n := token.Node{ID: fmt.Sprintf("node%d", i), DC: "dc1", Rack: "r1"}
		for v := range vnodes {
			n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
		}
		list = append(list, n)
	}
	r, err := token.NewRing(token.Murmur3, list)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": strconv.Itoa(replicas)},
	)
	require.NoError(t, err)
	placement := r.Place(strategy)
	return write.NewRouter(token.Murmur3, placement, func(v int) []string {
		var ids []string
		for _, n := range placement.Replicas(v) {
			ids = append(ids, r.Nodes()[n].ID)
		}
		return ids
	})
}
