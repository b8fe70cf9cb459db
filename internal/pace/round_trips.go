package pace

import (
	"sync"
	"time"
)

// FarTrip is the round-trip time from which a node is far away. Requests in flight to a nearer one
// are at the node for most of their time.
const FarTrip = 2 * time.Millisecond

// Trips records the round-trip time to each node: the shortest time of a small request before the
// run, or of any request since. It never rises, since a longer answer may have waited for others.
// It is safe for concurrent use. A nil Trips knows no node.
type Trips struct {
	mu    sync.RWMutex
	least map[string]time.Duration // by node
}

// NewTrips makes Trips of the given times, by node.
func NewTrips(least map[string]time.Duration) *Trips { return &Trips{least: least} }

// Saw records how long an answer took, and returns the round-trip time to the node; 0: the node is
// near, or was not measured before the run.
func (t *Trips) Saw(node string, took time.Duration) time.Duration {
	trip := t.Of(node)
	if trip == 0 || took <= 0 || took >= trip {
		return trip
	}
	t.mu.Lock()
	t.least[node] = min(t.least[node], took)
	t.mu.Unlock()
	return t.Of(node)
}

// Of returns the round-trip time to a node; 0: the node is near, or was not measured.
func (t *Trips) Of(node string) time.Duration {
	if t == nil {
		return 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if trip := t.least[node]; trip >= FarTrip {
		return trip
	}
	return 0
}

// Longest returns the longest round-trip time to a node; 0: all are near.
func (t *Trips) Longest() time.Duration {
	if t == nil {
		return 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	var longest time.Duration
	for _, trip := range t.least {
		longest = max(longest, trip)
	}
	if longest < FarTrip {
		return 0
	}
	return longest
}
