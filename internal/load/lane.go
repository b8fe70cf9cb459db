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
// long as there are chunks to parse for the others: their number alone bounds how many
// batches wait. It is safe for concurrent use.
type lane struct {
	gate    *pace.Gate
	writers int // goroutines that take batches off this lane

	mu      sync.Mutex
	changed sync.Cond
	waiting []*batch
	first   int  // of those in waiting that still do; those before it are nil
	closed  bool // no more will come
}

// put adds a batch.
func (l *lane) put(b *batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, b)
	l.changed.Signal()
}

// next waits for a batch; nil: the lane is closed and none is left. The error is the
// context's: when that ends, wake has to be called.
func (l *lane) next(ctx context.Context) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed && ctx.Err() == nil {
		l.changed.Wait()
	}
	if len(l.waiting) == 0 && l.closed {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := l.waiting[l.first]
	l.waiting[l.first] = nil
	if l.first++; l.first == len(l.waiting) {
		l.waiting, l.first = l.waiting[:0], 0
	}
	return b, nil
}

// close says that no more batches will come.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
}

// wake has those who wait look whether the context has ended.
func (l *lane) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

// newLanes makes a lane for each node that a row may be sent to first. They share
// the requests that may be under way.
func newLanes(j *Job) map[string]*lane {
	names := j.Router.first()
	each := (j.InFlight + len(names) - 1) / len(names)
	lanes := make(map[string]*lane, len(names))
	for _, name := range names {
		l := &lane{gate: pace.NewGate(pace.GateOptions{Ceiling: each, Start: each, Tolerance: writeTolerance}), writers: each}
		l.changed.L = &l.mu
		lanes[name] = l
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
