package operation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// What may be under way at most to nodes that are far away, on the line and at the nodes.
const (
	farWrites = 4096
	farReads  = 1024
)

// farSamples is the number of answers from far away after which there may be more requests.
const farSamples = 4

// pageTime is the time that a read of a page is expected to spend at a node, before there is an
// answer.
const pageTime = 30 * time.Millisecond

// farWrite is the memory of a write under way, besides its rows: the stacks of its goroutines, and
// what the driver keeps.
const farWrite = 64 << 10

// lookFar measures how far away the nodes are, and allows more requests in flight to nodes that are
// far. It does not if the user has set the number of requests, or a target latency. The caller must
// call stop when the load is over.
func (l *Load) lookFar(ctx context.Context) (stop func()) {
	o := &l.job.CQL
	if l.spec.Via != spec.ViaCQL || l.spec.DryRun || o.Keeper != nil {
		return func() {}
	}
	o.Trips = findTrips(ctx, l.t, l.env)
	most := o.InFlight
	if l.spec.InFlight == 0 {
		o.Far = min(farWrites, int(l.spec.Memory)/farWrite)
		most = max(most, min(o.Far, pace.FarTimes*o.InFlight))
	}
	if o.Trips.Longest() == 0 {
		return func() {}
	}
	return tellBound(l.env, l.counters, adviseMore(most, "inflight", l.spec.InFlight > 0))
}

// mostReads returns the limit of reads in flight, if the memory holds the given number of pages. It
// is above the plan's number if a node is far away and the user did not set the number.
func mostReads(t *table.Table, trips *pace.Trips, pages int64) int {
	near := t.Plan.Parallel
	if trips.Longest() == 0 || !t.Plan.Chosen {
		return near
	}
	return max(near, min(pace.FarTimes*near, farReads, int(pages)))
}

// adviseReads says what lets more reads be under way than a number.
func adviseReads(t *table.Table, most int) string {
	if t.Plan.Chosen && most < min(pace.FarTimes*t.Plan.Parallel, farReads) {
		return fmt.Sprintf(
			"most of the requests under way are on the line, and the nodes could take more: with a larger --memory there is room for more than %s",
			human.Of(most, "page"),
		)
	}
	return adviseMore(most, "parallel", !t.Plan.Chosen)
}

// tripNodes is how many nodes of a rack are asked how far away they are, at most.
const tripNodes = 8

// findTrips returns the round-trip times to the local nodes. What a node did not answer is not
// known.
func findTrips(ctx context.Context, t *table.Table, env spec.Environment) *pace.Trips {
	nodes := t.Cluster.Local()
	asked := tripSample(nodes)
	took, errs := t.Session.Trips(ctx, asked)
	trips := pace.NewTrips(tripsOf(nodes, asked, took, errs))
	if longest := trips.Longest(); longest > 0 {
		env.Logf(
			"the farthest node answers a small read after %s: requests on the line to it are not counted as requests at it",
			human.Latency(longest),
		)
	}
	return trips
}

// tripSample lists the nodes that are asked: a question to each of a thousand nodes costs more than
// a small table.
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

const (
	// boundEvery is the time between checks of the gates. After boundLooks checks in a row that
	// find the gates at their limit, the user is advised that the nodes could take more.
	boundEvery = time.Second
	boundLooks = 4
)

// tellBound logs advice, and shows it as a hint, when the number of requests limits a run whose
// nodes could take more. It does so until stop is called.
func tellBound(env spec.Environment, c *progress.Counters, advice string) (stop func()) {
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		ticker := time.NewTicker(boundEvery)
		defer ticker.Stop()
		told, looks := false, 0
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			if !c.Requests.Bound() {
				looks = 0
				c.Hint.Set("")
				continue
			}
			if looks++; looks < boundLooks {
				continue
			}
			c.Hint.Set(advice)
			if !told {
				env.Logf("%s", advice)
				told = true
			}
		}
	})
	return func() {
		close(over)
		looking.Wait()
	}
}

// adviseMore returns the advice for more requests in flight. Their number is limited by a flag if
// given is true, and otherwise by the default.
func adviseMore(requests int, flag string, given bool) string {
	if given {
		return fmt.Sprintf(
			"most of the requests under way are on the line, and the nodes could take more: without --%s, or with one above %s, the run is faster",
			flag,
			human.Count(requests),
		)
	}
	return fmt.Sprintf(
		"most of the requests under way are on the line, and the nodes could take more: the run is faster with --%s above %s",
		flag,
		human.Count(requests),
	)
}
