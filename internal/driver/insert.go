package driver

import (
	"fmt"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// A row's shape decides which statement writes it. Most tables have one shape.
// Three things make more:
//
//   - The driver takes a tuple apart and cannot bind one as a whole, so a tuple
//     column is written as a literal of markers, one for each element present;
//     how many there are and which nested tuples are null is part of the text.
//   - A row may have a time to live of its own.
//   - A row whose clustering columns are all absent carries only the static
//     columns of its partition, and names no other column.

// statements builds and keeps the text for each shape. Safe for concurrent use.
type statements struct {
	table   *schema.Table
	columns []schema.Column
	counter bool
	hasCK   bool
	lists   bool // there are lists that are not frozen
	statics bool
	tuples  []int // indexes of the tuple columns
	ttl     int   // seconds, of rows without one of their own; 0: the table's
	once    bool  // rows are inserted only where there is none of their key

	mu   sync.RWMutex
	text map[string]*statement // by shape
}

// statement is the text of one shape and the order its markers take the cells in.
type statement struct {
	text  string
	order []int // indexes of the columns, in the order of their markers
}

func newStatements(t *schema.Table, columns []schema.Column) *statements {
	s := &statements{table: t, columns: columns, counter: t.IsCounter(), text: make(map[string]*statement)}
	for i, c := range columns {
		if c.Type.Kind == cqltype.Tuple {
			s.tuples = append(s.tuples, i)
		}
		s.lists = s.lists || c.Type.Kind == cqltype.List && !c.Type.Frozen
		s.hasCK = s.hasCK || c.Kind == schema.Clustering
		s.statics = s.statics || c.Kind == schema.Static
	}
	return s
}

// staticOnly says whether the row carries nothing but static columns.
func (s *statements) staticOnly(cells []row.Cell) bool {
	if !s.statics || !s.hasCK {
		return false
	}
	for i, c := range s.columns {
		if c.Kind == schema.Clustering && cells[i].State == row.Set {
			return false
		}
	}
	return true
}

// of finds the statement for a row, using scratch for the shape's text.
func (s *statements) of(r row.Row, scratch []byte) (*statement, []byte) {
	shape := scratch[:0]
	static := s.staticOnly(r.Cells)
	if static {
		shape = append(shape, 's')
	}
	if r.TTL != 0 {
		shape = append(shape, 't')
	}
	for _, i := range s.tuples {
		shape = appendShape(shape, s.columns[i].Type, r.Cells[i])
	}
	s.mu.RLock()
	st := s.text[string(shape)]
	s.mu.RUnlock()
	if st != nil {
		return st, shape
	}
	st = s.build(r, static)
	s.mu.Lock()
	s.text[string(shape)] = st
	s.mu.Unlock()
	return st, shape
}

func (s *statements) build(r row.Row, static bool) *statement {
	if s.counter {
		return s.buildUpdate()
	}
	st := &statement{}
	var names, markers []string
	for i, c := range s.columns {
		if static && (c.Kind == schema.Clustering || c.Kind == schema.Regular) {
			continue
		}
		names = append(names, cqltype.QuoteIdent(c.Name))
		if c.Type.Kind != cqltype.Tuple {
			markers = append(markers, "?")
			st.order = append(st.order, i)
			continue
		}
		if r.Cells[i].State == row.Unset {
			names = names[:len(names)-1]
			continue
		}
		markers = append(markers, string(appendShape(nil, c.Type, r.Cells[i])))
		st.order = append(st.order, i)
	}
	st.text = "INSERT INTO " + s.table.String() + " (" + strings.Join(names, ", ") + ") VALUES (" +
		strings.Join(markers, ", ") + ")" + s.using(r.TTL)
	return st
}

// using is the end of an INSERT for a row with the given time to live.
func (s *statements) using(ttl int32) string {
	var condition string
	var times []string
	if s.once {
		condition = " IF NOT EXISTS"
	} else {
		times = append(times, "TIMESTAMP ?")
	}
	if ttl != 0 {
		times = append(times, "TTL ?")
	} else if s.ttl > 0 {
		times = append(times, fmt.Sprintf("TTL %d", s.ttl))
	}
	if len(times) == 0 {
		return condition
	}
	return condition + " USING " + strings.Join(times, " AND ")
}

// buildUpdate is the statement for counters: the cells are added to them.
func (s *statements) buildUpdate() *statement {
	st := &statement{}
	var set, where []string
	for i, c := range s.columns {
		if !c.IsKey() {
			name := cqltype.QuoteIdent(c.Name)
			set = append(set, name+" = "+name+" + ?")
			st.order = append(st.order, i)
		}
	}
	for i, c := range s.columns {
		if c.IsKey() {
			where = append(where, cqltype.QuoteIdent(c.Name)+" = ?")
			st.order = append(st.order, i)
		}
	}
	st.text = "UPDATE " + s.table.String() + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	return st
}

// appendShape writes a tuple as CQL with a marker for each element that is not
// itself a tuple: (?, (?, ?), null).
func appendShape(dst []byte, t *cqltype.Type, c row.Cell) []byte {
	switch c.State {
	case row.Unset:
		return append(dst, 'u')
	case row.Null:
		return append(dst, "null"...)
	}
	dst = append(dst, '(')
	eachElement(t, c.Bytes, func(i int, elem *cqltype.Type, value row.Cell) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if elem.Kind == cqltype.Tuple {
			dst = appendShape(dst, elem, value)
		} else {
			dst = append(dst, '?')
		}
	})
	return append(dst, ')')
}

// eachElement calls f for each element that is present in a tuple's wire bytes.
func eachElement(t *cqltype.Type, wire []byte, f func(i int, elem *cqltype.Type, value row.Cell)) {
	pos := 0
	for i, elem := range t.Elems {
		value, length, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok {
			return // the tuple has no more elements
		}
		cell := row.Cell{State: row.Set, Bytes: value}
		if length < 0 {
			cell = row.Cell{State: row.Null}
		}
		f(i, elem, cell)
		pos = next
	}
}
