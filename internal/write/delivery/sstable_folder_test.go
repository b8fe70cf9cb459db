package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// The folder of a node is called by its address without the port, and by its id where others have
// that address.
func TestFoldersOfNodesAreTheirOwn(t *testing.T) {
	l := &Delivery{
		Setup: &Setup{},
		Table: &table.Table{Cluster: &topology.Cluster{Nodes: []topology.Node{
			{ID: "a", Address: "10.0.0.1:9042"},
			{ID: "b", Address: "[2001:db8::1]:9042"},
			{
				ID:      "c",
				Address: "10.0.0.2:9042",
			},
			{ID: "d", Address: "10.0.0.2:9043"},
			{ID: "e", Address: "10.0.0.2:9044"},
		}}},
	}
	require.Equal(
		t,
		map[string]string{"a": "10.0.0.1", "b": "2001:db8::1", "c": "c", "d": "d", "e": "e"},
		l.nodeFolders(),
	)
}
