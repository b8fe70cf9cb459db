package driver

import (
	"context"
	"errors"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// errExists is what a conditional insert is told of a row that is there.
var errExists = errors.New("there is a row of this key already")

// Once makes the writer write a row only where there is none of its key: as a
// lightweight transaction, one row a request, without a timestamp. A row that is there is
// an error of class NotApplied. It is to be called before the first Write, and has
// no meaning for counters.
//
// A request without an answer may be sent again. When the first was carried out
// after all, the second finds its row.
func (w *Writer) Once() *Writer {
	w.statements.once = true
	return w
}

// insertOnce sends one conditional insert.
func (w *Writer) insertOnce(ctx context.Context, st *statement, values []any) error {
	q := w.s.s.Query(st.text, values...).WithContext(ctx).Idempotent(true).NoSkipMetadata()
	if strings.HasPrefix(q.GetConsistency().String(), "LOCAL_") {
		q.SerialConsistency(gocql.LocalSerial)
	}
	iter := q.Iter()
	// The answer is a row that begins with whether it was applied; when it was
	// not, the row that is there follows.
	var applied cell
	places := []any{&applied}
	columns := iter.Columns()
	for i := range columns {
		elements := 1
		if tuple, ok := columns[i].TypeInfo.(gocql.TupleTypeInfo); ok {
			columns[i].TypeInfo = opaque
			elements = len(tuple.Elems)
		}
		if i > 0 {
			places = append(places, make([]any, elements)...)
		}
	}
	found := iter.Scan(places...)
	done := found && len(applied.bytes) == 1 && applied.bytes[0] == 1
	if err := iter.Close(); err != nil {
		return classify(ctx, err)
	}
	if !done {
		return fault.New(fault.NotApplied, errExists)
	}
	return nil
}
