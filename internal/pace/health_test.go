package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHealthOrder(t *testing.T) {
	var h Health
	hosts := []string{"a", "b", "c"}
	require.Equal(t, hosts, h.Order(hosts))
	h.Failed("a")
	require.Equal(t, []string{"b", "c", "a"}, h.Order(hosts))
	h.Failed("b")
	require.Equal(t, []string{"c", "a", "b"}, h.Order(hosts))
	h.Failed("c")
	require.Equal(t, hosts, h.Order(hosts), "all rest: as it was")
	h.Answered("b")
	require.Equal(t, []string{"b", "a", "c"}, h.Order(hosts))
	h.Answered("c")
	for range RestTurns - 4 {
		require.Equal(t, []string{"b", "c", "a"}, h.Order(hosts))
	}
	require.Equal(t, hosts, h.Order(hosts), "the rest has an end")
	require.Equal(t, []string{"a", "b", "c"}, hosts, "the list is the caller's")
	require.Equal(t, []string{"a"}, h.Order([]string{"a"}))
	require.Empty(t, h.Order(nil))
}

func TestHealthRestsForATime(t *testing.T) {
	var h Health
	hosts := []string{"a", "b"}
	h.FailedFor("a", time.Hour)
	for range 3 * RestTurns {
		require.Equal(t, []string{"b", "a"}, h.Order(hosts))
	}
	h.FailedFor("a", -time.Hour)
	require.Equal(t, hosts, h.Order(hosts), "it is over")
	h.FailedFor("a", time.Hour)
	h.Answered("a")
	require.Equal(t, hosts, h.Order(hosts))
}
