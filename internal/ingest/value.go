package ingest

import (
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// valueCheck refuses the values of a column that a server refuses when a client binds them.
// Streaming bypasses the server's own check, and what passes neither makes a partition that no node
// can read.
type valueCheck struct {
	layout *cqlwire.Layout
	use    cqlwire.Use
}

func checkOf(c schema.Column) (valueCheck, error) {
	layout, err := cqlwire.Plan(c.Type)
	check := valueCheck{layout: layout, use: cqlwire.Bound}
	switch {
	case c.Kind == schema.PartitionKey:
		check.use = cqlwire.BoundKey
	case c.Kind == schema.Clustering && c.Desc:
		check.use = cqlwire.Compared
	case c.Kind == schema.Clustering:
		check.use = cqlwire.BoundClustering
	}
	return check, err
}

// appendWire appends the value of a column that a text of any input stands for. Each value of each
// format and dialect passes here, whatever writes it then.
func (m *Mapping) appendWire(dst []byte, column int, codec Codec, text []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := codec.AppendWire(dst, text)
	if err != nil {
		return dst, err
	}
	if err := m.checks[column].check(dst[mark:]); err != nil {
		return dst[:mark], err
	}
	return dst, nil
}

func (c *valueCheck) check(wire []byte) error { return c.layout.CheckAs(c.use, wire) }

// largeValue is the size in bytes from which a value is not copied if it stands in the input as it
// is written.
const largeValue = 64 << 10

// value returns the value of a column that a field of a chunk stands for. text is the field's, in
// UTF-8. A large text that stands in the chunk as it is written is the value itself: a copy would
// take the same memory once more.
func (m *Mapping) value(
	c *chunk,
	column int,
	rec dsv.Record,
	field int,
	text []byte,
) ([]byte, error) {
	if own := m.asIs[column]; own != nil && len(text) >= largeValue && standsIn(rec, field, text) {
		if err := own.CheckWire(text); err != nil {
			return nil, err
		}
		return text[:len(text):len(text)], m.checks[column].check(text)
	}
	at := len(c.arena)
	var err error
	c.arena, err = m.appendWire(c.arena, column, m.codecs[column], text)
	return c.arena[at:len(c.arena):len(c.arena)], err
}

// standsIn reports whether a text that is not empty is the bytes of the record at that field.
func standsIn(rec dsv.Record, field int, text []byte) bool {
	f := &rec.Fields[field]
	at := f.Offset
	if f.Quoted {
		at++
	}
	return at < len(rec.Raw) && &rec.Raw[at] == &text[0]
}
