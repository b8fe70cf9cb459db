package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Intake is a method of write.Target.
func (t *Target) Intake(columns []schema.Column) write.Intake {
	in := &intake{t: t}
	for _, c := range columns {
		in.names = append(in.names, c.Name)
	}
	return in
}

// intake takes rows of one list of columns.
type intake struct {
	t     *Target
	names []string

	mu   sync.Mutex
	free []*encoder
}

// Idempotent is a method of write.Intake: the same rows make the same cells, those of lists too.
func (in *intake) Idempotent() bool { return true }

// Put is a method of write.Intake.
func (in *intake) Put(ctx context.Context, rows []*write.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := in.t.open(ctx); err != nil {
		return err
	}
	defer in.t.batch.RUnlock()
	b, err := in.t.batch.sorter.Take(ctx)
	if err != nil {
		return err
	}
	defer in.t.batch.sorter.Give(b)
	e, err := in.take()
	if err != nil {
		return err
	}
	defer in.give(e)
	piece := rows[0].Tracker
	e.bytes, e.ttls = 0, ttls{}
	written := pendingPiece{piece: piece, intake: in}
	for _, r := range rows {
		if err := e.add(b, r); err != nil {
			if err := refuse(piece, r, err); err != nil {
				return err
			}
			continue
		}
		written.rows++
		written.sum = written.sum.Add(r.Sum)
	}
	piece.Ready(written.rows)
	in.t.note(written, e.ttls)
	in.t.fill(e.bytes)
	piece.Release(len(rows))
	return nil
}

// PutGroup is a method of write.Intake.
func (in *intake) PutGroup(ctx context.Context, rows []*write.Row) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Tracker == rows[0].Tracker {
			n++
		}
		these := rows[:n]
		rows = rows[n:] // these may be gone when Put returns
		if err := in.Put(ctx, these); err != nil {
			return err
		}
	}
	return nil
}

// refuse rejects a row if the error is about its values. It returns any other error.
func refuse(piece write.Tracker, r *write.Row, err error) error {
	var refused *refusal
	if errors.As(err, &refused) {
		return piece.Reject(r, write.Refused, refused.err)
	}
	return fmt.Errorf("sorting: %w", err)
}

