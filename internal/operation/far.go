package operation

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// What may be under way at most to nodes that are far away, on the line and at the nodes.
const (
	farWrites = 4096
	farReads  = 1024
)

// farTimes is how many times the requests that may be at the nodes may be under way at most.
const farTimes = 64

// mostReads returns how many reads may be under way at most, with so many pages in memory: more than
// the plan says if a node is far away and the number is not the user's.
func (t *tableSession) mostReads(trips *pace.Trips, pages int64) int {
	near := t.plan.Parallel
	if trips.Longest() == 0 || !t.plan.Chosen {
		return near
	}
	return max(near, min(farTimes*near, farReads, int(pages)))
}

// trips returns the round-trip times to the local nodes. What a node did not answer is not known.
func (t *tableSession) trips(ctx context.Context, env Environment) *pace.Trips {
	nodes := t.cluster.Local()
	took, errs := t.session.Trips(ctx, nodes)
	least := make(map[string]time.Duration)
	for i, n := range nodes {
		if errs[i] == nil {
			least[n.ID] = took[i]
		}
	}
	trips := pace.NewTrips(least)
	if longest := trips.Longest(); longest > 0 {
		env.log("the farthest node answers a small read after %s: requests on the line to it are not counted as requests at it", amount.Latency(longest))
	}
	return trips
}
