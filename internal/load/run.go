package load

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// run is what the goroutines of one load share.
type run struct {
	job       *Job
	parsers   int
	journaled bool             // pieces are known by their bytes
	pool      []*chunk         // all chunks there are
	free      chan *chunk      // the empty ones
	chunks    chan *chunk      // cut, to be parsed
	lanes     map[string]*lane // batches to be written, by node
	clock     clock
	latency   *latencies
	slots     chan struct{} // one for each request that may be under way
	hold      *hold
	health    pace.Health
	pulse     pace.Pulse         // of the whole cluster
	standings []standing         // of the sets of replicas, by their index
	takers    atomic.Int64       // sets whose nodes have taken the last write that they were sent
	told      sync.Map           // names of nodes that were given up
	pings     singleflight.Group // questions to nodes under way, by their names
	memory    *pace.Budget       // of the chunks

	writers map[string]Writer // by the names of their columns; the reader's alone

	sent atomic.Int64 // requests acknowledged

	skipped, taken int64 // records so far; the reader's alone

	totals struct {
		sync.Mutex
		Tally
	}

	parseErrors, insertErrors errorLimit
	hopes                     hopes
	exhausted                 atomic.Int64 // batches in a row that failed, but not for what was in them
	doubts                    atomic.Int64 // failures in a row that left batches in doubt
	doubted                   atomic.Int64 // the last of them, nanoseconds since the epoch
}

func newRun(j *Job) *run {
	parsers := runtime.GOMAXPROCS(0)
	_, none := j.Journal.(noJournal)
	// Two chunks for each parser, one to parse and one to read ahead, two whose
	// last batches are still under way, and those that are held back.
	count := 2*parsers + 2 + holdChunks
	return &run{
		job:       j,
		journaled: !none,
		parsers:   parsers,
		pool:      make([]*chunk, count),
		free:      make(chan *chunk, count),
		chunks:    make(chan *chunk, 1),
		clock:     clock{next: j.Journal.Stamped(), step: j.StampStep, fixed: j.Timestamp},
		hold:      newHold(min(j.MinBatch, j.Limits.MaxRows), holdChunks, j.Limits),
		memory:    pace.NewBudget(j.Memory),
		lanes:     newLanes(j),
		latency:   newLatencies(),
		slots:     make(chan struct{}, j.InFlight),
		writers:   make(map[string]Writer),
		standings: make([]standing, j.Router.count()),

		parseErrors:  errorLimit{stage: Parse, most: j.MaxParseErrors},
		insertErrors: errorLimit{stage: Insert, most: j.MaxInsertErrors},
	}
}

// all runs the pipeline to its end.
func (r *run) all(ctx context.Context) error {
	for i := range r.pool {
		r.pool[i] = new(chunk)
		r.free <- r.pool[i]
	}
	err := r.carry(r.job.Journal.Carried())
	if err == nil {
		err = r.checkHeaders(ctx)
	}
	if err == nil {
		err = r.pipeline(ctx)
	}
	// A run that was stopped leaves chunks that are not settled.
	var left error // one stands for all: they go to the same place
	for _, c := range r.pool {
		if leaveErr := r.leave(c); left == nil {
			left = leaveErr
		}
	}
	if err == nil || left != nil && err.Error() != left.Error() {
		err = errors.Join(err, left)
	}
	return err
}

// holdChunks is how many chunks the rows of a batch that is not full wait for.
const holdChunks = 4

// pipeline reads until stop ends, and writes what was read.
func (r *run) pipeline(stop context.Context) error {
	work, cancel := outlast(stop, r.job.Linger)
	defer cancel()
	group, ctx := errgroup.WithContext(work)
	until, cut := context.WithCancel(ctx)
	defer cut()
	defer context.AfterFunc(stop, cut)()
	reading := make(chan struct{})
	var stopped error // which is no failure of what was read
	group.Go(func() error {
		defer close(reading)
		defer close(r.chunks)
		err := r.readAll(ctx, until)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			stopped, err = err, nil
		}
		return err
	})
	var parsing sync.WaitGroup
	parsing.Add(r.parsers)
	parsed, idle := make(chan struct{}), make(chan struct{})
	group.Go(func() error {
		defer close(idle)
		return r.dispatchIdle(ctx, parsed)
	})
	for range r.parsers {
		group.Go(func() error {
			defer parsing.Done()
			return newParser(r).work(ctx)
		})
	}
	group.Go(func() error {
		parsing.Wait()
		close(parsed)
		<-idle
		<-reading // which may still hand over what was held back
		r.dispatch(r.hold.press(true))
		for _, l := range r.lanes {
			l.close()
		}
		return nil
	})
	for _, l := range r.lanes {
		defer context.AfterFunc(ctx, l.wake)()
		for range l.writers {
			group.Go(func() error { return r.write(ctx, l) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return stopped
}

// outlast gives a context that ends some time after another one.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	if by <= 0 {
		return context.WithCancel(ctx)
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { unwatch(); cancel() }
}

// idleTime is how long the rows of a batch that is not full wait for an input that
// keeps silent, and up to as long again.
const idleTime = 250 * time.Millisecond

// dispatchIdle sends what waits in vain, until end is closed.
func (r *run) dispatchIdle(ctx context.Context, end <-chan struct{}) error {
	ticker := time.NewTicker(idleTime)
	defer ticker.Stop()
	for {
		select {
		case <-end:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			r.dispatch(r.hold.idle())
		}
	}
}

func (r *run) result() Result {
	return Result{Tally: r.totals.Tally, Batches: r.sent.Load(), P50: r.latency.at(50), P99: r.latency.at(99)}
}

// writer gives the one writer for a set of columns.
func (r *run) writer(columns []schema.Column) Writer {
	var key strings.Builder
	for _, c := range columns {
		key.WriteString(c.Name)
		key.WriteByte(0)
	}
	w := r.writers[key.String()]
	if w == nil {
		w = r.job.NewWriter(columns)
		r.writers[key.String()] = w
	}
	return w
}

// file is an input being read.
type file struct {
	index    int // among the job's inputs
	name     string
	header   []byte // its header line as it stood, empty without one
	seed     uint64 // of the hashes of its pieces: the hash of the header
	repeats  uint8  // of its records, before they were in this file
	mapping  *Mapping
	writer   Writer
	records  int   // so far, bad lines among them
	end      int64 // of what was cut so far
	passOver bool  // the bad line being read is not among the rows to load
}
