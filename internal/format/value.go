package format

import (
	"fmt"

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

// checksOf returns the checks of columns. The error names the column.
func checksOf(columns []schema.Column) ([]valueCheck, error) {
	checks := make([]valueCheck, len(columns))
	for i, c := range columns {
		var err error
		if checks[i], err = checkOf(c); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return checks, nil
}

// appendWire appends the value that a text stands for. Each value of each format and dialect passes
// here or by check, whatever writes it then.
func (c *valueCheck) appendWire(dst []byte, codec Codec, text []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := codec.AppendWire(dst, text)
	if err != nil {
		return dst, err
	}
	if err := c.check(dst[mark:]); err != nil {
		return dst[:mark], err
	}
	return dst, nil
}

func (c *valueCheck) check(wire []byte) error { return c.layout.CheckAs(c.use, wire) }
