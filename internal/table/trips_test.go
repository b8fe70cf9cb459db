package table

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Of a large rack a few nodes are asked how far away they are, and the others are as far as the
// nearest of these.
func TestTripsOfManyNodes(t *testing.T) {
	var nodes []topology.Node
	for i := range 100 {
		nodes = append(nodes, topology.Node{ID: fmt.Sprint(i), Rack: []string{"near", "far"}[i%2]})
	}
	nodes = append(nodes, topology.Node{ID: "alone", Rack: "alone"})
	asked := tripSample(nodes)
	require.Len(t, asked, 2*tripNodes+1)
	took, errs := make([]time.Duration, len(asked)), make([]error, len(asked))
	for i, n := range asked {
		took[i] = map[string]time.Duration{"near": time.Millisecond, "far": 50 * time.Millisecond}[n.Rack] + time.Duration(
			i,
		)*time.Millisecond
	}
	errs[0], errs[len(errs)-1] = errors.New("silent"), errors.New("silent")
	trips := tripsOf(nodes, asked, took, errs)
	require.Len(t, trips, 99, "not those that were silent")
	require.Equal(t, 3*time.Millisecond, trips["98"])
	require.Equal(t, 51*time.Millisecond, trips["99"])
	require.Equal(t, 53*time.Millisecond, trips["3"], "its own")
}
