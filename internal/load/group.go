package load

import (
	"cmp"
	"context"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/row"
)

// batch is rows that travel as one request. All are of one chunk and one set of
// replicas.
type batch struct {
	chunk *chunk
	set   *Set
	rows  []parsed // part of chunk.rows
}

// rowsOf collects the rows to be written, into scratch.
func (b *batch) rowsOf(scratch []row.Row) []row.Row {
	for i := range b.rows {
		scratch = append(scratch, b.rows[i].Row)
	}
	return scratch
}

// size is the number of bytes of the rows' cells.
func (b *batch) size() int {
	n := 0
	for i := range b.rows {
		n += b.rows[i].Size()
	}
	return n
}

// group sorts the chunk's rows by replicas and token and hands them out in
// batches: rows of one partition stay together, and partitions of one set of
// replicas share a batch as far as the limits let them.
func (r *run) group(ctx context.Context, c *chunk) error {
	slices.SortFunc(c.rows, func(a, b parsed) int {
		if d := a.set.index - b.set.index; d != 0 {
			return d
		}
		if d := a.token.Compare(b.token); d != 0 {
			return d
		}
		return cmp.Compare(a.offset, b.offset)
	})
	for from := 0; from < len(c.rows); {
		to := r.job.Limits.cut(c.rows, from)
		c.pending.Add(1)
		select {
		case r.lane(c.rows[from].set).batches <- &batch{chunk: c, set: c.rows[from].set, rows: c.rows[from:to]}:
		case <-ctx.Done():
			return ctx.Err()
		}
		from = to
	}
	return nil
}

// cut finds the end of the batch that starts at from: as many rows as the limits
// allow, at least one.
func (l Limits) cut(rows []parsed, from int) int {
	first := &rows[from]
	size, partitions := first.size, 1
	to := from + 1
	for ; to < len(rows) && to-from < l.MaxRows; to++ {
		next := &rows[to]
		if next.set != first.set {
			break
		}
		size += next.size
		if next.token != rows[to-1].token {
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
