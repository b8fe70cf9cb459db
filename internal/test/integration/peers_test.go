//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows that remain in a node's tables of peers do not make cqlbulk refuse the cluster: one with the
// tokens of a member, and one with next to nothing. They are named once and left out.
func TestNodesStalePeers(t *testing.T) {
	servers(t)
	table(t, "it3.peers", "(k int PRIMARY KEY)")
	for k := range 10 {
		exec(t, fmt.Sprintf("INSERT INTO it3.peers (k) VALUES (%d)", k))
	}
	first, _, _ := strings.Cut(testHosts(), ",")
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	var tokens []string
	for _, n := range cluster.Nodes {
		if !strings.HasPrefix(n.Address, first+":") {
			for _, at := range n.Tokens {
				tokens = append(tokens, "'"+string(token.Murmur3.Append(nil, at))+"'")
			}
			break
		}
	}
	require.NotEmpty(t, tokens)
	defer func() { // and not at the cleaning up, when cqlsh's context has ended
		require.NotContains(t, cqlsh(t, `
			DELETE FROM system.peers_v2 WHERE peer = '127.0.10.98';
			DELETE FROM system.peers_v2 WHERE peer = '127.0.10.99';`), "rror")
	}()
	const replaced = "deadbeef-0000-4000-8000-000000000001"
	require.NotContains(t, cqlsh(t, `
		INSERT INTO system.peers_v2 (peer, peer_port, data_center, rack, host_id, native_address,
			native_port, release_version, tokens) VALUES ('127.0.10.98', 7000, 'dc1', 'r1', `+replaced+`, '127.0.10.98', 9042, '5.0.6', {`+strings.Join(tokens, ", ")+`});
		INSERT INTO system.peers_v2 (peer, peer_port, data_center) VALUES ('127.0.10.99', 7000, 'dc1');`), "rror")
	r := cqlbulkOn(t, first, "count", "it3.peers")
	require.Zero(t, r.code, r.report)
	require.Equal(t, "10\n", r.out)
	require.Contains(
		t,
		r.report,
		"node "+replaced+" at 127.0.10.98 (it does not answer, and only 1 of 3 nodes know it)",
	)
	require.Contains(t, r.report, "127.0.10.99 (its row has no host_id)")
	require.Equal(t, 1, strings.Count(r.report, "not members of the cluster"), r.report)
}
