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
	// probeEvery is the time from one small read to the next, on the local nodes in turn: enough of
	// them for a p99 each second, too few to weigh.
	probeEvery = 10 * time.Millisecond
	// probeTimeout is how long a small read is waited for. One that takes longer counts as that.
	probeTimeout = time.Second
	// mostProbes is how many small reads may be under way at once.
	mostProbes = int(probeTimeout / probeEvery)
	// idleTime is how long the nodes are watched before the first request of the run.
	idleTime = time.Second
)

// keepTarget watches the latency of small reads on the nodes, first for idleTime, and then until
// the function that it returns is called, which must be called. The gates of the keeper hold it to
// the target. Without a target there is no keeper.
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

// probeNodes reads a row of their own on the nodes, each read at its time, however long those
// before take: else a node that stalls would be measured by the few reads that it lets through.
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
