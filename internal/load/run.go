package load

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// run is what the goroutines of one load share.
type run struct {
	job     *Job
	free    chan *chunk // empty chunks
	chunks  chan *chunk // cut, to be parsed
	batches chan *batch // to be written
	clock   clock

	mu      sync.Mutex
	writers map[string]Writer // by the names of their columns

	read, written, rejected, inDoubt, sent atomic.Int64
	exhausted                              atomic.Int64 // batches in a row that used up their attempts
}

func newRun(j *Job) *run {
	return &run{
		job:     j,
		free:    make(chan *chunk, 1<<10),
		chunks:  make(chan *chunk, 1),
		batches: make(chan *batch, j.InFlight),
		writers: make(map[string]Writer),
	}
}

func (r *run) result() Result {
	return Result{
		Read: r.read.Load(), Written: r.written.Load(), Rejected: r.rejected.Load(),
		InDoubt: r.inDoubt.Load(), Batches: r.sent.Load(),
	}
}

// writer gives the one writer for a set of columns.
func (r *run) writer(columns []schema.Column) Writer {
	var key strings.Builder
	for _, c := range columns {
		key.WriteString(c.Name)
		key.WriteByte(0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.writers[key.String()]
	if w == nil {
		w = r.job.NewWriter(columns)
		r.writers[key.String()] = w
	}
	return w
}

// reject hands one row to the rejects.
func (r *run) reject(rej Reject) error {
	r.rejected.Add(1)
	r.job.Counters.Rejected.Add(1)
	return r.job.Rejects.Add(rej)
}

// chunk is a piece of an input on its way through the pipeline. It has one owner
// at a time, but for its rows' bytes, which the writers read until release.
type chunk struct {
	dsv.Chunk
	buffer  []byte // of Chunk.Data, kept for reuse
	file    *file
	stamp   int64 // client timestamp of the first record, microseconds
	arena   []byte
	rows    []parsed
	pending atomic.Int64 // batches not dealt with yet, and one for the parser
}

// release gives up one hold of the chunk; the last one frees it.
func (r *run) release(c *chunk) {
	if c.pending.Add(-1) == 0 {
		r.job.Counters.Done.Add(int64(len(c.Data)))
		c.file = nil
		r.free <- c
	}
}

// file is an input being read.
type file struct {
	name    string
	header  []byte // its header line as it stood, empty without one
	mapping *Mapping
	writer  Writer
}
