package progress

import (
	"sync"
	"time"
)

// LatencyTarget is a latency that a run keeps to by sending fewer requests: the 99th percentile of
// small reads on the nodes. The zero value is no target. It is safe for concurrent use.
type LatencyTarget struct {
	mu     sync.Mutex
	target time.Duration
	record LatencyRecord
}

// LatencyRecord is how well a target was kept, second by second.
type LatencyRecord struct {
	Idle    time.Duration // p99 before the first request; 0: not known
	P99     time.Duration // of the last complete second; 0: there was none
	Seconds int           // seconds with requests
	Above   int           // those in which the p99 was above the target
	Worst   time.Duration // p99 of the worst of them
	WorstAt time.Time     // when that second began
}

// Set sets the target.
func (h *LatencyTarget) Set(target time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target = target
}

// Record sets the record so far.
func (h *LatencyTarget) Record(kept LatencyRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record = kept
}

// Now returns the target, 0 if there is none, and the record so far.
func (h *LatencyTarget) Now() (target time.Duration, kept LatencyRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.target, h.record
}
