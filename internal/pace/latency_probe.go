package pace

import (
	"context"
	"sync"
	"time"
)

const (
	// probeEvery is the time between small reads, which go to the nodes in turn. They are enough
	// for a p99 each second, and too few to be a load.
	probeEvery = 10 * time.Millisecond
	// probeTimeout is the time limit of a small read. A slower read counts as one of this time.
	probeTimeout = time.Second
	// mostProbes is how many small reads may be under way at once.
	mostProbes = int(probeTimeout / probeEvery)
	// idleTime is how long the nodes are probed before the first request of the run.
	idleTime = time.Second
)

// LatencyProbe measures the latency of small reads on nodes.
type LatencyProbe struct {
	Nodes int // their number, at least 1
	// Read sends a small read to the node of an index, and returns the time that it took. It is
	// called by several goroutines.
	Read func(ctx context.Context, node int) (time.Duration, error)
	// Record takes the record of the controller, at each read. One goroutine calls it.
	Record func(LatencyRecord)
}

// Watch starts to observe the reads of a probe, and waits for the idle latency. It observes them
// until ctx ends or the caller calls stop, which it must.
func (k *LatencyController) Watch(ctx context.Context, p LatencyProbe) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.probe(ctx, p)
	}()
	_ = Sleep(ctx, idleTime) // the run ends by itself where the context has
	k.Begin()
	return func() {
		cancel()
		<-done
	}
}

// probe sends small reads to the nodes at fixed times, however long earlier reads take. Otherwise
// only the few reads that a stalled node lets through would measure it.
func (k *LatencyController) probe(ctx context.Context, p LatencyProbe) {
	var reads sync.WaitGroup
	defer reads.Wait()
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	slots := make(chan struct{}, mostProbes)
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			p.Record(k.Record())
		}
		slots <- struct{}{}
		reads.Go(func() {
			defer func() { <-slots }()
			one, end := context.WithTimeout(ctx, probeTimeout)
			latency, err := p.Read(one, i%p.Nodes)
			end()
			// A read that fails at once says nothing of the time that reads take.
			if err == nil || latency >= time.Millisecond && ctx.Err() == nil {
				k.Observe(time.Now(), latency)
			}
		})
	}
}
