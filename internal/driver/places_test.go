package driver

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// Places are current: another node on the ring, or other tokens, show.
func TestPlacesOfTheMoment(t *testing.T) {
	c, s := simulate(t, simcluster.Options{Nodes: 3, Tokens: 4, Factor: 2, Seed: 5})
	before, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Len(t, before, 3)
	later, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, later)
	require.NoError(t, c.Move(1))
	after, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Len(t, after, 3)
	require.False(t, maps.Equal(before, after))
}

// If another node can be asked, a node that hangs is waited for only shortly.
func TestPlacesBesideANodeThatHangs(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := Connect(
		t.Context(),
		Config{
			Hosts:      c.Hosts()[:1],
			Port:       c.Port(),
			Logf:       t.Logf,
			Timeout:    time.Hour,
			AskTimeout: answering,
		},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	silence := c.Inject(simcluster.Rule{
		Match: func(r simcluster.Request) bool {
			return strings.Contains(r.Statement, "rack, tokens FROM system.local")
		}, Fault: simcluster.Silence, Times: 1,
	})
	places, err := s.Places(t.Context())
	require.NoError(t, err)
	require.Len(t, places, 3)
	require.Equal(t, 1, silence.Hits())
}
