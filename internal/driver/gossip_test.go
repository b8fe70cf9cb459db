package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/simcluster"
)

// If no node that answers has the table of gossip, nodes that do not answer do not hide that: the caller asks by other means.
func TestGossipBesideADeadNode(t *testing.T) {
	for _, tc := range []struct {
		release string
		heard   int
	}{{"4.0.19", 0}, {"5.0.6", 3}} {
		t.Run(tc.release, func(t *testing.T) {
			c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Release: tc.release})
			require.NoError(t, err)
			t.Cleanup(c.Close)
			s, err := Connect(t.Context(), Config{Hosts: c.Hosts(), Port: c.Port(), Logf: t.Logf, Timeout: time.Hour, AskTimeout: answering})
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
