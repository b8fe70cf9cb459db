package driver

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// notAppliedError is the error of a write whose condition did not hold.
type notAppliedError struct {
	insert bool // IF NOT EXISTS, of the writer
	same   bool
	found  []row.Value
}

func (e *notAppliedError) Error() string {
	if e.insert {
		return "there is a row of this key already"
	}
	return "the condition is not met"
}

// Same reports whether the existing row has the values of an insert.
func (e *notAppliedError) Same() bool { return e.same }

// Found returns the values that the server found, with their own bytes. It is empty if there is no
// row of the key.
func (e *notAppliedError) Found() []row.Value { return e.found }

// Once makes the writer write a row only if no row has its key. It uses a lightweight transaction,
// one row a request, without a timestamp. If the row exists, the error has class NotApplied. Once
// must be called before the first Write. It has no effect on counters.
//
// A request without an answer may be retried. If the first was carried out after all, the second
// finds its row, and the error reports that (method Same).
func (w *Writer) Once() *Writer {
	w.statements.once = true
	return w
}

// writeOnce sends one conditional statement.
func (w *Writer) writeOnce(ctx context.Context, st *statement, values []any, r row.Row) error {
	q := w.s.query(st.text, values).
		WithContext(ctx).
		Idempotent(w.Idempotent()).
		NoSkipMetadata()
	if strings.HasPrefix(q.GetConsistency().String(), "LOCAL_") {
		q.SerialConsistency(gocql.LocalSerial)
	}
	iter := q.Iter()
	// The answer is a row that begins with whether the insert was applied. If it was not, the
	// existing row follows.
	columns := iter.Columns()
	cells := make([]cell, len(columns))
	var places []any
	for i := range columns {
		places = append(places, &cells[i])
	}
	told := iter.Scan(places...) && columns[0].Name == "[applied]" && len(cells[0].bytes) == 1
	applied := told && cells[0].bytes[0] != 0
	refused := &notAppliedError{insert: w.statements.given == nil}
	if told && !applied {
		refused.same = refused.insert && w.same(r, columns, cells)
		refused.found = foundValues(columns[1:], cells[1:])
	}
	err := iter.Close()
	switch {
	case err != nil:
		return classify(ctx, err)
	case !told:
		return fault.New(
			fault.Unknown,
			errors.New("the server did not report whether a conditional write was applied"),
		)
	case !applied:
		return &fault.Error{Class: fault.NotApplied, Err: refused, Answered: true}
	default:
		return nil
	}
}

// foundValues returns the cells of an answer as values, except for those of unknown types.
func foundValues(columns []gocql.ColumnInfo, cells []cell) []row.Value {
	found := make([]row.Value, 0, len(columns))
	for i, c := range columns {
		if t, err := typeOf(c.TypeInfo); err == nil {
			value := row.Value{Name: c.Name, Type: t, Bytes: bytes.Clone(cells[i].bytes)}
			found = append(found, value)
		}
	}
	return found
}

// same reports whether the existing row has the values of the insert. Sets and maps in another
// order count as different.
func (w *Writer) same(r row.Row, columns []gocql.ColumnInfo, there []cell) bool {
	for i, c := range w.statements.columns {
		at := slices.IndexFunc(
			columns,
			func(info gocql.ColumnInfo) bool { return info.Name == c.Name },
		)
		if r.Cells[i].State == row.Set &&
			(at < 0 || !bytes.Equal(r.Cells[i].Bytes, there[at].bytes)) {
			return false
		}
	}
	return true
}
