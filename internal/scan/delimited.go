package scan

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Delimited encodes rows as lines of delimited text. It is planned once for all columns. Each
// goroutine needs its own.
type Delimited struct {
	format  dsv.Format
	columns []schema.Selector
	codecs  []cqltext.Codec
	text    []bool // by column: it has text, which is written unchanged
	null    []byte
	escape  bool // against spreadsheets that execute text
	scratch []byte
}

// NewDelimited plans an encoder of the columns. null is the text of null values, empty in lossless
// output. It returns an error for a type without a text form, and for a null text that would need
// quotes, since quotes distinguish it from a value.
func NewDelimited(columns []schema.Selector, format dsv.Format, null string) (*Delimited, error) {
	if format.NeedsQuotes([]byte(null)) {
		return nil, fmt.Errorf(
			"text for null values %q: it must not hold the delimiter, the quote or a line break",
			null,
		)
	}
	e := &Delimited{format: format, columns: columns, null: []byte(null)}
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

// EscapeFormulas puts a single quote before text that a spreadsheet would execute as a formula.
// Such text begins with =, +, -, @, a tab or a carriage return (OWASP, CSV Injection). When it is
// loaded again, it is different.
func (e *Delimited) EscapeFormulas() { e.escape = true }

// isFormula reports whether a spreadsheet would execute a text.
func isFormula(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	default:
		return false
	}
}

// AppendHeader appends the line of column names.
func (e *Delimited) AppendHeader(dst []byte) []byte {
	for i, c := range e.columns {
		if i > 0 {
			dst = append(dst, e.format.Delimiter)
		}
		dst = e.format.AppendField(dst, []byte(c.Name), true)
	}
	return append(dst, '\n')
}

// AppendRow appends one row as a line. There must be a cell for each column. Null is written as the
// null text, without quotes. A value with the same text is quoted, and so is an empty one. If the
// null text is empty, a row of a single null is a blank line. The error of a malformed value names
// the column.
func (e *Delimited) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	for i, cell := range cells[:len(e.columns)] {
		if i > 0 {
			dst = append(dst, e.format.Delimiter)
		}
		if cell == nil {
			dst = append(dst, e.null...)
			continue
		}
		text := cell
		if !e.text[i] {
			var err error
			if text, err = e.codecs[i].AppendText(e.scratch[:0], cell); err != nil {
				return dst, fmt.Errorf("column %q: %w", e.columns[i].Name, err)
			}
			e.scratch = text
		} else if e.escape && isFormula(text) {
			e.scratch = append(append(e.scratch[:0], '\''), text...)
			text = e.scratch
		}
		if len(e.null) > 0 && string(text) == string(e.null) {
			dst = e.format.AppendQuoted(dst, text)
		} else {
			dst = e.format.AppendField(dst, text, true)
		}
	}
	if cap(e.scratch) > largeText {
		e.scratch = nil
	}
	return append(dst, '\n'), nil
}
