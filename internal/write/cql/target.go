// Package cql is the target of a load that writes rows with CQL statements.
//
// Rows are grouped into batches by partition and then by replicas ([Limits]). Rows that are too few
// for a batch wait for more of their kind (batcher). A batch waits in the queue of its first node
// (nodeQueue) for a writer, and passes that node's gate. It is attempted until it is acknowledged,
// has used up its attempts, or its replicas are given up (replicaHealth). Then its rows are
// complete.
//
// Start with [New]. Rows are released when they are complete.
package cql

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// Writer writes rows of one list of columns as one request to a node, or to any node if host is
// empty. It must be safe for concurrent use and return errors with a class (package fault).
type Writer interface {
	Write(ctx context.Context, host string, rows []row.Row) error
	// Idempotent reports whether a row may be written twice.
	Idempotent() bool
}

// Options say how to write.
type Options struct {
	NewWriter func(columns []schema.Column) Writer
	Limits    Limits
	// Wide are all columns of the table, if rows of some columns may be written with the others
	// unset. That is done if there are many lists of columns. Empty disables it.
	Wide []schema.Column
	// number of rows from which a batch does not wait for later pieces; default 10
	MinBatch int
	Rate     *pace.Limiter           // rows a second; nil: none
	ByteRate *pace.Limiter           // bytes of cells a second; nil: none
	Keeper   *pace.LatencyController // keeps a latency of the nodes; nil: none
	// requests in flight at most, without those on the line to nodes far away; default 32
	InFlight int
	// Trips are the round-trip times to the nodes; nil: they are not known.
	Trips *pace.Trips
	// Far is the number of requests in flight to nodes far away, at most, those on the line
	// included; default InFlight.
	Far      int
	Attempts int // for one request before its rows are rejected; default pace.DefaultAttempts
	Backoff  pace.Backoff
	// Patience is how long to wait for a cluster that answers no request, and for replicas that
	// take no row; default pace.DefaultPatience.
	Patience time.Duration
	// Ping asks nodes for something small, or all of the cluster if hosts is nil. It returns nil
	// once one of them has answered. If only rows of one node are left, it decides whether that
	// node or the whole cluster is away. Nil: none answers.
	Ping func(ctx context.Context, hosts []string) error
	// Spill is the number of bytes, at most, of rows that are spilled to temporary files for nodes
	// that are behind. Then other nodes need not wait for those. Default DefaultSpill; below zero:
	// none. SpillDir is the folder of these files; empty: the system's.
	Spill    int64
	SpillDir string
	NodeName func(host string) string         // what messages call a node; default its id
	Warn     func(format string, args ...any) // reports oddities; may be nil
	// OnRetry is called for each request that is sent again, with the node that failed and
	// why; may be nil.
	OnRetry func(host string, err error)
	// Requests counts the requests in flight; nil disables it.
	Requests *progress.Requests
}

func (o Options) withDefaults() Options {
	if o.Attempts <= 0 {
		o.Attempts = pace.DefaultAttempts
	}
	if o.InFlight <= 0 {
		o.InFlight = 32
	}
	o.Far = max(o.Far, o.InFlight)
	if o.Patience <= 0 {
		o.Patience = pace.DefaultPatience
	}
	if o.Spill == 0 {
		o.Spill = DefaultSpill
	}
	if o.MinBatch <= 0 {
		o.MinBatch = 10
	}
	if o.NodeName == nil {
		o.NodeName = func(host string) string { return host }
	}
	if o.Warn == nil {
		o.Warn = func(string, ...any) {}
	}
	if o.OnRetry == nil {
		o.OnRetry = func(string, error) {}
	}
	if o.Requests == nil {
		o.Requests = new(progress.Requests)
	}
	return o
}

// Target writes rows by CQL. It is a write.Target.
type Target struct {
	o       Options
	queues  map[string]*nodeQueue // by node
	intakes int                   // made so far; of the goroutine that calls Intake
	wide    *intake               // of all columns; nil: none is needed yet
	batcher *batcher
	slots   chan struct{} // one for each request that may be under way
	writers atomic.Int64  // goroutines that send batches
	// bytes of batches whose rows were copied, for as long as they are under way
	copied        atomic.Int64
	hire          func(*nodeQueue) // starts one more writer of a lane
	sent          atomic.Int64     // requests acknowledged
	finished      chan struct{}
	rated         atomic.Int64 // writers that wait until the rates let a batch pass
	health        pace.Health
	pulse         pace.Liveness   // of the whole cluster
	replicaHealth []replicaHealth // of the sets of replicas, by their index
	takingSets    atomic.Int64    // sets that have taken the last write they were sent
	failedSets    atomic.Int64    // sets that have failed the first write they were sent
	failureClock  failureClock
	warned        sync.Map           // names of nodes that a warning was printed for
	pings         singleflight.Group // questions to nodes in flight, by their names

	outOfAttempts atomic.Int64 // batches in a row that used up their attempts
	leftInDoubt   atomic.Int64 // failures in a row that left batches in doubt
	lastInDoubt   atomic.Int64 // when the last of them was, nanoseconds since the epoch
}