// open waits until the batch has room, and locks it for reading.
func (t *Target) open(ctx context.Context) error {
	for {
		t.batch.RLock()
		if err := t.batch.failed; err != nil {
			t.batch.RUnlock()
			return err
		}
		if t.o.Slice == 0 || t.batch.bytes.Load() < t.o.Slice {
			return nil
		}
		room := t.batch.room
		t.batch.RUnlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fill adds the bytes of records to the batch's size.
func (t *Target) fill(n int64) {
	if total := t.batch.bytes.Add(n); t.o.Slice == 0 || total < t.o.Slice {
		return
	}
	select {
	case t.full <- struct{}{}:
	default: // it has an element
	}
}

// note records the rows of a piece, to complete them when they have arrived.
func (t *Target) note(s pendingPiece, live ttls) {
	if s.rows == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.batch.pending = append(t.batch.pending, s)
	t.batch.ttls.add(live)
}

// take returns an unused encoder.
func (in *intake) take() (*encoder, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if n := len(in.free); n > 0 {
		e := in.free[n-1]
		in.free = in.free[:n-1]
		return e, nil
	}
	inserter, err := sstable.NewInserter(
		in.t.codec,
		in.names,
		sstable.InsertOptions{AppendCollections: in.t.o.Append, Delete: in.t.o.Delete},
	)
	return &encoder{t: in.t, inserter: inserter}, err
}

// mostKept is the size of the largest record whose memory is reused, in bytes.
const mostKept = 1 << 20

func (in *intake) give(e *encoder) {
	if cap(e.record) > mostKept { // its other parts still have the values
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.free = append(in.free, e)
}

// encoder makes records of rows. One goroutine uses it at a time.
type encoder struct {
	t          *Target
	inserter   *sstable.Inserter
	values     []sstable.Value
	statements []sstable.Insert
	key        []byte
	record     []byte
	bytes      int64 // of records, since it was set to none
	ttls       ttls  // of rows that were taken, since then
}

// refusal is why a row cannot be written.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }

// add encodes a row. The error is a *refusal if the row's values are the reason.
func (e *encoder) add(b *extsort.Buffer, r *write.Row) (err error) {
	e.values, e.statements = e.values[:0], e.statements[:0]
	before := e.ttls
	defer func() {
		if err != nil { // a rejected row does not count in the times to live
			e.ttls = before
		}
	}()
	e.statement(&r.Row, r.Place)
	for i := range r.More {
		e.statement(&r.More[i], r.Place)
	}
	if e.key, err = e.inserter.AppendKey(e.key[:0], e.statements[0].Values); err != nil {
		return &refusal{err}
	}
	// The row's own token is that of the key as it is sent. A set in the key may be stored in
	// another order.
	at := token.Murmur3.Hash(e.key).Lo
	static, row, err := e.inserter.Insert(e.statements...)
	if err != nil {
		return &refusal{err}
	}
	if e.t.deletesPartitions() {
		if _, err := sstable.AppendDeletion(nil, row.Deletion, e.t.codec.Version()); err != nil {
			return &refusal{err}
		}
	}
	for i := range e.t.indexes {
		if err := e.t.indexes[i].check(e.key, static, row); err != nil {
			return &refusal{err}
		}
	}
	room := e.room()
	if room > mostKept {
		e.t.large.Lock()
		defer e.t.large.Unlock()
		if cap(e.record) < room {
			e.record = nil // so that the collector can free it
		}
		if !e.t.hasLarge.Swap(true) {
			e.t.batch.sorter.SetMemory(e.t.sortMemory())
		}
	}
	e.record = slices.Grow(e.record[:0], room)
	for _, out := range []*sstable.Row{static, row} {
		if out == nil {
			continue
		}
		e.record = appendHead(e.record[:0], e.key, out.Static)
		if e.record, err = e.t.codec.AppendRow(e.record, out); err != nil {
			return &refusal{err}
		}
		if err := b.Add(at, e.t.codec.Schema().PlaceHint(out), e.record); err != nil {
			return err
		}
		e.bytes += int64(len(e.record))
	}
	return nil
}

// deletesPartitions reports whether each row stands for the deletion of its partition.
func (t *Target) deletesPartitions() bool { return t.o.Delete && t.o.DeleteBy == 0 }

// deletesRanges reports whether each row stands for the deletion of all rows with its first
// clustering values.
func (t *Target) deletesRanges() bool {
	return t.o.Delete && t.o.DeleteBy > 0 &&
		t.o.DeleteBy < len(t.o.Table.OfKind(schema.Clustering))
}

// cellRoom is the approximate size of a cell in a record besides its value, in bytes.
const cellRoom = 32

// room estimates the size of the row's record, in bytes. A large record that grows would be in
// memory twice.
func (e *encoder) room() int {
	n := len(e.key) + cellRoom
	for _, v := range e.values {
		n += len(v.Bytes) + cellRoom
	}
	return n
}

// statement adds the statement of a row, or of a part of one, at a place in the input.
func (e *encoder) statement(r *row.Row, place int64) {
	from := len(e.values)
	for _, c := range r.Cells {
		e.values = append(e.values, sstable.Value{Bytes: c.Bytes, State: states[c.State]})
	}
	ttl := r.TTL
	switch ttl {
	case 0:
		ttl = e.t.o.TTL
	case row.Forever:
		ttl = 0
	}
	if ttl > 0 {
		e.ttls.add(ttls{ttl, ttl})
	}
	e.statements = append(e.statements, sstable.Insert{
		Values:    e.values[from:len(e.values):len(e.values)],
		Timestamp: r.Timestamp,
		Place:     place,
		TTL:       ttl,
		Now:       e.t.expiries.base,
		Update:    r.Update,
	})
}

// states maps the states of cells to those of the codec.
var states = [...]sstable.State{
	row.Unset: sstable.Unset,
	row.Null:  sstable.Null,
	row.Set:   sstable.Set,
}
