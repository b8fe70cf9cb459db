package ingest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// run is what the goroutines of one load share.
type run struct {
	job        *Job
	parsers    int
	journaled  bool        // pieces are known by their bytes
	empty      chan *chunk // all unused chunks
	small      chan *chunk // the same for small inputs
	chunks     chan *chunk // cut, to be parsed; each with those of its group
	group      group       // that the reader fills; the reader's alone
	headed     rowless     // inputs of a header and no rows; the reader's alone
	blank      rowless     // inputs that are empty; the reader's alone
	plans      plans
	clock      clock
	memory     *pace.Budget // of the chunks
	openPieces openPieces

	rowAsHeader sync.Once // warns of a row that is skipped as the header

	intakes map[string]write.Intake // by the names of their columns; the reader's alone

	skipped, chosen int64 // records so far; the reader's alone
	// weight of the chunk that was cut last, if it is large, else 0; the reader's alone
	large int64

	totals struct {
		sync.Mutex
		Tally
	}

	parseErrors, insertErrors errorLimit
	acceptance                acceptance
	earlierRead               int64 // rows that earlier runs read; set before the goroutines start
}

func newRun(j *Job) *run {
	parsers := runtime.GOMAXPROCS(0)
	_, none := j.Journal.(noJournal)
	// Each parser has two chunks: one to parse and one to read ahead. Two more have their last rows
	// in flight, and the target holds back rows of some others.
	count := 2*parsers + 2 + j.Target.PiecesHeld()
	r := &run{
		job:        j,
		journaled:  !none,
		parsers:    parsers,
		empty:      make(chan *chunk, count),
		chunks:     make(chan *chunk, 1),
		clock:      clock{next: j.Journal.NextTimestamp(), step: j.StampStep, fixed: j.Timestamp},
		memory:     pace.NewBudget(j.Memory),
		openPieces: openPieces{open: make(map[*pieceTracker]bool)},
		intakes:    make(map[string]write.Intake),

		parseErrors: errorLimit{
			stage:   Parse,
			most:    j.MaxParseErrors,
			percent: j.MaxParsePercent,
		},
		insertErrors: errorLimit{
			stage:   Insert,
			most:    j.MaxInsertErrors,
			percent: j.MaxInsertPercent,
		},
	}
	for range count {
		r.empty <- &chunk{size: j.ChunkSize}
	}
	if r.many() {
		r.small = make(chan *chunk, count*groupChunks) // as many groups as chunks
		for range cap(r.small) {
			r.small <- &chunk{small: true, size: smallInput}
		}
	}
	return r
}

// execute runs the pipeline to its end.
func (r *run) execute(ctx context.Context) error {
	err := r.addEarlierTotals(r.job.Journal.EarlierTotals())
	if err == nil {
		err = r.checkHeaders(ctx)
	}
	if err == nil {
		err = r.pipeline(ctx)
	}
	if err == nil {
		err = r.checkInsertShare()
	}
	// A run that was stopped leaves pieces that are not complete.
	var left error // one stands for all: they go to the same place
	for _, a := range r.openPieces.list() {
		if leaveErr := a.abandon(); left == nil {
			left = leaveErr
		}
	}
	if err == nil || left != nil && err.Error() != left.Error() {
		err = errors.Join(err, left)
	}
	return err
}

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
	// The group has the error only after the goroutine that waits for reading and parsing.
	var failed atomic.Bool
	group.Go(func() error {
		defer close(reading)
		defer close(r.chunks)
		err := r.readAll(ctx, until)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			stopped, err = err, nil
		}
		if err != nil {
			failed.Store(true)
		}
		return err
	})
	var parsing sync.WaitGroup
	parsing.Add(r.parsers)
	for range r.parsers {
		group.Go(func() error {
			defer parsing.Done()
			err := newParser(r).work(ctx)
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	group.Go(func() error {
		parsing.Wait()
		<-reading // which may still ask the target for memory
		if failed.Load() {
			return nil
		}
		if stopped == nil {
			if err := r.checkParseShare(); err != nil {
				return err
			}
		}
		r.job.Target.Finish()
		return nil
	})
	group.Go(func() error { return r.job.Target.Run(ctx) })
	if err := group.Wait(); err != nil {
		return err
	}
	return stopped
}

// outlast returns a context that ends some time after another one.
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

// intake returns the one intake for a list of columns.
func (r *run) intake(columns []schema.Column) write.Intake {
	var key strings.Builder
	for _, c := range columns {
		key.WriteString(c.Name)
		key.WriteByte(0)
	}
	in := r.intakes[key.String()]
	if in == nil {
		in = r.job.Target.Intake(columns)
		r.intakes[key.String()] = in
	}
	return in
}

// file is an input being read.
type file struct {
	index    int // among the job's inputs
	name     string
	size     int64   // as it is stored, in bytes; 0 or less: unknown
	header   []byte  // its header line as it stood, empty without one
	seed     uint64  // of the hashes of its pieces: the hash of the header
	repeats  uint8   // of its records, before they were in this file
	views    []*view // the one by the present reading
	former   []*view // by Job.Former, nil where that does not fit; made when first needed
	records  int     // so far, bad lines among them
	end      int64   // of what was cut so far
	passOver bool    // the bad line being read is not among the rows to load
}
