package cql

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// latencies collects how long acknowledged requests took. It is safe for
// concurrent use.
type latencies struct {
	mu   sync.Mutex
	hist *hdrhistogram.Histogram
}

// Latencies are kept from a microsecond to ten minutes, to two digits.
func newLatencies() *latencies {
	return &latencies{hist: hdrhistogram.New(1, (10 * time.Minute).Microseconds(), 2)}
}

func (l *latencies) record(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// What is out of range counts as the longest.
	_ = l.hist.RecordValue(min(max(d.Microseconds(), 1), l.hist.HighestTrackableValue()))
}

// at is the latency that so many percent of the requests kept below.
func (l *latencies) at(percent float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.hist.ValueAtPercentile(percent)) * time.Microsecond
}
