package scan

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
)

// JSON encodes rows as JSON lines: an object per line, with its members in the order of the
// selection, and null for null values.
type JSON struct {
	columns []schema.Selector
	names   [][]byte // "name": with the comma before it
	values  []cqljson.Encoder
}

// NewJSON plans an encoder of the selection.
func NewJSON(selection []schema.Selector) (*JSON, error) {
	e := &JSON{columns: selection}
	for i, s := range selection {
		value, err := cqljson.Plan(s.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", s.Name, err)
		}
		var name []byte
		if i > 0 {
			name = append(name, ',')
		}
		e.names = append(e.names, append(cqljson.AppendString(name, []byte(s.Name)), ':'))
		e.values = append(e.values, value)
	}
	return e, nil
}

// AppendRow appends one row as a line.
func (e *JSON) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	dst = append(dst, '{')
	for i, value := range e.values {
		dst = append(dst, e.names[i]...)
		if cells[i] == nil {
			dst = append(dst, "null"...)
			continue
		}
		var err error
		if dst, err = value.AppendJSON(dst, cells[i]); err != nil {
			return dst, fmt.Errorf("column %q: %w", e.columns[i].Name, err)
		}
	}
	return append(dst, '}', '\n'), nil
}
