package cql

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// batch is the rows of one request: of one writer and one set of replicas.
type batch struct {
	writer Writer
	set    *write.Replicas
	rows   []*write.Row
	tried  bool // its rows were in a batch that used up its attempts: it gets fewer
	own    bool // its rows are copies, and the original rows are released
	// bytes of those copies that Target.copied counts; 0 for a batch that was spilled
	copied int64
	begun  time.Time // the last attempt
}

// mostCopied is the number of bytes of cells up to which a batch is copied. The memory of copies is
// not that of the chunks. In all it is at most mostCopied for each request that may be in flight.
const mostCopied = 256 << 10

// mayBeCopied reports whether the batch's rows may be copied and released. Rows that must not be
// written twice are not: if the load is killed, all pieces in progress would be in doubt.
func (b *batch) mayBeCopied() bool { return b.writer.Idempotent() && b.size() <= mostCopied }

// detach copies the batch's rows and releases them, if that is allowed and there is room for the
// copies.
func (t *Target) detach(b *batch) {
	if b.own || !b.mayBeCopied() {
		return
	}
	size := int64(b.size())
	if t.copied.Add(size) > int64(t.o.InFlight)*mostCopied {
		t.copied.Add(-size)
		return
	}
	b.copied = size
	text, pieces := appendRows(nil, b.rows)
	b.free()
	b.rows, b.own = parseRows(text, pieces, b.set), true
}

// rowsOf appends the rows to be written to scratch.
func (b *batch) rowsOf(scratch []row.Row) []row.Row {
	for _, r := range b.rows {
		scratch = append(append(scratch, r.Row), r.More...)
	}
	return scratch
}

// size is the number of bytes of the rows' cells.
func (b *batch) size() int {
	n := 0
	for _, r := range b.rows {
		n += r.Size()
	}
	return n
}

// byPlace sorts rows by replicas, token, and place in the input.
func byPlace(a, b *write.Row) int {
	if d := a.Replicas.Index - b.Replicas.Index; d != 0 {
		return d
	}
	if d := a.Token.Compare(b.Token); d != 0 {
		return d
	}
	return cmp.Compare(a.Timestamp, b.Timestamp)
}

// Put is a method of write.Intake. It sorts the rows by replicas and token, and dispatches them in
// batches. Rows of one partition stay together. Partitions of one set of replicas share a batch as
// far as the limits let them. Rows that are too few for a batch wait for the next pieces. Put
// itself never waits.
func (in *intake) Put(_ context.Context, rows []*write.Row) error {
	slices.SortFunc(rows, byPlace)
	for len(rows) > 0 {
		set := rows[0].Replicas
		n := in.limits.cut(rows, 0)
		ready := []*batch{{writer: in.writer, set: set, rows: rows[:n]}}
		if n == len(rows) || rows[n].Replicas != set {
			ready = in.batcher.add(in.writer, set, rows[:n])
		}
		in.dispatch(ready)
		rows = rows[n:]
	}
	in.dispatch(in.batcher.next())
	return nil
}

// PutGroup is a method of write.Intake.
func (in *intake) PutGroup(
	ctx context.Context,
	rows []*write.Row,
) error {
	return in.Put(ctx, rows)
}

// dispatch puts batches into the queues of their nodes.
func (t *Target) dispatch(batches []*batch) {
	for _, b := range batches {
		t.queues[b.set.Primary()].put(b)
	}
}
