package scan

import (
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Text is the form of an output: JSON lines, or delimited text, to which the other fields apply.
type Text struct {
	JSON           bool
	Format         dsv.Format
	Null           string // text of null values
	Header         bool   // each file begins with the names of the columns
	EscapeFormulas bool   // against spreadsheets that execute text
}

// Begin returns the bytes that each file begins with; nil: none. It returns an error if the columns
// cannot be written as delimited text.
func (t Text) Begin(columns []schema.Selector) ([]byte, error) {
	if t.JSON {
		return nil, nil
	}
	e, err := NewDelimited(columns, t.Format, t.Null)
	if err != nil || !t.Header {
		return nil, err
	}
	return e.AppendHeader(nil), nil
}

// NewEncoder plans an encoder of the columns.
func (t Text) NewEncoder(columns []schema.Selector) (Encoder, error) {
	if t.JSON {
		return NewJSON(columns)
	}
	e, err := NewDelimited(columns, t.Format, t.Null)
	if err == nil && t.EscapeFormulas {
		e.EscapeFormulas()
	}
	return e, err
}
