package ingest

import (
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
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
	check := &m.checks[column]
	if err := check.layout.CheckAs(check.use, dst[mark:]); err != nil {
		return dst[:mark], err
	}
	return dst, nil
}
