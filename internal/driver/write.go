package driver

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// Writer writes rows into one table: inserts, each with its own client timestamp, or increments of
// counters. It is safe for concurrent use.
type Writer struct {
	s          *Session
	table      string // as in CQL
	statements *statements
}

// Writer makes a writer of some columns of a table. They must contain the primary key, or at least
// the partition key if the table has static columns.
func (s *Session) Writer(t *schema.Table, columns []schema.Column) *Writer {
	return &Writer{s: s, table: t.String(), statements: newStatements(t, columns)}
}

// WithTTL makes the rows without a time to live of their own expire after that many seconds; 0: the
// table's default. It must be called before the first Write. It has no effect on counters.
func (w *Writer) WithTTL(seconds int) *Writer {
	w.statements.ttl = seconds
	return w
}

// Timeless makes the servers choose the write times of the rows. It must be called before the first
// Write.
func (w *Writer) Timeless() *Writer {
	w.statements.timeless = true
	return w
}

// Idempotent reports whether writing a row twice does no harm. It is false for counters and
// non-frozen lists. The server chooses the positions of such a list's elements, and the deletion
// before them has a timestamp just below theirs. So a second insert leaves the elements of the
// first in place (CASSANDRA-11368). A conditional insert does no harm. Of a statement of a user it
// is what its use says.
func (w *Writer) Idempotent() bool {
	if w.statements.given != nil {
		return w.statements.repeatable
	}
	return w.statements.once || !w.statements.counter && !w.statements.lists
}

// Write sends rows as one request to the given node (any node if host is empty). The request is a
// single statement, or an unlogged batch (a counter batch for counters). A row's time to live has
// no effect on counters. Write does not use the rows' bytes after it returns.
//
// On ScyllaDB, a request for one node goes to the shard of its first row (see [row.Row]), which is
// the shard of all rows of one partition.
func (w *Writer) Write(ctx context.Context, host string, rows []row.Row) error {
	ctx, err := w.s.chooseNode(ctx, host, w.table, rows[0].Token)
	if err != nil {
		return err
	}
	b := binders.Get().(*binder)
	defer b.release()
	b.reserve(w.statements, rows)
	if len(rows) == 1 {
		st := b.bind(w.statements, rows[0])
		if w.statements.once {
			return w.writeOnce(ctx, st, b.values, rows[0])
		}
		return done(
			ctx,
			w.s.query(st.text, b.values).WithContext(ctx).Idempotent(w.Idempotent()).Iter(),
		)
	}
	kind := gocql.UnloggedBatch
	if w.statements.counter {
		kind = gocql.CounterBatch
	}
	batch := w.s.s.Batch(kind).WithContext(ctx)
	for i, r := range rows {
		from := len(b.values)
		st := b.bind(w.statements, r)
		values := b.values[from:len(b.values):len(b.values)]
		if i == 0 {
			batch.Bind(st.text, eachTime(values))
			batch.Entries[0].Idempotent = w.Idempotent()
			continue
		}
		batch.Entries = append(
			batch.Entries,
			gocql.BatchEntry{Stmt: st.text, Args: values, Idempotent: w.Idempotent()},
		)
	}
	return classify(ctx, batch.Exec())
}

// done returns nil if an insert was carried out. An answer with rows is not one to an insert.
func done(ctx context.Context, iter *gocql.Iter) error {
	rows := len(iter.Columns()) > 0
	if err := iter.Close(); err != nil {
		return classify(ctx, err)
	}
	if rows {
		return fault.New(fault.Unknown, errors.New("the server answered a write with rows"))
	}
	return nil
}

// binder holds the values of one request. Its arrays must not grow while there are pointers into
// them, so reserve makes room for everything first.
type binder struct {
	cells  []cell
	values []any
	times  []byte
}

var binders = sync.Pool{New: func() any { return new(binder) }}

func (b *binder) release() {
	clear(b.cells[:cap(b.cells)])
	clear(b.values[:cap(b.values)])
	binders.Put(b)
}

func (b *binder) reserve(s *statements, rows []row.Row) {
	n := 0
	for _, r := range rows {
		n += len(r.Cells) + 2
	}
	if s.given != nil { // it may take one cell twice
		n = len(rows) * len(s.given.order)
	}
	if cap(b.cells) < n {
		b.cells, b.values = make([]cell, 0, n), make([]any, 0, n)
	}
	if cap(b.times) < 12*len(rows) {
		b.times = make([]byte, 0, 12*len(rows))
	}
	b.cells, b.values, b.times = b.cells[:0], b.values[:0], b.times[:0]
}

// bind appends a row's values in the order of its statement's markers.
func (b *binder) bind(s *statements, r row.Row) *statement {
	st := s.of(r)
	for place, i := range st.order {
		from := len(b.times)
		switch i {
		case stampPlace:
			b.times = binary.BigEndian.AppendUint64(b.times, uint64(r.Timestamp))
			b.add(row.Cell{State: row.Set, Bytes: b.times[from:]})
		case ttlPlace:
			b.times = binary.BigEndian.AppendUint32(b.times, uint32(max(r.TTL, 0)))
			b.add(row.Cell{State: row.Set, Bytes: b.times[from:]})
		default:
			c := r.Cells[i]
			if c.State == row.Unset && st.unsetIsNull != nil && st.unsetIsNull[place] {
				c.State = row.Null
			}
			b.add(c)
		}
	}
	return st
}

func (b *binder) add(c row.Cell) {
	switch c.State {
	case row.Unset:
		b.values = append(b.values, gocql.UnsetValue)
	case row.Null:
		b.cells = append(b.cells, cell{})
		b.values = append(b.values, &b.cells[len(b.cells)-1])
	default:
		bytes := c.Bytes
		if bytes == nil {
			bytes = []byte{}
		}
		b.cells = append(b.cells, cell{bytes})
		b.values = append(b.values, &b.cells[len(b.cells)-1])
	}
}
