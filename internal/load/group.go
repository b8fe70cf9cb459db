package load

import (
	"cmp"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/row"
)

// batch is rows that travel as one request: of one writer and one set of
// replicas.
type batch struct {
	writer Writer
	set    *Set
	rows   []*parsed
	few    bool      // there were attempts before
	begun  time.Time // the last attempt
}

// rowsOf collects the rows to be written, into scratch.
func (b *batch) rowsOf(scratch []row.Row) []row.Row {
	for _, p := range b.rows {
		scratch = append(append(scratch, p.Row), p.more...)
	}
	return scratch
}

// size is the number of bytes of the rows' cells.
func (b *batch) size() int {
	n := 0
	for _, p := range b.rows {
		n += p.Size()
	}
	return n
}

// byPlace sorts rows by replicas, token, and place in the input.
func byPlace(a, b *parsed) int {
	if d := a.set.index - b.set.index; d != 0 {
		return d
	}
	if d := a.Token.Compare(b.Token); d != 0 {
		return d
	}
	return cmp.Compare(a.Timestamp, b.Timestamp)
}

// group sorts the chunk's rows by replicas and token and hands them out in
// batches: rows of one partition stay together, and partitions of one set of
// replicas share a batch as far as the limits let them. What is too few for a
// batch waits for the next chunks.
func (r *run) group(c *chunk) {
	c.order = c.order[:0]
	for i := range c.rows {
		c.order = append(c.order, &c.rows[i])
	}
	slices.SortFunc(c.order, byPlace)
	c.pending.Add(int64(len(c.order)))
	w := c.file.writer
	limits := r.job.Limits.of(w)
	for rows := c.order; len(rows) > 0; {
		set := rows[0].set
		n := limits.cut(rows, 0)
		ready := []*batch{{writer: w, set: set, rows: rows[:n]}}
		if n == len(rows) || rows[n].set != set {
			ready = r.hold.add(w, set, rows[:n])
		}
		r.dispatch(ready)
		rows = rows[n:]
	}
	r.dispatch(r.hold.next())
}

// dispatch hands batches to the lanes of their nodes.
func (r *run) dispatch(batches []*batch) {
	for _, b := range batches {
		r.lane(b.set).put(b)
	}
}

// cut finds the end of the batch that starts at from: as many rows as the limits
// allow, at least one.
func (l Limits) cut(rows []*parsed, from int) int {
	first := rows[from]
	size, partitions, statements := first.size, 1, first.statements()
	to := from + 1
	for ; to < len(rows); to++ {
		next := rows[to]
		if next.set != first.set {
			break
		}
		if statements += next.statements(); statements > l.MaxRows {
			break
		}
		size += next.size
		if next.Token != rows[to-1].Token {
			partitions++
		}
		if partitions == 1 && size > l.PartitionBytes {
			break
		}
		if partitions > 1 && (partitions > l.Partitions || size > l.Bytes) {
			break
		}
	}
	return to
}
