package driver

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/simcluster"
)

// The places of the nodes are those of the moment: another node on the ring, or other tokens, show.
func TestPlacesOfTheMoment(t *testing.T) {
	c, s := simulate(t, simcluster.Options{Nodes: 3, Tokens: 4, Factor: 2, Seed: 5})
	before, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Len(t, before, 3)
	again, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, again)
	require.NoError(t, c.Move(1))
	after, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Len(t, after, 3)
	require.False(t, maps.Equal(before, after))
}
