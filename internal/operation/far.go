package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// farWrites is the largest number of writes in flight to nodes that are far away. They are on the
// line or at the nodes.
const farWrites = 4096

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
	o.Trips = l.t.Trips(ctx, l.env)
	most := o.InFlight
	if l.spec.InFlight == 0 {
		o.Far = min(farWrites, int(l.spec.Memory)/farWrite)
		most = max(most, min(o.Far, pace.FarTimes*o.InFlight))
	}
	if o.Trips.Longest() == 0 {
		return func() {}
	}
	return l.counters.AdviseWhileBound(
		progress.MoreInFlight(most, "inflight", l.spec.InFlight > 0),
		l.env.Logf,
	)
}
