package cql

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/target"
)

// lane is the way to one node: batches wait here for the writers of the node
// whose ranges they are in, so that a slow node holds up its own share alone. What waits
// keeps memory that the reading of the input waits for; so when a lane is behind, and
// others have nothing to do, it sets batches aside. It is safe for concurrent use.
type lane struct {
	gate    *pace.Gate
	writers int         // goroutines that take batches off this lane
	lost    atomic.Bool // the last batch was rejected since its replicas were given up

	mu      sync.Mutex
	changed sync.Cond
	waiting []*batch
	first   int    // of those in waiting that still do; those before it are nil
	parked  int    // writers that wait for a batch
	behind  bool   // batches are set aside
	aside   *aside // those that are
	closed  bool   // no more will come
}

// put adds a batch.
func (l *lane) put(b *batch) {
	if l.setAside(b) {
		b.free()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, b)
	l.changed.Signal()
}

// setAside puts a batch with those that are set aside, if it is to be there and there is
// room.
func (l *lane) setAside(b *batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.behind || !l.aside.put(b) {
		return false
	}
	l.changed.Signal()
	return true
}

// queued is how many batches wait in memory.
func (l *lane) queued() int { return len(l.waiting) - l.first }

// next waits for a batch; nil: the lane is closed and none is left. The error is the
// context's, when that ends, after wake was called, or says that what was set aside is lost.
func (l *lane) next(ctx context.Context) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.queued() == 0 && l.aside.empty() && !l.closed && ctx.Err() == nil {
		l.parked++
		l.changed.Wait()
		l.parked--
	}
	if l.queued() == 0 && l.aside.empty() && l.closed {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.queued() == 0 {
		b, err := l.aside.take()
		l.behind = l.behind && !l.aside.empty()
		return b, err
	}
	b := l.waiting[l.first]
	l.waiting[l.first] = nil
	l.first++
	if l.first > len(l.waiting)/2 {
		l.waiting, l.first = append(l.waiting[:0], l.waiting[l.first:]...), 0
	}
	return b, nil
}

// idle says whether the lane has nothing to do, and more would be written if it had. So it
// is not when its batches are only rejected.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked == l.writers && !l.lost.Load()
}

// fallBack has the lane set aside what waits, and what will come, if that is more than its
// writers take next. Until all of that is sent it keeps no memory but for what is under
// way.
func (l *lane) fallBack() {
	for _, b := range l.backlog() {
		l.put(b)
	}
}

// backlog takes away what waits, if it is so much, and notes that the lane is behind.
func (l *lane) backlog() []*batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued() <= l.writers {
		return nil
	}
	l.behind = true
	backlog := slices.Clone(l.waiting[l.first:])
	clear(l.waiting)
	l.waiting, l.first = l.waiting[:0], 0
	return backlog
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
func newLanes(router *target.Router, o Options, s *store) map[string]*lane {
	names := router.Primaries()
	each := (o.InFlight + len(names) - 1) / len(names)
	lanes := make(map[string]*lane, len(names))
	for _, name := range names {
		gate := o.Keeper.Gate(pace.GateOptions{Ceiling: each, Start: each, Tolerance: writeTolerance})
		l := &lane{aside: &aside{store: s}, gate: gate, writers: each}
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
	begun = t.o.Requests.Begin(host)
	err = w.Write(ctx, host, rows)
	latency := t.o.Requests.End(host, begun, progress.EndOf(ctx, err == nil || fault.ClassOf(err) == fault.NotApplied))
	if l != nil {
		l.gate.Release(latency, float64(len(rows)), pace.OutcomeOf(err))
	}
	return begun, err
}
