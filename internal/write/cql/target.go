// Package cql is the target of a load that writes rows with CQL statements.
//
// Rows are grouped into batches by partition and then by replicas ([Limits]); those that
// are too few for a batch are held for a while, for more of their kind (hold). A batch
// goes by the lane of the node that it is sent to first, through that node's gate, to a
// writer. It is attempted until it is acknowledged, until the attempts are used up, or
// until its replicas are given up (standing); then its rows are settled.
//
// Start with [New]. Rows are freed when they are settled.
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

// Writer writes rows of one list of columns as one request to a node (any node
// when host is empty). It must be safe for concurrent use and give errors with a
// class (package fault).
type Writer interface {
	Write(ctx context.Context, host string, rows []row.Row) error
	// Idempotent says whether a row may be written twice.
	Idempotent() bool
}

// Options say how to write.
type Options struct {
	NewWriter func(columns []schema.Column) Writer
	Limits    Limits
	// Wide are all columns of the table, if a row of some of them may be written as one of all with
	// the others unset. It is done if there are many lists of columns. Empty: it is not done.
	Wide []schema.Column
	// rows from which a batch does not wait for those of later pieces; default 10
	MinBatch int
	Rate     *pace.Limiter // rows a second; nil: none
	ByteRate *pace.Limiter // bytes of cells a second; nil: none
	Keeper   *pace.Keeper  // of a latency of the nodes; nil: none
	// requests under way at the most, but for those on the line to nodes far away; default 32
	InFlight int
	// Trips are the round-trip times to the nodes; nil: they are not known.
	Trips *pace.Trips
	// Far is the most requests under way to nodes far away, those on the line included; default
	// InFlight.
	Far      int
	Attempts int // for one request before its rows are rejected; default pace.DefaultAttempts
	Backoff  pace.Backoff
	// Patience is how long to go on with a cluster that answers no request, and with replicas
	// that take no row; default pace.DefaultPatience.
	Patience time.Duration
	// Ping asks nodes for something small, all of the cluster when hosts is nil, and gives
	// nil once one of them has answered: whether it is a node that is away or the whole
	// cluster, nothing else tells when only rows of that node are left. Nil: none answers.
	Ping func(ctx context.Context, hosts []string) error
	// Spill is how many bytes of rows of nodes that are behind may be set aside in temporary
	// files, so that others need not wait for them; default DefaultAside, below zero none.
	// AsideDir is the folder of these files; empty: the system's.
	Spill    int64
	SpillDir string
	NodeName func(host string) string         // what messages call a node; default its id
	Warn     func(format string, args ...any) // something odd that stops nothing; may be nil
	// OnRetry is called for each request that is sent again, with the node that failed and
	// why; may be nil.
	OnRetry func(host string, err error)
	// Requests take down the requests; nil: nobody is told of them while they are under way.
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
	copied    atomic.Int64
	hire      func(*nodeQueue) // starts one more writer of a lane
	sent      atomic.Int64     // requests acknowledged
	finished  chan struct{}
	rated     atomic.Int64 // writers that wait until the rates let a batch pass
	health    pace.Health
	pulse     pace.Pulse   // of the whole cluster
	replicaHealth []replicaHealth   // of the sets of replicas, by their index
	takingSets    atomic.Int64 // sets whose nodes have taken the last write that they were sent
	failedSets   atomic.Int64 // sets whose nodes have failed the first write that they were sent
	failureClock  failureClock
	warned      sync.Map           // names of nodes that were given up
	pings     singleflight.Group // questions to nodes under way, by their names

	outOfAttempts atomic.Int64 // batches in a row that used up their attempts
	leftInDoubt   atomic.Int64 // failures in a row that left batches in doubt
	lastInDoubt   atomic.Int64 // when the last of them was, nanoseconds since the epoch
}

// New makes a target for the rows that a router places.
func New(router *write.Router, o Options) *Target {
	o = o.withDefaults()
	lanes := newNodeQueues(router, o, newSpillSpace(o.SpillDir, o.Spill, o.Warn))
	for node, l := range lanes {
		o.Requests.SetGate(node, l.gate)
	}
	return &Target{
		o:         o,
		queues:    lanes,
		batcher:   newBatcher(min(o.MinBatch, o.Limits.MaxRows), lookahead, o.Limits),
		slots:     make(chan struct{}, slotsOf(lanes, o)),
		finished:  make(chan struct{}),
		replicaHealth: make([]replicaHealth, router.Count()),
	}
}

// lookahead is how many pieces the rows of a batch that is not full wait for.
const lookahead = 4

// PiecesHeld is a method of write.Target.
func (t *Target) PiecesHeld() int { return lookahead }

// Stats are of the requests that were acknowledged.
type Stats struct {
	Batches int64
}

// Stats tells of the requests so far.
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
	t.hire = func(l *nodeQueue) {
		t.writers.Add(1)
		group.Go(func() error { return t.write(ctx, l) })
	}
	for _, l := range t.queues {
		defer l.spilled.discard()
		defer context.AfterFunc(ctx, l.wake)()
		for range l.first {
			t.hire(l)
		}
	}
	return group.Wait()
}

// Finish is a method of write.Target.
func (t *Target) Finish() { close(t.finished) }

// MemoryLow is a method of write.Target.
func (t *Target) MemoryLow(on bool) { t.dispatch(t.batcher.memoryLow(on)) }

// idleTime is how long the rows of a batch that is not full wait for an input that
// keeps silent, and up to as long again.
const idleTime = 250 * time.Millisecond

// idleTimes is how often a lane has to be found with nothing to do until others are taken
// to hold it up.
const idleTimes = 4

// dispatchWaiting sends what waits in vain, and all that is held when no more rows will
// come. Lanes that are behind while another has nothing to do set batches aside.
func (t *Target) dispatchWaiting(ctx context.Context) error {
	ticker := time.NewTicker(idleTime)
	defer ticker.Stop()
	for idle := 0; ; {
		select {
		case <-t.finished:
			t.MemoryLow(true)
			for _, l := range t.queues {
				l.close()
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

// idle says whether some lane has nothing to do, and no rate is what holds up the others.
func (t *Target) idle() bool {
	if t.rated.Load() > 0 {
		return false
	}
	for _, l := range t.queues {
		if l.idle() {
			return true
		}
	}
	return false
}

// spillBacklogs has the lanes that are behind set batches aside.
func (t *Target) spillBacklogs() {
	for _, l := range t.queues {
		l.spillBacklog()
	}
}
