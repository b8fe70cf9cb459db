package operation

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// keepTarget starts to measure the latency of small reads on the nodes. It waits until the latency
// is known that they have without the run. It measures until the caller calls the returned
// function, which it must. The controller's gates hold the run to the target. Without a target the
// controller is nil.
func keepTarget(
	ctx context.Context,
	t *table.Table,
	env spec.Environment,
	target time.Duration,
	c *progress.Counters,
) (*pace.LatencyController, func()) {
	if target == 0 {
		return nil, func() {}
	}
	controller := pace.NewLatencyController(target)
	c.Latency.Set(target)
	nodes := t.Cluster.Local()
	stop := controller.Watch(ctx, pace.LatencyProbe{
		Nodes: len(nodes),
		Read: func(ctx context.Context, node int) (time.Duration, error) {
			return t.Session.Ping(ctx, nodes[node].ID)
		},
		Record: func(r pace.LatencyRecord) { c.Latency.Record(progress.LatencyRecord(r)) },
	})
	if idle := controller.Record().Idle; idle > target {
		env.Warn(
			"--target-p99 %s: before this run began, small reads on the nodes already took %s (p99). "+
				"The run slows down, and the target is likely missed all the same; give a higher one",
			human.Latency(target),
			human.Latency(idle),
		)
	}
	return controller, stop
}
