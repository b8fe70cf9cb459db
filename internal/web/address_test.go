package web

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// A port that all nodes have is noise.
func TestNamesOfNodes(t *testing.T) {
	of := func(addresses ...string) (names []string) {
		var s board.State
		for _, a := range addresses {
			s.Nodes = append(s.Nodes, board.NodeState{Member: board.Member{Address: a}})
		}
		name := namesOf(s)
		for _, a := range addresses {
			names = append(names, name(a))
		}
		return names
	}
	require.Equal(t, []string{"10.0.0.1", "::1", ""}, of("10.0.0.1:9042", "[::1]:9042", ""))
	require.Equal(
		t,
		[]string{"10.0.0.1:9042", "10.0.0.1:9043"},
		of("10.0.0.1:9042", "10.0.0.1:9043"),
	)
	require.Equal(t, []string{"snapshots/node1"}, of("snapshots/node1"))
}

func TestOrderOfNodes(t *testing.T) {
	names := []string{"node10", "10.0.0.10", "node9", "10.0.0.9", "10.0.0.100"}
	slices.SortFunc(names, compareNames)
	require.Equal(t, []string{"10.0.0.9", "10.0.0.10", "10.0.0.100", "node9", "node10"}, names)
}
