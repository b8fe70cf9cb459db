package cql

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// batch is rows that travel as one request: of one writer and one set of
// replicas.
type batch struct {
	writer Writer
	set    *write.Replicas
	rows   []*write.Row
	tried  bool // in a batch that used up its attempts: it gets fewer of its own
	own    bool // its rows are copies, and those that they were made of are freed
	// bytes of those copies that Target.copied has; 0 of a batch that was set aside
	copied int64
	begun  time.Time // the last attempt
}

// mostCopied is how many bytes of cells a batch may have of whose rows copies are made. The
// memory of copies is not that of the chunks; in all it is so much for each request that may
// be at a node, at the most.
const mostCopied = 256 << 10

// mayBeCopied says whether copies of the batch's rows may be kept, and the rows themselves
// freed. What must not be written twice is left as it is: of a load that is killed all pieces
// would be in doubt that have been begun.
func (b *batch) mayBeCopied() bool { return b.writer.Idempotent() && b.size() <= mostCopied }

// detach copies the batch's rows and frees them, if that may be and the copies of others leave
// room.
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

// rowsOf collects the rows to be written, into scratch.
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

// Put is a method of write.Intake. It sorts the rows by replicas and token and hands them
// out in batches: rows of one partition stay together, and partitions of one set of
// replicas share a batch as far as the limits let them. What is too few for a batch
// waits for the next pieces. It never waits itself.
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

// dispatch hands batches to the lanes of their nodes.
func (t *Target) dispatch(batches []*batch) {
	for _, b := range batches {
		t.queues[b.set.Primary()].put(b)
	}
}