// New returns a target for the rows that a router places.
func New(router *write.Router, o Options) *Target {
	o = o.withDefaults()
	queues := newNodeQueues(router, o, newSpillSpace(o.SpillDir, o.Spill, o.Warn))
	for node, q := range queues {
		o.Requests.SetGate(node, q.gate)
	}
	return &Target{
		o:             o,
		queues:        queues,
		batcher:       newBatcher(min(o.MinBatch, o.Limits.MaxRows), lookahead, o.Limits),
		slots:         make(chan struct{}, slotsOf(queues, o)),
		finished:      make(chan struct{}),
		replicaHealth: make([]replicaHealth, router.Count()),
	}
}

// lookahead is the number of pieces that the rows of a batch that is not full wait for.
const lookahead = 4

// PiecesHeld is a method of write.Target.
func (t *Target) PiecesHeld() int { return lookahead }

// Stats are of the requests that were acknowledged.
type Stats struct {
	Batches int64
}

// Stats returns the number of requests so far.
func (t *Target) Stats() Stats { return Stats{t.sent.Load()} }

// Intake is a method of write.Target.
func (t *Target) Intake(columns []schema.Column) write.Intake {
	in := t.newIntake(columns)
	if wide := t.widen(in, columns); wide != nil {
		return wide
	}
	return in
}

func (t *Target) newIntake(columns []schema.Column) *intake {
	w := t.o.NewWriter(columns)
	return &intake{Target: t, writer: w, limits: t.o.Limits.of(w)}
}

// intake takes the rows of one writer.
type intake struct {
	*Target
	writer Writer
	limits Limits
}

// Idempotent is a method of write.Intake.
func (in *intake) Idempotent() bool { return in.writer.Idempotent() }

// Run is a method of write.Target.
func (t *Target) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return t.dispatchWaiting(ctx) })
	t.hire = func(q *nodeQueue) {
		t.writers.Add(1)
		group.Go(func() error { return t.write(ctx, q) })
	}
	for _, q := range t.queues {
		defer q.spilled.discard()
		defer context.AfterFunc(ctx, q.wake)()
		for range q.first {
			t.hire(q)
		}
	}
	return group.Wait()
}

// Finish is a method of write.Target.
func (t *Target) Finish() { close(t.finished) }

// MemoryLow is a method of write.Target.
func (t *Target) MemoryLow(on bool) { t.dispatch(t.batcher.memoryLow(on)) }

// idleTime is how long rows wait for an input that is silent. They may wait for twice that time,
// because the input is checked once in idleTime.
const idleTime = 250 * time.Millisecond

// idleTimes is the number of checks in a row that must find an idle queue before other queues
// spill.
const idleTimes = 4

// dispatchWaiting sends rows that wait in vain, and all rows when no more will come. If a queue is
// idle, those that are behind spill batches.
func (t *Target) dispatchWaiting(ctx context.Context) error {
	ticker := time.NewTicker(idleTime)
	defer ticker.Stop()
	for idle := 0; ; {
		select {
		case <-t.finished:
			t.MemoryLow(true)
			for _, q := range t.queues {
				q.close()
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			t.dispatch(t.batcher.idle())
			if idle++; !t.idle() {
				idle = 0
			}
			if idle >= idleTimes {
				t.spillBacklogs()
			}
		}
	}
}

// idle reports whether some queue has nothing to do, and no rate limit delays the others.
func (t *Target) idle() bool {
	if t.rated.Load() > 0 {
		return false
	}
	for _, q := range t.queues {
		if q.idle() {
			return true
		}
	}
	return false
}

// spillBacklogs makes the queues that are behind spill batches.
func (t *Target) spillBacklogs() {
	for _, q := range t.queues {
		q.spillBacklog()
	}
}
