package driver

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// All checks of a doctor send each node of a large cluster at most three requests, and still find
// the nodes that differ. A second check reads again what may have changed.
func TestFewQuestionsToManyNodes(t *testing.T) {
	const nodes = manyNodes + 6
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Nodes: nodes, Tokens: 1, Rows: 1, Cores: 3},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	c.SetClock(5, time.Hour)
	c.Disagree(7, true)
	s, err := Connect(
		t.Context(),
		Config{Hosts: c.Hosts()[:1], Port: c.Port(), Logf: t.Logf, Warnf: t.Errorf, Connections: 1},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	cluster, err := s.Topology(t.Context())
	require.NoError(t, err)
	_, errs := s.PingAll(t.Context(), cluster.Nodes)
	clocks, _ := s.Clocks(t.Context(), cluster.Nodes)
	versions, _ := s.SchemaVersions(t.Context(), cluster.Nodes)
	_, err = s.Topology(t.Context())
	require.NoError(t, err)
	ahead := 0
	other := make(map[string]int)
	for i, n := range cluster.Nodes {
		require.NoError(t, errs[i])
		require.Equal(t, 3, n.Cores)
		if clocks[i].Ahead > 30*time.Minute {
			ahead++
			require.Equal(t, c.HostID(5), n.ID)
		}
		other[versions[i]]++
	}
	require.Equal(t, 1, ahead)
	require.Len(t, other, 2)
	asked := make(map[int]int)
	for _, r := range c.Requests() {
		if !r.Prepare &&
			(strings.Contains(r.Statement, "thread_pools") || strings.Contains(r.Statement, "FROM system.local")) {
			asked[r.Node]++
		}
	}
	more := 0
	for _, n := range asked {
		if n > 3 {
			more++
		}
	}
	require.Len(t, asked, nodes)
	require.LessOrEqual(t, more, asksOfAny, "but those that are asked what any node knows")

	c.Disagree(7, false)
	versions, _ = s.SchemaVersions(t.Context(), cluster.Nodes)
	for _, v := range versions {
		require.Equal(t, versions[0], v)
	}
}
