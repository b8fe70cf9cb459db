package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestPlaceAt(t *testing.T) {
	c := &Cluster{
		Partitioner: "Murmur3Partitioner",
		LocalDC:     "dc1",
		Nodes:       []Node{{ID: "a", DC: "dc1"}, {ID: "b", DC: "dc2"}, {ID: "c", DC: "dc1"}},
	}
	middle, err := token.Murmur3.Parse("0")
	require.NoError(t, err)
	p, err := c.PlaceAt(
		[]token.Token{middle, token.Murmur3.Max()},
		[][]string{{"c", "b", "a", "gone"}, {"b"}},
	)
	require.NoError(t, err)
	require.Equal(t, 2, p.Len())
	require.Equal(t, []int{2, 0}, p.Replicas(0))
	require.Equal(t, []int{1}, p.Replicas(1), "better a far node than none")
	require.Equal(t, token.Range{Start: token.Murmur3.Min(), End: middle}, p.Range(0))
}
