package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// One node that answers is enough. If none does, there is an error.
func TestPingAny(t *testing.T) {
	c, s := simulate(t, simcluster.Options{})
	ids := []string{c.HostID(0), c.HostID(1), c.HostID(2)}
	for node := range 3 {
		require.NoError(t, s.PingAny(t.Context(), ids))
		c.Stop(node)
		require.Eventually(
			t,
			func() bool { return s.connections(c.HostID(node)) == 0 },
			patience,
			time.Millisecond,
		)
	}
	require.ErrorContains(t, s.PingAny(t.Context(), ids), "there is no connection to it")
	require.NoError(t, c.Restart(2))
	require.Eventually(
		t,
		func() bool { return s.PingAny(t.Context(), ids) == nil },
		patience,
		time.Millisecond,
	)
}
