package cql

import (
	"context"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/target"
)

// lane is the way to one node: batches wait here for the writers of the node
// whose ranges they are in, so that a slow node holds up its own share alone, as
// long as there is memory to take in rows for the others: that alone bounds how many
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
func newLanes(router *target.Router, inFlight int) map[string]*lane {
	names := router.Primaries()
	each := (inFlight + len(names) - 1) / len(names)
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

// request sends one batch through the gate of the node that it goes to, and
// notes how long the answer took. begun is when it was sent, zero when the run ended
// before.
func (t *Target) request(ctx context.Context, w Writer, host string, rows []row.Row) (begun time.Time, err error) {
	l := t.lanes[host]
	if l != nil {
		if err := l.gate.Acquire(ctx); err != nil {
			return begun, fault.New(fault.Canceled, err)
		}
	}
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
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
		t.latency.record(latency)
	}
	return begun, err
}
