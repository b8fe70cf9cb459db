package scan

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Encoder turns rows of cells into lines of delimited text. It is planned once
// for all columns. Each goroutine needs its own.
type Encoder struct {
	format  dsv.Format
	columns []schema.Column
	codecs  []cqltext.Codec
	text    []bool // column holds text, whose empty value must be told from null
	null    []byte
	scratch []byte
}

// NewEncoder plans an encoder of the columns; null is the text for null values,
// empty in lossless output.
func NewEncoder(columns []schema.Column, format dsv.Format, null string) (*Encoder, error) {
	e := &Encoder{format: format, columns: columns, null: []byte(null)}
	for _, c := range columns {
		codec, err := cqltext.Plan(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		e.codecs = append(e.codecs, codec)
		e.text = append(e.text, cqltext.TextLike(c.Type))
	}
	return e, nil
}

// AppendHeader appends the line of column names.
func (e *Encoder) AppendHeader(dst []byte) []byte {
	for i, c := range e.columns {
		if i > 0 {
			dst = append(dst, e.format.Delimiter)
		}
		dst = e.format.AppendField(dst, []byte(c.Name), true)
	}
	return append(dst, '\n')
}

// AppendRow appends one row as a line. Null is the null text as it is; a text
// that would read as null is quoted.
func (e *Encoder) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, e.format.Delimiter)
		}
		if cell == nil {
			dst = append(dst, e.null...)
			continue
		}
		if e.text[i] {
			if len(e.null) > 0 && string(cell) == string(e.null) {
				dst = e.format.AppendQuoted(dst, cell)
			} else {
				dst = e.format.AppendField(dst, cell, true)
			}
			continue
		}
		text, err := e.codecs[i].AppendText(e.scratch[:0], cell)
		if err != nil {
			return dst, fmt.Errorf("column %q: %w", e.columns[i].Name, err)
		}
		e.scratch = text
		dst = e.format.AppendField(dst, text, true)
	}
	return append(dst, '\n'), nil
}
