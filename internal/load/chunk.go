package load

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// chunk is a piece of an input on its way through the pipeline. It has one owner
// at a time, but for its rows' bytes, which the writers read until release.
type chunk struct {
	dsv.Chunk
	buffer  []byte // of Chunk.Data, kept for reuse
	file    *file
	stamps  stamps
	skip    int    // records to pass over
	take    int    // records to load after those
	arena   []byte // of the cells' bytes
	cells   []row.Cell
	rows    []parsed
	order   []*parsed // of rows, by replicas and token
	piece   Piece
	repeats uint8        // how often its rows were written again, this time among them
	again   bool         // an earlier run had begun it
	doubt   bool         // its rows may have been written before, and writing them again may count twice
	pending atomic.Int64 // rows not dealt with yet, and one for the parser
	weight  int64        // of the memory, taken from the budget
	stored  int64        // of the input, as it is stored

	mu      sync.Mutex
	tally   Tally
	rejects []Reject // of its records, in no order
}

// The memory of a record, besides the text and the bytes of its values.
const (
	cellMemory   = 32  // row.Cell
	recordMemory = 200 // parsed, and its place in the order
	rejectMemory = 300 // Reject, its reason and its value
	chunkRecords = 4 << 20
)

// maxRecords is how many records of so many fields make up a chunk at the most, so
// that very short ones do not take many times their text.
func maxRecords(fields int) int {
	return max(chunkRecords/(fields*cellMemory+recordMemory+rejectMemory), 1)
}

// weigh estimates the memory that a chunk will take until it is released: its text,
// the same again for the values and for the frames they travel in, and its records.
func (c *chunk) weigh() int64 {
	return 3*int64(len(c.Data)) + int64(c.Records)*int64(len(c.file.mapping.Columns)*cellMemory+recordMemory)
}

// admit waits until there is memory for a chunk. What is held back for later
// chunks would wait for this one, and has to go first.
func (r *run) admit(ctx context.Context, c *chunk) error {
	c.weight = c.weigh()
	if r.memory.Used()+c.weight <= r.job.Memory {
		return r.memory.Acquire(ctx, c.weight)
	}
	r.dispatch(r.hold.press(true))
	defer r.hold.press(false)
	return r.memory.Acquire(ctx, c.weight)
}

// reweigh takes more memory for a chunk that has turned out to need it: rows whose
// columns have times of their own have cells for each.
func (r *run) reweigh(c *chunk) {
	need := 3*int64(len(c.Data)) + int64(len(c.cells)*cellMemory) + int64(len(c.rows)*recordMemory)
	if need > c.weight {
		r.memory.Resize(c.weight, need)
		c.weight = need
	}
}

// release gives up some holds of the chunk; the last one settles and frees it. Arrays that
// a long record made large are not kept.
func (r *run) release(c *chunk, holds int) error {
	if c.pending.Add(-int64(holds)) > 0 {
		return nil
	}
	if err := r.settleChunk(c); err != nil {
		return err
	}
	r.done(c)
	r.recycle(c)
	return nil
}

// done counts what is dealt with.
func (r *run) done(c *chunk) {
	r.job.Counters.Bytes.Add(int64(len(c.Data)))
	r.job.Counters.Done.Add(c.stored)
}

// recycle makes a chunk free.
func (r *run) recycle(c *chunk) {
	if cap(c.buffer) > 2*r.job.ChunkSize {
		c.buffer = nil
	}
	if cap(c.arena) > 4*r.job.ChunkSize {
		c.arena = nil
	}
	if cap(c.cells)*cellMemory > 2*chunkRecords {
		c.cells, c.rows, c.order = nil, nil, nil
	}
	clear(c.rows)
	c.Data, c.file = nil, nil
	r.memory.Release(c.weight)
	c.weight, c.doubt, c.again = 0, false, false
	r.free <- c
}

// settleChunk notes what became of a chunk's rows, once that is known of all.
func (r *run) settleChunk(c *chunk) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := r.job.Journal.Settle(c.piece, c.tally, c.rejects)
	if err != nil {
		c.tally.forgetRejects()
	}
	r.total(c.tally)
	clear(c.rejects)
	c.rejects, c.tally = c.rejects[:0], Tally{}
	return err
}

// leave notes what is known of a chunk that the end of the run leaves unsettled: its
// rejects are kept for the user to see, but a later run will take all of it again.
func (r *run) leave(c *chunk) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	if len(c.rejects) > 0 {
		err = r.job.Rejects.Add(c.rejects)
	}
	if err != nil {
		c.tally.forgetRejects()
	}
	r.total(c.tally)
	return err
}

// add counts rows of the chunk.
func (c *chunk) add(t Tally) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.Add(t)
}

// reject notes one row that is not written. Its error may be a *LimitError.
func (r *run) reject(c *chunk, rej Reject) error {
	c.mu.Lock()
	c.rejects = append(c.rejects, rej)
	switch rej.Stage {
	case Parse:
		c.tally.ParseErrors++
	case Insert:
		c.tally.InsertErrors++
	case InDoubt:
		c.tally.InDoubt++
	}
	c.mu.Unlock()
	return r.countReject(rej.Stage)
}

// countReject counts a row that is not written. Its error may be a *LimitError.
func (r *run) countReject(stage Stage) error {
	switch stage {
	case Parse:
		r.job.Counters.Rejected.Add(1)
		return r.parseErrors.add(1)
	case Insert:
		r.job.Counters.Rejected.Add(1)
		return r.insertErrors.add(1)
	default:
		return nil
	}
}
