package ingest

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// chunk is the memory of a piece on its way: its text, and the rows made of it. It has one owner at
// a time. Only the bytes of its rows are shared: the target reads them until it releases them. What
// becomes of the rows is in the tracker, which may outlast the chunk.
type chunk struct {
	format.Chunk
	buffer  []byte // of Chunk.Data, kept for reuse
	file    *file
	views   []*view // that its records are read by, one after the other until one gives a row
	ends    []int   // by view: where its rows end
	stamps  stamps
	skip    int           // records to pass over
	count   int           // records to load after those
	values  format.Values // of the rows
	rows    []write.Row
	order   []*write.Row // all of rows, for the target to keep
	tracker *pieceTracker
	held    atomic.Int64 // rows that are not released, and one for the parser
	weight  int64        // of the memory, taken from the budget
	size    int          // text that it is cut for
	small   bool         // it is for a small input
	next    *chunk       // of the same group
}

// The memory of a record, besides the text and the bytes of its values.
const (
	cellMemory   = 32  // row.Cell
	recordMemory = 200 // write.Row, and its place in the order
	rejectMemory = 300 // Reject, its reason and its value
	chunkRecords = 4 << 20
)

// maxRecords returns the number of records of a chunk, at most, for records of that many fields.
// Without that limit very short records would take many times their text.
func maxRecords(fields int) int {
	return max(chunkRecords/(fields*cellMemory+recordMemory+rejectMemory), 1)
}

// large reports whether the chunk is a record that is longer than a chunk has to be.
func (c *chunk) large() bool { return len(c.Data) > 2*c.size }

// weigh estimates the memory of a chunk until it is released. It counts the text three times, for
// the text, the values and the requests, and adds the records. Behind a large chunk the splitter's
// window has room for another.
func (c *chunk) weigh() int64 {
	text := 3 * int64(len(c.Data))
	if c.large() {
		text += int64(len(c.Data))
	}
	return text + int64(c.Records)*int64(len(c.views[0].mapping.Columns)*cellMemory+recordMemory)
}

// reserveForLarge waits, before a chunk is cut behind a large one, until there is memory for
// another of that size. Cutting would take that memory before the chunk is admitted.
func (r *run) reserveForLarge(ctx context.Context, c *chunk) error {
	if r.large == 0 || c.small {
		return nil
	}
	return r.acquire(ctx, c, r.large)
}

// admit waits until there is memory for a chunk. One that was expected does not wait.
func (r *run) admit(ctx context.Context, c *chunk) error {
	weight := c.weigh()
	r.large = 0
	if c.large() {
		r.large = weight
	}
	if c.weight > 0 {
		r.memory.Resize(c.weight, weight)
		c.weight = weight
		return nil
	}
	return r.acquire(ctx, c, weight)
}

// admitGroup waits until there is memory for the chunks of a group.
func (r *run) admitGroup(ctx context.Context, first *chunk, weight int64) error {
	if first.next == nil {
		return r.admit(ctx, first)
	}
	if err := r.wait(ctx, weight); err != nil {
		return err
	}
	for c := first; c != nil; c = c.next {
		c.weight = c.weigh()
	}
	return nil
}

// wait takes memory. If memory is short, the target first has to send what it holds back for later
// chunks: those chunks are what waits here.
func (r *run) wait(ctx context.Context, weight int64) error {
	if r.memory.Used()+weight > r.job.Memory {
		r.job.Target.MemoryLow(true)
		defer r.job.Target.MemoryLow(false)
	}
	return r.memory.Acquire(ctx, weight)
}

// acquire takes memory for a chunk.
func (r *run) acquire(ctx context.Context, c *chunk, weight int64) error {
	if err := r.wait(ctx, weight); err != nil {
		return err
	}
	c.weight = weight
	if weight > r.job.Memory/2 {
		r.dropUnused()
	}
	return nil
}

// dropUnused frees the memory of unused chunks, and what earlier large records have left. Both may
// be as large as all memory of the run.
func (r *run) dropUnused() {
	for range len(r.empty) {
		select {
		case c := <-r.empty:
			c.buffer, c.values.Arena, c.values.Cells, c.rows, c.order = nil, nil, nil, nil, nil
			r.empty <- c
		default:
		}
	}
	runtime.GC()
}

// reweigh takes more memory for a chunk that turns out to need it. Rows whose columns have times of
// their own have cells for each time.
func (r *run) reweigh(c *chunk) {
	need := 3 * int64(len(c.Data))
	need += int64(len(c.values.Cells)*cellMemory + len(c.rows)*recordMemory)
	if need > c.weight {
		r.memory.Resize(c.weight, need)
		c.weight = need
	}
}

// free releases some holds of the chunk. With the last one the chunk is reused.
func (r *run) free(c *chunk, holds int) {
	if c.held.Add(-int64(holds)) == 0 {
		c.tracker.detach()
		r.recycle(c)
	}
}

// recycle empties a chunk for reuse. Arrays that a long record made large are not kept.
func (r *run) recycle(c *chunk) {
	size, records := r.job.ChunkSize, chunkRecords
	if c.small {
		size, records = smallInput, smallRecords
	}
	if cap(c.buffer) > 2*size {
		c.buffer = nil
	}
	if cap(c.values.Arena) > 4*size {
		c.values.Arena = nil
	}
	if c.buffer == nil || c.values.Arena == nil {
		clear(c.values.Cells) // whose bytes they have
	}
	if cap(c.values.Cells)*cellMemory > 2*records ||
		c.small && cap(c.rows)*recordMemory > 2*records {
		c.values.Cells, c.rows, c.order = nil, nil, nil
	}
	clear(c.rows)
	c.Data, c.file, c.views, c.tracker, c.next = nil, nil, nil, nil, nil
	r.memory.Release(c.weight)
	c.weight = 0
	if c.small {
		r.small <- c
	} else {
		r.empty <- c
	}
}
