package ingest

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// summer makes the checksum of rows as a scan will read them. It belongs to one
// goroutine.
type summer struct {
	of     *Mapping // that the rest is made for
	hasher *rowsum.Hasher
	values [][]byte // of one row, in the order of the table's columns
	whole  []byte   // scratch for values that get fields
}

// row returns a row's part of the checksum.
func (s *summer) row(m *Mapping, cells []row.Cell) rowsum.Sum {
	if s.of != m {
		types := make([]*cqltype.Type, len(m.summed))
		for i, column := range m.summed {
			types[i] = m.Columns[column].Type
		}
		s.of, s.hasher, s.values = m, rowsum.New(types), make([][]byte, len(m.summed))
	}
	s.whole = s.whole[:0]
	for i, column := range m.summed {
		switch c := cells[column]; {
		case c.State != row.Set:
			s.values[i] = nil
		case c.Bytes == nil:
			s.values[i] = []byte{}
		default:
			s.values[i] = s.kept(m.shapes[column], c.Bytes)
		}
	}
	return s.hasher.Row(s.values)
}

// kept returns what the servers return of a value, nil for null. Of a value that is not frozen they
// keep the elements, or the fields that are not null. If there are none, they keep nothing. A user
// type comes back with all its fields.
func (s *summer) kept(shape shape, wire []byte) []byte {
	switch {
	case shape.many && elements(wire) == 0:
		return nil
	case shape.fields > 0:
		return s.withFields(wire, shape.fields)
	default:
		return wire
	}
}

// withFields returns a user type's value with all fields of the type, nil if all of them are null.
func (s *summer) withFields(wire []byte, fields int) []byte {
	found, null := 0, true
	_, length, pos, ok := cqlwire.ElemAt(wire, 0)
	for ; ok; found++ {
		null = null && length < 0
		_, length, pos, ok = cqlwire.ElemAt(wire, pos)
	}
	switch {
	case null:
		return nil
	case found == fields:
		return wire
	}
	from := len(s.whole)
	s.whole = append(s.whole, wire...)
	for ; found < fields; found++ {
		s.whole = cqlwire.AppendNull(s.whole)
	}
	return s.whole[from:len(s.whole):len(s.whole)]
}
