package progress

import (
	"sync"
	"time"
)

// LatencyTarget is a latency that a run keeps to by asking for less: the 99th percentile of small
// reads on the nodes. The zero value is of a run that keeps to none. It is safe for
// concurrent use.
type LatencyTarget struct {
	mu     sync.Mutex
	target time.Duration
	record LatencyRecord
}

// LatencyRecord is how a target was kept, second by second.
type LatencyRecord struct {
	Idle    time.Duration // p99 before the first request; 0: not known
	P99     time.Duration // of the last whole second; 0: there was none
	Seconds int           // with requests
	Above   int           // of those, in which the p99 was above the target
	Worst   time.Duration // p99 of the worst of those
	WorstAt time.Time     // when that began
}

// Set says what is kept to.
func (h *LatencyTarget) Set(target time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target = target
}

// Record says how it was kept so far.
func (h *LatencyTarget) Record(kept LatencyRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record = kept
}

// Now is what is kept to, 0 for nothing, and how it was kept.
func (h *LatencyTarget) Now() (target time.Duration, kept LatencyRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.target, h.record
}
