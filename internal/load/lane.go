package load

import (
	"context"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// lane is the way to one node: batches wait here for the writers of the node
// whose ranges they are in, so that a slow node holds up its own share alone, as
// long as there are chunks to parse for the others.
type lane struct {
	batches chan *batch
	gate    *pace.Gate
	writers int // goroutines that take batches off this lane
}

// newLanes makes a lane for each node that a row may be sent to first. They share
// the requests that may be under way.
func newLanes(j *Job) map[string]*lane {
	names := j.Router.first()
	each := (j.InFlight + len(names) - 1) / len(names)
	lanes := make(map[string]*lane, len(names))
	for _, name := range names {
		lanes[name] = &lane{
			batches: make(chan *batch, each),
			gate:    pace.NewGate(pace.GateOptions{Ceiling: each, Start: each, Tolerance: writeTolerance}),
			writers: each,
		}
	}
	return lanes
}

// writeTolerance is how many times its unloaded latency a write may take before
// fewer are sent at once. A node takes in writes in groups, and a good part of
// their latency is waiting for the group: more under way cost it less each.
const writeTolerance = 8

// lane is the one that a set's batches go by.
func (r *run) lane(s *Set) *lane { return r.lanes[s.primary()] }

// request sends one batch through the gate of the node that it goes to, and
// notes how long the answer took. begun is when it was sent, zero when the run ended
// before.
func (r *run) request(ctx context.Context, w Writer, host string, rows []row.Row) (begun time.Time, err error) {
	l := r.lanes[host]
	if l != nil {
		if err := l.gate.Acquire(ctx); err != nil {
			return begun, fault.New(fault.Canceled, err)
		}
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		if l != nil {
			l.gate.Release(0, 0, pace.Bad)
		}
		return begun, fault.New(fault.Canceled, ctx.Err())
	}
	begun = time.Now()
	if l == nil {
		return begun, w.Write(ctx, host, rows)
	}
	err = w.Write(ctx, host, rows)
	latency := time.Since(begun)
	l.gate.Release(latency, float64(len(rows)), pace.OutcomeOf(err))
	if err == nil || fault.ClassOf(err) == fault.NotApplied {
		r.latency.record(latency)
	}
	return begun, err
}

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
