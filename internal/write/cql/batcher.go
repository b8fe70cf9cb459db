package cql

import (
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/write"
)

// batcher keeps the rows of batches that are not full, so that rows of later pieces can join them.
// Such rows are of a partition that continues in the next piece, or of replicas that a piece has
// few rows of. Rows wait for a few pieces at most, and not for an input that is silent. A chunk of
// rows that wait is in use, so there are more chunks for as many pieces. It is safe for concurrent
// use.
type batcher struct {
	least  int // rows from which a batch does not wait
	pieces int // number of pieces that a row waits for
	limits Limits

	mu          sync.Mutex
	tails       map[tailKey]*tail
	grouped     int  // pieces so far
	seen        int  // value of grouped at the last call of idle
	memoryIsLow bool // no row may wait
}

type tailKey struct {
	writer Writer
	set    *write.Replicas
}

// tail is the rows that wait for more of their kind.
type tail struct {
	rows  []*write.Row
	since int // pieces grouped when the first of them came
}

func newBatcher(least, pieces int, limits Limits) *batcher {
	return &batcher{least: least, pieces: pieces, limits: limits, tails: make(map[tailKey]*tail)}
}

// add takes the sorted rows of a batch that is not full, and returns the batches to send now.
func (h *batcher) add(w Writer, set *write.Replicas, rows []*write.Row) []*batch {
	if len(rows) >= h.least {
		return []*batch{{writer: w, set: set, rows: rows}}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.memoryIsLow {
		return []*batch{{writer: w, set: set, rows: rows}}
	}
	key := tailKey{w, set}
	t := h.tails[key]
	if t == nil {
		t = &tail{since: h.grouped}
		h.tails[key] = t
	}
	t.rows = append(t.rows, rows...)
	slices.SortFunc(t.rows, byPlace)
	var full []*batch
	limits := h.limits.of(w)
	for {
		n := limits.cut(t.rows, 0)
		if n == len(t.rows) && n < h.least {
			return full
		}
		full = append(full, &batch{writer: w, set: set, rows: slices.Clone(t.rows[:n])})
		if t.rows = append(t.rows[:0], t.rows[n:]...); len(t.rows) == 0 {
			delete(h.tails, key)
			return full
		}
	}
}

// next counts a piece, and returns the batches that have waited long enough.
func (h *batcher) next() []*batch {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grouped++
	return h.dueLocked(h.grouped - h.pieces)
}

// idle returns all batches if no piece came since the last call: the input may be silent for long.
func (h *batcher) idle() []*batch {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen != h.grouped {
		h.seen = h.grouped
		return nil
	}
	return h.dueLocked(h.grouped)
}

// memoryLow returns all batches if on is true, and keeps none until it is called with false.
func (h *batcher) memoryLow(on bool) []*batch {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.memoryIsLow = on; !on {
		return nil
	}
	return h.dueLocked(h.grouped)
}

// dueLocked returns the batches that have waited since the given piece or longer.
func (h *batcher) dueLocked(since int) []*batch {
	var due []*batch
	for key, t := range h.tails {
		if t.since <= since {
			due = append(due, &batch{writer: key.writer, set: key.set, rows: t.rows})
			delete(h.tails, key)
		}
	}
	return due
}
