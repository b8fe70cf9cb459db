package reconcile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// cells makes the values that are selected of the static or of the regular columns.
type cells struct {
	selected []selected
	spans    []span // for each column of the table, where its live cells are
	buf      []byte // of values that are no cell's own
	copied   bool   // all values are in buf
}

// span is where the live cells of a column are in a row; there may be others among them.
type span struct{ from, to int }

// noValue is an empty value, which is not null.
var noValue = []byte{}

// reset makes all values null.
func (c *cells) reset(values [][]byte) {
	c.buf = c.buf[:0]
	for i := range c.selected {
		values[c.selected[i].out] = nil
	}
}

// find finds the live cells of a row, and reports whether there are any.
func (c *cells) find(row *sstable.Row, now int64) bool {
	clear(c.spans)
	live := false
	for i := range row.Cells {
		cell := &row.Cells[i]
		if !cellLive(cell, now) {
			continue
		}
		live = true
		s := &c.spans[cell.Column]
		if s.to == 0 {
			s.from = i
		}
		s.to = i + 1
	}
	return live
}

// fill makes the values of the cells that find found.
func (c *cells) fill(values [][]byte, row *sstable.Row, now int64) error {
	for i := range c.selected {
		s := &c.selected[i]
		at := c.spans[s.column]
		if at.to == 0 {
			continue
		}
		value, err := c.value(s, row.Cells[at.from:at.to], now)
		if err != nil {
			return fmt.Errorf("column %.100q: %w", s.name, err)
		}
		values[s.out] = value
	}
	return nil
}

// value returns the value of the live cells of one column. The first of the cells is live.
func (c *cells) value(s *selected, of []sstable.Cell, now int64) ([]byte, error) {
	from := len(c.buf)
	var err error
	switch s.operation {
	case simpleValue:
		if value := of[0].Value; len(value) == 0 {
			return noValue, nil
		} else if !c.copied {
			return value, nil
		}
		c.buf = append(c.buf, of[0].Value...)
	case counterValue:
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(sstable.CounterValue(of[0].Value)))
	case writeTime:
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(of[0].Timestamp))
	case timeToLive:
		if of[0].Kind != sstable.Expiring {
			return nil, nil
		}
		c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(of[0].Time-now))
	case elementTimes, elementTTLs:
		c.buf = appendTimes(c.buf, of, s.operation, now)
	case fieldsValue:
		c.buf, err = appendFields(c.buf, of, s.fields, now)
	default:
		c.buf = appendElements(c.buf, of, s.operation, now)
	}
	return c.buf[from:len(c.buf):len(c.buf)], err
}

// appendElements appends a list, a set or a map of the live cells of a column
// (CollectionType.serializeForNativeProtocol).
func appendElements(dst []byte, of []sstable.Cell, o operation, now int64) []byte {
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	n := 0
	for i := range of {
		cell := &of[i]
		if !cellLive(cell, now) {
			continue
		}
		n++
		if o != listValue {
			dst = appendElement(dst, cell.Path)
		}
		if o != setValue {
			dst = appendElement(dst, cell.Value)
		}
	}
	cqlwire.PutCount(dst, mark, n)
	return dst
}

// appendTimes appends a list of the timestamps or of the times to live of the live cells of a
// column. The time to live is null for a cell that does not expire.
func appendTimes(dst []byte, of []sstable.Cell, o operation, now int64) []byte {
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	n := 0
	for i := range of {
		cell := &of[i]
		if !cellLive(cell, now) {
			continue
		}
		n++
		switch {
		case o == elementTimes:
			dst = cqlwire.AppendCount(dst, 8)
			dst = binary.BigEndian.AppendUint64(dst, uint64(cell.Timestamp))
		case cell.Kind == sstable.Expiring:
			dst = cqlwire.AppendCount(dst, 4)
			dst = binary.BigEndian.AppendUint32(dst, uint32(cell.Time-now))
		default:
			dst = cqlwire.AppendNull(dst)
		}
	}
	cqlwire.PutCount(dst, mark, n)
	return dst
}

// appendElement appends an element, which is never null.
func appendElement(dst, element []byte) []byte {
	return append(cqlwire.AppendCount(dst, len(element)), element...)
}

// errField says that the path of a cell is not that of a field.
var errField = errors.New("a cell of a user type is not that of a field")

// appendFields appends a value of a user type, with null for each field that has no live cell, the
// last ones too (UserType.serializeForNativeProtocol).
func appendFields(dst []byte, of []sstable.Cell, fields int, now int64) ([]byte, error) {
	next := 0
	for i := range of {
		cell := &of[i]
		if !cellLive(cell, now) {
			continue
		}
		if len(cell.Path) != 2 {
			return dst, errField
		}
		field := int(binary.BigEndian.Uint16(cell.Path))
		if field >= fields {
			return dst, errField
		}
		for ; next < field; next++ {
			dst = cqlwire.AppendNull(dst)
		}
		dst = appendElement(dst, cell.Value)
		next++
	}
	for ; next < fields; next++ {
		dst = cqlwire.AppendNull(dst)
	}
	return dst, nil
}
