package operation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// A node that joins after the driver listed the nodes is waited for, and rows are planned for it as
// well.
func TestNodeThatTheDriverDoesNotKnowYet(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	spec := s.load(t, "")
	cfg, err := spec.Config(s.env)
	require.NoError(t, err)
	planning := spec.Planning()
	options, err := planning.Options(orders)
	require.NoError(t, err)
	session, err := table.Open(t.Context(), cfg, orders, options, false)
	require.NoError(t, err)
	t.Cleanup(session.Close)
	require.Len(t, session.Cluster.Nodes, 3)
	added, err := s.cluster.Join("", "")
	require.NoError(t, err)
	require.NoError(t, session.AwaitKnown(t.Context(), "via stream", time.Minute))
	require.Len(t, session.Cluster.Nodes, 4)
	planned := false
	for i := range session.Plan.Placement().Len() {
		for _, n := range session.Plan.Placement().Replicas(i) {
			planned = planned || session.Cluster.Nodes[n].ID == s.cluster.HostID(added)
		}
	}
	require.True(t, planned)
}

// Nodes that the driver does not know are no error of usage. Neither are nodes that do not report
// their storage port while others do.
func TestTransientStatesOfTheRing(t *testing.T) {
	known := &table.Table{Cluster: &topology.Cluster{Nodes: []topology.Node{{ID: "a"}, {ID: "b"}}}}
	place := driver.Place{}
	for name, tc := range map[string]struct {
		places map[string]driver.Place
		fail   string
	}{
		"the same":  {places: map[string]driver.Place{"a": place, "b": place}},
		"joined":    {places: map[string]driver.Place{"a": place, "b": place, "c": place}, fail: "has 3 nodes, and 2 are known here, 0 of them in no table of the cluster"},
		"left":      {places: map[string]driver.Place{"a": place}, fail: "has 1 node, and 2 are known here, 1 of them in no table of the cluster"},
		"exchanged": {places: map[string]driver.Place{"a": place, "c": place}, fail: "has 2 nodes, and 2 are known here, 1 of them in no table of the cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			err := known.RefuseUnknown("via stream", tc.places)
			if tc.fail == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.fail)
			require.Equal(t, fault.Transient, fault.ClassOf(err))
		})
	}
	nodes, all := known.Cluster.Nodes, map[string]bool{"a": true, "b": true}
	one := map[string]string{"a": "127.0.0.1:7000"}
	require.Equal(
		t,
		fault.Transient,
		fault.ClassOf(table.RefuseUntold(nodes, one, all, "storage-port")),
	)
	require.Equal(
		t,
		fault.Permanent,
		fault.ClassOf(table.RefuseUntold(nodes, nil, all, "storage-port")),
		"the user has to name it",
	)
	require.NoError(
		t,
		table.RefuseUntold(nodes, one, map[string]bool{"a": true, "b": false}, "storage-port"),
	)
}
