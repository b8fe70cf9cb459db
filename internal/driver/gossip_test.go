package driver

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// If no node that answers has the gossip table, the error says so even if other nodes do not
// answer: the caller uses other means.
func TestGossipBesideADeadNode(t *testing.T) {
	for _, tc := range []struct {
		release string
		heard   int
	}{{"4.0.19", 0}, {"5.0.6", 3}} {
		t.Run(tc.release, func(t *testing.T) {
			c, err := simcluster.Start(
				simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Release: tc.release},
			)
			require.NoError(t, err)
			t.Cleanup(c.Close)
			s, err := Connect(
				t.Context(),
				Config{
					Hosts:      c.Hosts(),
					Port:       c.Port(),
					Logf:       t.Logf,
					Timeout:    time.Hour,
					AskTimeout: answering,
				},
			)
			require.NoError(t, err)
			t.Cleanup(s.Close)
			c.Stop(1)
			heard, err := s.Gossip(t.Context())
			require.Len(t, heard, tc.heard)
			if tc.heard == 0 {
				require.ErrorIs(t, err, ErrNotFound)
				return
			}
			require.NoError(t, err)
		})
	}
}

// If only the node that leaves knows of a change of the ring, it is learned from that node.
func TestGossipThatOneNodeHasHeard(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{
			Base:    simcluster.Anywhere,
			Nodes:   6,
			Rows:    1,
			Release: "5.0.6",
			Storage: func(int, *internodetest.Node) {},
		},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := Connect(t.Context(), Config{Hosts: c.Hosts(), Port: c.Port(), Logf: t.Logf})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	last := s.ranked(6)[5].HostID() // this node is not asked what any node knows
	_, err = c.BeginLeave(
		slices.IndexFunc([]int{0, 1, 2, 3, 4, 5}, func(i int) bool { return c.HostID(i) == last }),
	)
	require.NoError(t, err)
	heard, err := s.Gossip(t.Context())
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(heard, func(e topology.Endpoint) bool {
		return e.ID == last && e.Word() == "LEAVING"
	}), heard)
}
