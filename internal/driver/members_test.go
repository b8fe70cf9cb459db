package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const strangerID = "deadbeef-0000-4000-8000-000000000001"

// stranger returns a complete row of a node that is not in the cluster, with tokens of its own.
func stranger() simcluster.Peer {
	return simcluster.Peer{
		Address: "127.63.0.9",
		HostID:  strangerID,
		DC:      "dc1",
		Rack:    "r9",
		Client:  "127.63.0.9",
		Tokens:  []token.Token{{Lo: 12345}},
	}
}

// misinformed connects to a cluster in which node 0 has extra rows of peers. It returns the
// topology and the warnings.
func misinformed(
	t *testing.T,
	shards int,
	misinform func(*simcluster.Cluster),
) (*simcluster.Cluster, *topology.Cluster, string) {
	t.Helper()
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Shards: shards, Cores: 4},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	misinform(c)
	var warnings []string
	s, err := Connect(t.Context(), Config{
		Hosts: c.Hosts()[:1],
		Port:  c.Port(),
		Logf:  t.Logf,
		Warnf: func(format string, args ...any) {
			warnings = append(warnings, fmt.Sprintf(format, args...))
		},
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, len(warnings), 1, "%q", warnings)
	return c, nodes, strings.Join(warnings, "")
}

// wantMembers checks that the cluster has its three nodes, all up, and a complete ring.
func wantMembers(t *testing.T, c *simcluster.Cluster, nodes *topology.Cluster) {
	t.Helper()
	var ids []string
	for _, n := range nodes.Nodes {
		ids = append(ids, n.ID)
		require.True(t, n.Up, n.Address)
		require.NotEmpty(t, n.Tokens, n.Address)
	}
	require.ElementsMatch(t, []string{c.HostID(0), c.HostID(1), c.HostID(2)}, ids)
	ring, err := nodes.Ring()
	require.NoError(t, err)
	require.Len(t, ring.Nodes(), 3)
}

// A row of system.peers of a node that no longer exists is left out, with one warning that names
// it. That holds for Cassandra (peers_v2) and ScyllaDB (peers).
func TestStalePeerIsLeftOut(t *testing.T) {
	for _, tc := range []struct {
		name string
		row  func(c *simcluster.Cluster, p *simcluster.Peer)
		want []string
	}{
		{"removed", func(*simcluster.Cluster, *simcluster.Peer) {}, []string{strangerID, "127.63.0.9", "1 of 3 nodes"}},
		{"replaced by a node with its tokens", func(c *simcluster.Cluster, p *simcluster.Peer) { p.Tokens = c.Tokens(1) }, []string{strangerID}},
		{"no tokens", func(_ *simcluster.Cluster, p *simcluster.Peer) { p.Tokens = nil }, []string{"127.63.0.9", "no tokens"}},
		{"no host id", func(_ *simcluster.Cluster, p *simcluster.Peer) { p.HostID = "" }, []string{"127.63.0.9", "no host_id"}},
		{"no data center", func(_ *simcluster.Cluster, p *simcluster.Peer) { p.DC = "" }, []string{"127.63.0.9", "no data_center"}},
		{"no address for clients", func(_ *simcluster.Cluster, p *simcluster.Peer) { p.Client = "" }, []string{"127.63.0.9", "_address"}},
		{"nothing but the key", func(_ *simcluster.Cluster, p *simcluster.Peer) { *p = simcluster.Peer{Address: p.Address} }, []string{"127.63.0.9"}},
		{"no address at all", func(_ *simcluster.Cluster, p *simcluster.Peer) { p.Address, p.Client = "0.0.0.0", "0.0.0.0" }, []string{strangerID}},
		{"the address of another", func(c *simcluster.Cluster, p *simcluster.Peer) { p.Client, p.Tokens = c.Hosts()[2], c.Tokens(1) }, []string{strangerID}},
	} {
		for _, shards := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s, %d shards", tc.name, shards), func(t *testing.T) {
				c, nodes, warning := misinformed(t, shards, func(c *simcluster.Cluster) {
					p := stranger()
					tc.row(c, &p)
					c.Misinform(0, p)
				})
				wantMembers(t, c, nodes)
				for _, want := range tc.want {
					require.Contains(t, warning, want)
				}
			})
		}
	}
}

// If two rows have the same host id, the one whose node answers counts. Rows about the node itself
// count as it reports them.
func TestPeerWithTwoRows(t *testing.T) {
	for _, address := range []string{"127.0.0.0", "127.255.255.1"} {
		for which := range 3 {
			t.Run(fmt.Sprintf("%s of node %d", address, which), func(t *testing.T) {
				c, nodes, warning := misinformed(t, 0, func(c *simcluster.Cluster) {
					p := stranger()
					p.HostID, p.Tokens, p.Address, p.Client = c.HostID(
						which,
					), c.Tokens(
						which,
					), address, address
					c.Misinform(0, p)
				})
				wantMembers(t, c, nodes)
				require.Contains(t, warning, address)
			})
		}
	}
}

// A member that is down is kept, although it does not answer.
func TestMemberThatIsDownStays(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	c.Stop(1)
	s, err := Connect(
		t.Context(),
		Config{Hosts: c.Hosts()[:1], Port: c.Port(), Logf: t.Logf, Warnf: t.Errorf},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes.Nodes, 3)
}

// A member that is down and has two rows is kept, too.
func TestMemberThatIsDownHasTwoRows(t *testing.T) {
	c, nodes, warning := misinformed(t, 0, func(c *simcluster.Cluster) {
		p := stranger()
		p.HostID, p.Tokens = c.HostID(1), c.Tokens(1)
		c.Misinform(0, p)
		c.Stop(1)
	})
	require.Len(t, nodes.Nodes, 3)
	require.Contains(t, warning, c.HostID(1))
	_, err := nodes.Ring()
	require.NoError(t, err)
}

// If two nodes have the same tokens and neither answers, the cluster is refused.
func TestTokensOfTwoNodes(t *testing.T) {
	_, nodes, _ := misinformed(t, 0, func(c *simcluster.Cluster) {
		a, b := stranger(), stranger()
		b.Address, b.Client, b.HostID = "127.63.0.8", "127.63.0.8", "deadbeef-0000-4000-8000-000000000002"
		for node := range 3 {
			c.Misinform(node, a, b)
		}
	})
	_, err := nodes.Ring()
	require.ErrorContains(t, err, "belongs to two nodes")
}
