package operation

import (
	"context"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

const (
	// probeEvery is the time between small reads, which go to the local nodes in turn. They are
	// enough for a p99 each second, and too few to be a load.
	probeEvery = 10 * time.Millisecond
	// probeTimeout is the time limit of a small read. A slower read counts as one of this time.
	probeTimeout = time.Second
	// mostProbes is how many small reads may be under way at once.
	mostProbes = int(probeTimeout / probeEvery)
	// idleTime is how long the nodes are watched before the first request of the run.
	idleTime = time.Second
)

// keepTarget starts to measure the latency of small reads on the nodes, and waits for idleTime. It
// measures until the caller calls the returned function, which it must. The controller's gates hold
// the run to the target. Without a target the controller is nil.
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
	keeper := pace.NewLatencyController(target)
	c.Latency.Set(target)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		probeNodes(ctx, t, keeper, &c.Latency)
	}()
	_ = pace.Sleep(ctx, idleTime) // the run ends by itself where the context has
	keeper.Begin()
	if idle := keeper.Record().Idle; idle > target {
		env.Warn(
			"--target-p99 %s: before this run began, small reads on the nodes already took %s (p99): the run slows down, and the target is likely missed all the same; give a higher one",
			human.Latency(target),
			human.Latency(idle),
		)
	}
	return keeper, func() {
		cancel()
		<-done
	}
}

// probeNodes sends small reads to the nodes at fixed times, however long earlier reads take.
// Otherwise only the few reads that a stalled node lets through would measure it.
func probeNodes(ctx context.Context, t *table.Table, keeper *pace.LatencyController, held *progress.LatencyTarget) {
	var reads sync.WaitGroup
	defer reads.Wait()
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	nodes := t.Cluster.Local()
	slots := make(chan struct{}, mostProbes)
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			held.Record(progress.LatencyRecord(keeper.Record()))
		}
		node := nodes[i%len(nodes)].ID
		slots <- struct{}{}
		reads.Go(func() {
			defer func() { <-slots }()
			one, end := context.WithTimeout(ctx, probeTimeout)
			latency, err := t.Session.Ping(one, node)
			end()
			// A read that fails at once says nothing of the time that reads take.
			if err == nil || latency >= time.Millisecond && ctx.Err() == nil {
				keeper.Observe(time.Now(), latency)
			}
		})
	}
}
