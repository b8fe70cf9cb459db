package table

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// tripNodes is the largest number of nodes of a rack whose round-trip time is measured.
const tripNodes = 8

// Trips measures the round-trip times to the local nodes. The time of a node that does not answer
// is not known. It logs the longest time, if a node is far away.
func (t *Table) Trips(ctx context.Context, env spec.Environment) *pace.Trips {
	nodes := t.Cluster.Local()
	asked := tripSample(nodes)
	took, errs := t.Session.Trips(ctx, asked)
	trips := pace.NewTrips(tripsOf(nodes, asked, took, errs))
	if longest := trips.Longest(); longest > 0 {
		env.Logf(
			"the farthest node answers a small read after %s: "+
				"requests on the line to it are not counted as requests at it",
			human.Latency(longest),
		)
	}
	return trips
}

// tripSample lists the nodes whose round-trip time is measured. Asking each of a thousand nodes
// would take longer than reading a small table.
func tripSample(nodes []topology.Node) (asked []topology.Node) {
	of := make(map[string]int)
	for _, n := range nodes {
		if of[n.Rack]++; of[n.Rack] <= tripNodes {
			asked = append(asked, n)
		}
	}
	return asked
}

// tripsOf returns the round-trip times by node. A node that was not asked gets the time of the
// nearest node of its rack. Its own answers can later show that it is nearer, but not that it is
// farther.
func tripsOf(
	nodes, asked []topology.Node,
	took []time.Duration,
	errs []error,
) map[string]time.Duration {
	trips := make(map[string]time.Duration)
	nearest := make(map[string]time.Duration)
	was := make(map[string]bool)
	for i, n := range asked {
		was[n.ID] = true
		if errs[i] != nil {
			continue
		}
		trips[n.ID] = took[i]
		if least, ok := nearest[n.Rack]; !ok || took[i] < least {
			nearest[n.Rack] = took[i]
		}
	}
	for _, n := range nodes {
		if trip, ok := nearest[n.Rack]; ok && !was[n.ID] {
			trips[n.ID] = trip
		}
	}
	return trips
}
