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

// nodeQueue is the queue of batches for the writers of one node. A slow node only delays rows of
// its own ranges. Batches that wait occupy memory that the reading of the input waits for. So if a
// queue is behind while others are empty, it spills batches to disk. It is safe for concurrent use.
type nodeQueue struct {
	gate  *pace.Gate
	far   bool // the node is far away
	first int  // writers to begin with: goroutines that take batches off this queue
	// writers at most: a node far away gets more once its gate lets more requests pass
	most      int
	rejecting atomic.Bool // the last batch was rejected because its replicas were given up

	mu      sync.Mutex
	changed sync.Cond
	waiting []*batch
	taken   int        // batches in waiting that were taken; they are nil
	writers int        // so far
	parked  int        // writers that wait for a batch
	behind  bool       // batches are spilled
	spilled *spillFile // batches on the disk
	closed  bool       // no more batches will come
}

// put adds a batch.
func (q *nodeQueue) put(b *batch) {
	if q.spill(b) {
		b.free()
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, b)
	q.changed.Signal()
}

// spill writes a batch to the spill file, if the queue is behind and there is room.
func (q *nodeQueue) spill(b *batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.behind || !q.spilled.put(b) {
		return false
	}
	q.changed.Signal()
	return true
}

// queued returns the number of batches in memory.
func (q *nodeQueue) queued() int { return len(q.waiting) - q.taken }

// next waits for a batch. It returns nil if the queue is closed and empty. If the context ends,
// which wake makes it check, it returns the context's error. It also returns an error if spilled
// batches are lost.
func (q *nodeQueue) next(ctx context.Context) (*batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.queued() == 0 && q.spilled.empty() && !q.closed && ctx.Err() == nil {
		q.parked++
		q.changed.Wait()
		q.parked--
	}
	if q.queued() == 0 && q.spilled.empty() && q.closed {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.queued() == 0 {
		b, err := q.spilled.take()
		q.behind = q.behind && !q.spilled.empty()
		return b, err
	}
	b := q.waiting[q.taken]
	q.waiting[q.taken] = nil
	q.taken++
	if q.taken > len(q.waiting)/2 {
		q.waiting, q.taken = append(q.waiting[:0], q.waiting[q.taken:]...), 0
	}
	return b, nil
}

// idle reports whether the queue has nothing to do and would write more if it had. A queue whose
// batches are only rejected is not idle.
func (q *nodeQueue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.parked == q.writers && !q.rejecting.Load()
}

// spillBacklog spills what waits, and what will come, if that is more than its writers take next.
// Until all of that is sent, only batches in flight occupy memory.
func (q *nodeQueue) spillBacklog() {
	for _, b := range q.takeBacklog() {
		q.put(b)
	}
}

// takeBacklog removes and returns what waits, if it is more than the writers take next. It marks
// the queue as behind.
func (q *nodeQueue) takeBacklog() []*batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queued() <= q.writers {
		return nil
	}
	q.behind = true
	backlog := slices.Clone(q.waiting[q.taken:])
	clear(q.waiting)
	q.waiting, q.taken = q.waiting[:0], 0
	return backlog
}

// close marks the end of the batches.
func (q *nodeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// wake makes waiting writers check whether the context has ended.
func (q *nodeQueue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// newNodeQueues returns a queue for each node that is the first choice of some rows. They share the
// requests that may be in flight.
func newNodeQueues(router *write.Router, o Options, s *spillSpace) map[string]*nodeQueue {
	names := router.Primaries()
	each := (o.InFlight + len(names) - 1) / len(names)
	far := (o.Far + len(names) - 1) / len(names)
	queues := make(map[string]*nodeQueue, len(names))
	for _, name := range names {
		most, trip := each, o.Trips.Of(name)
		if trip > 0 {
			most = min(far, pace.FarTimes*each)
		}
		onLine := min(pace.OnWire(each, trip, writeTime), most-each)
		gate := o.Keeper.Gate(pace.GateOptions{
			Ceiling:   each,
			Far:       most,
			Start:     each,
			OnWire:    onLine,
			Trip:      trip,
			Tolerance: writeTolerance,
		})
		first := each + max(onLine, 0)
		q := &nodeQueue{
			spilled: &spillFile{
				space: s,
			},
			gate:    gate,
			far:     most > each,
			first:   first,
			writers: first,
			most:    most,
		}
		q.changed.L = &q.mu
		queues[name] = q
	}
	return queues
}

// slotsOf returns how many requests may be under way in all.
func slotsOf(queues map[string]*nodeQueue, o Options) int {
	slots, far := 0, false
	for _, q := range queues {
		slots += q.most
		far = far || q.far
	}
	if !far {
		return o.InFlight
	}
	return slots
}

// needsWriter reports whether the queue needs one more writer: its gate lets more requests pass
// than there are writers, and batches wait. If so, it counts that one.
func (q *nodeQueue) needsWriter() bool {
	limit := min(q.gate.Limit(), q.most)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writers >= limit || q.queued() == 0 {
		return false
	}
	q.writers++
	return true
}

// writeTime is the expected time of a write at a node until the answer. Most take less, so a run
// begins with fewer requests on the line than there is room for.
const writeTime = 10 * time.Millisecond

// writeTolerance is how many times its unloaded latency a write may take before fewer are sent at
// once. A node handles writes in groups, and much of their latency is waiting for the group. So
// more requests in flight cost it less each.
const writeTolerance = 8

// request sends one batch through the gate of its node, and records how long the answer took. It
// returns the time of sending, zero if the run ended before.
func (t *Target) request(
	ctx context.Context,
	w Writer,
	host string,
	rows []row.Row,
) (begun time.Time, err error) {
	q := t.queues[host]
	if q != nil {
		if err := q.gate.Acquire(ctx); err != nil {
			return begun, fault.New(fault.Canceled, err)
		}
	}
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		if q != nil {
			q.gate.Release(0, 0, pace.Bad)
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
	if q != nil {
		var trip time.Duration
		if err == nil {
			trip = t.o.Trips.Saw(host, latency)
		}
		q.gate.ReleaseFar(latency, trip, float64(len(rows)), pace.OutcomeOf(err))
		for q.needsWriter() {
			t.hire(q)
		}
	}
	return begun, err
}
