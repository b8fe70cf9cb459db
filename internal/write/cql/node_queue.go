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
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// nodeQueue is the way to one node: batches wait here for the writers of the node
// whose ranges they are in, so that a slow node holds up its own share alone. What waits
// keeps memory that the reading of the input waits for; so when a nodeQueue is behind, and
// others have nothing to do, it sets batches aside. It is safe for concurrent use.
type nodeQueue struct {
	gate  *pace.Gate
	far   bool // the node is far away
	first int  // writers to begin with: goroutines that take batches off this lane
	// writers at most: a node far away gets more once its gate lets more requests pass
	most      int
	rejecting atomic.Bool // the last batch was rejected since its replicas were given up

	mu      sync.Mutex
	changed sync.Cond
	waiting []*batch
	taken   int        // batches in waiting that were taken; they are nil
	writers int        // so far
	parked  int        // of those, the ones that wait for a batch
	behind  bool       // batches are set aside
	spilled *spillFile // those that are
	closed  bool       // no more will come
}

// put adds a batch.
func (l *nodeQueue) put(b *batch) {
	if l.spill(b) {
		b.free()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, b)
	l.changed.Signal()
}

// spill puts a batch with those that are set aside, if it is to be there and there is
// room.
func (l *nodeQueue) spill(b *batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.behind || !l.spilled.put(b) {
		return false
	}
	l.changed.Signal()
	return true
}

// queued is how many batches wait in memory.
func (l *nodeQueue) queued() int { return len(l.waiting) - l.taken }

// next waits for a batch; nil: the lane is closed and none is left. The error is the
// context's, when that ends, after wake was called, or says that what was set aside is lost.
func (l *nodeQueue) next(ctx context.Context) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.queued() == 0 && l.spilled.empty() && !l.closed && ctx.Err() == nil {
		l.parked++
		l.changed.Wait()
		l.parked--
	}
	if l.queued() == 0 && l.spilled.empty() && l.closed {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.queued() == 0 {
		b, err := l.spilled.take()
		l.behind = l.behind && !l.spilled.empty()
		return b, err
	}
	b := l.waiting[l.taken]
	l.waiting[l.taken] = nil
	l.taken++
	if l.taken > len(l.waiting)/2 {
		l.waiting, l.taken = append(l.waiting[:0], l.waiting[l.taken:]...), 0
	}
	return b, nil
}

// idle says whether the lane has nothing to do, and more would be written if it had. So it
// is not when its batches are only rejected.
func (l *nodeQueue) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked == l.writers && !l.rejecting.Load()
}

// spillBacklog has the lane set aside what waits, and what will come, if that is more than its
// writers take next. Until all of that is sent it keeps no memory but for what is under
// way.
func (l *nodeQueue) spillBacklog() {
	for _, b := range l.takeBacklog() {
		l.put(b)
	}
}

// takeBacklog takes away what waits, if it is so much, and notes that the lane is behind.
func (l *nodeQueue) takeBacklog() []*batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued() <= l.writers {
		return nil
	}
	l.behind = true
	backlog := slices.Clone(l.waiting[l.taken:])
	clear(l.waiting)
	l.waiting, l.taken = l.waiting[:0], 0
	return backlog
}

// close says that no more batches will come.
func (l *nodeQueue) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
}

// wake has those who wait look whether the context has ended.
func (l *nodeQueue) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

// newNodeQueues makes a lane for each node that a row may be sent to first. They share
// the requests that may be under way.
func newNodeQueues(router *write.Router, o Options, s *spillSpace) map[string]*nodeQueue {
	names := router.Primaries()
	each := (o.InFlight + len(names) - 1) / len(names)
	far := (o.Far + len(names) - 1) / len(names)
	lanes := make(map[string]*nodeQueue, len(names))
	for _, name := range names {
		most, trip := each, o.Trips.Of(name)
		if trip > 0 {
			most = min(far, pace.FarTimes*each)
		}
		onLine := min(pace.OnLine(each, trip, writeTime), most-each)
		gate := o.Keeper.Gate(pace.GateOptions{
			Ceiling:   each,
			Far:       most,
			Start:     each,
			OnLine:    onLine,
			Trip:      trip,
			Tolerance: writeTolerance,
		})
		first := each + max(onLine, 0)
		l := &nodeQueue{
			spilled: &spillFile{
				space: s,
			},
			gate:    gate,
			far:     most > each,
			first:   first,
			writers: first,
			most:    most,
		}
		l.changed.L = &l.mu
		lanes[name] = l
	}
	return lanes
}

// slotsOf returns how many requests may be under way in all.
func slotsOf(lanes map[string]*nodeQueue, o Options) int {
	slots, far := 0, false
	for _, l := range lanes {
		slots += l.most
		far = far || l.far
	}
	if !far {
		return o.InFlight
	}
	return slots
}

// needsWriter reports whether the lane needs one more writer: its gate lets more requests pass than there
// are writers, and batches wait. If so, it counts that one.
func (l *nodeQueue) needsWriter() bool {
	limit := min(l.gate.Limit(), l.most)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writers >= limit || l.queued() == 0 {
		return false
	}
	l.writers++
	return true
}

// writeTime is the time that a write is expected to spend at a node, before there is an answer.
// Most take less, so a run begins with fewer requests on the line than there is room for.
const writeTime = 10 * time.Millisecond

// writeTolerance is how many times its unloaded latency a write may take before
// fewer are sent at once. A node takes in writes in groups, and a good part of
// their latency is waiting for the group: more under way cost it less each.
const writeTolerance = 8

// request sends one batch through the gate of the node that it goes to, and
// notes how long the answer took. begun is when it was sent, zero when the run ended
// before.
func (t *Target) request(
	ctx context.Context,
	w Writer,
	host string,
	rows []row.Row,
) (begun time.Time, err error) {
	l := t.queues[host]
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
	latency := t.o.Requests.End(
		host,
		begun,
		progress.EndOf(ctx, err == nil || fault.ClassOf(err) == fault.NotApplied),
	)
	if l != nil {
		var trip time.Duration
		if err == nil {
			trip = t.o.Trips.Saw(host, latency)
		}
		l.gate.ReleaseFar(latency, trip, float64(len(rows)), pace.OutcomeOf(err))
		for l.needsWriter() {
			t.hire(l)
		}
	}
	return begun, err
}
