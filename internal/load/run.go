package load

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// run is what the goroutines of one load share.
type run struct {
	job     *Job
	parsers int
	free    chan *chunk      // empty chunks
	chunks  chan *chunk      // cut, to be parsed
	lanes   map[string]*lane // batches to be written, by node
	clock   clock
	latency *latencies
	slots   chan struct{} // one for each request that may be under way

	writers map[string]Writer // by the names of their columns; the reader's alone

	read, written, rejected, inDoubt, sent atomic.Int64

	skipped, taken int64 // records so far; the reader's alone

	acknowledged struct {
		sync.Mutex
		sum rowsum.Sum
	}

	parseErrors, insertErrors errorLimit
	exhausted                 atomic.Int64 // batches in a row that failed, but not for what was in them
}

func newRun(j *Job) *run {
	parsers := runtime.GOMAXPROCS(0)
	return &run{
		job:     j,
		parsers: parsers,
		// Two chunks for each parser, one to parse and one to read ahead, and two
		// whose last batches are still under way.
		free:    make(chan *chunk, 2*parsers+2),
		chunks:  make(chan *chunk, 1),
		lanes:   newLanes(j),
		latency: newLatencies(),
		slots:   make(chan struct{}, j.InFlight),
		writers: make(map[string]Writer),

		parseErrors:  errorLimit{stage: Parse, most: j.MaxParseErrors},
		insertErrors: errorLimit{stage: Insert, most: j.MaxInsertErrors},
	}
}

// all runs the pipeline to its end.
func (r *run) all(ctx context.Context) error {
	for range cap(r.free) {
		r.free <- new(chunk)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(r.chunks)
		return r.readAll(ctx)
	})
	var parsing sync.WaitGroup
	parsing.Add(r.parsers)
	for range r.parsers {
		group.Go(func() error {
			defer parsing.Done()
			return newParser(r).work(ctx)
		})
	}
	group.Go(func() error {
		parsing.Wait()
		for _, l := range r.lanes {
			close(l.batches)
		}
		return nil
	})
	for _, l := range r.lanes {
		for range l.writers {
			group.Go(func() error { return r.write(ctx, l) })
		}
	}
	return group.Wait()
}

func (r *run) result() Result {
	return Result{
		Read: r.read.Load(), Written: r.written.Load(), Rejected: r.rejected.Load(),
		InDoubt: r.inDoubt.Load(), Batches: r.sent.Load(), Sum: r.acknowledged.sum,
		P50: r.latency.at(50), P99: r.latency.at(99),
	}
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

// reject hands one row to the rejects. Its error may be a *LimitError.
func (r *run) reject(rej Reject) error {
	r.rejected.Add(1)
	r.job.Counters.Rejected.Add(1)
	if err := r.job.Rejects.Add(rej); err != nil {
		return err
	}
	if rej.Stage == Parse {
		return r.parseErrors.add()
	}
	return r.insertErrors.add()
}

// chunk is a piece of an input on its way through the pipeline. It has one owner
// at a time, but for its rows' bytes, which the writers read until release.
type chunk struct {
	dsv.Chunk
	buffer  []byte // of Chunk.Data, kept for reuse
	file    *file
	stamp   int64  // client timestamp of the first record, microseconds
	skip    int    // records to pass over
	take    int    // records to load after those
	arena   []byte // of the cells' bytes
	cells   []row.Cell
	rows    []parsed
	pending atomic.Int64 // batches not dealt with yet, and one for the parser
}

// release gives up one hold of the chunk; the last one frees it. A chunk that a
// long record, or very many short ones, made large is not kept.
func (r *run) release(c *chunk) {
	if c.pending.Add(-1) > 0 {
		return
	}
	r.pass(c.file, len(c.Data))
	c.file = nil
	if cap(c.buffer) > 4*r.job.ChunkSize || cap(c.cells) > r.job.ChunkSize {
		c = new(chunk)
	}
	r.free <- c
}

// pass counts bytes of text that are dealt with.
func (r *run) pass(f *file, n int) {
	r.job.Counters.Bytes.Add(int64(n))
	if f.stored == nil {
		r.job.Counters.Done.Add(int64(n))
	}
}

// file is an input being read.
type file struct {
	name     string
	header   []byte // its header line as it stood, empty without one
	mapping  *Mapping
	writer   Writer
	passOver bool // the bad line being read is not among the rows to load
	// stored tells how many bytes of the input were read, where they are not
	// those of its text: it is compressed, say. Nil when they are.
	stored interface{ Consumed() int64 }
}
