package format

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// delimitedOutput is rows as lines of delimited text.
type delimitedOutput struct {
	plainEnd
	format  dsv.Format
	columns []schema.Selector
	codecs  []textAppender
	text    []bool // by column: it has text, which is written unchanged
	null    []byte
	escape  bool // against spreadsheets that execute text
	header  bool
	// quotesEmpty is true if an empty value has quotes, which null does not have
	quotesEmpty bool
	lineEnd     string
}

// textAppender appends the text of a value.
type textAppender interface {
	AppendText(dst, wire []byte) ([]byte, error)
}

// Output implements Format. o.Null is the text of null values, empty in lossless output. It returns
// an error for a null text that would need quotes, since quotes distinguish it from a value, unless
// o.CSVWriter is true.
//
// o.EscapeFormulas puts a single quote before text that a spreadsheet would execute as a formula.
// Such text begins with =, +, -, @, a tab or a carriage return (OWASP, CSV Injection).
func (d Delimited) Output(columns []schema.Selector, o OutputOptions) (Output, error) {
	if !o.CSVWriter && d.NeedsQuotes([]byte(o.Null)) {
		return nil, fmt.Errorf(
			"text for null values %q: it must not hold the delimiter, the quote or a line break",
			o.Null,
		)
	}
	out := &delimitedOutput{
		format:      d.Format,
		columns:     columns,
		null:        []byte(o.Null),
		escape:      o.EscapeFormulas,
		header:      o.Header,
		quotesEmpty: true,
		lineEnd:     "\n",
	}
	if o.CSVWriter {
		out.null = d.AppendField(nil, []byte(o.Null), false)
		out.quotesEmpty, out.lineEnd = false, "\r\n"
	}
	for _, c := range columns {
		codec, err := cqltext.Plan(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		var appender textAppender = codec
		other, err := o.textOf(c)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		if other != nil {
			appender = other
		}
		out.codecs = append(out.codecs, appender)
		out.text = append(out.text, cqltext.TextLike(c.Type))
	}
	return out, nil
}

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

// AppendBegin appends the line of column names, if there is a header.
func (o *delimitedOutput) AppendBegin(dst []byte) []byte {
	if !o.header {
		return dst
	}
	for i, c := range o.columns {
		if i > 0 {
			dst = o.format.AppendDelimiter(dst)
		}
		dst = o.format.AppendField(dst, []byte(c.Name), true)
	}
	return append(dst, o.lineEnd...)
}

// NewEncoder implements Output.
func (o *delimitedOutput) NewEncoder() Encoder { return &delimitedEncoder{delimitedOutput: o} }

// delimitedEncoder encodes rows as lines of delimited text.
type delimitedEncoder struct {
	*delimitedOutput
	scratch []byte
}

// AppendRow appends one row as a line. Null is written as the null text, without quotes. A value
// with the same text is quoted, and so is an empty one. If the null text is empty, a row of a
// single null is a blank line. With OutputOptions.CSVWriter none of that holds. A row of a single
// empty field has quotes then.
func (e *delimitedEncoder) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	mark := len(dst)
	for i, cell := range cells[:len(e.columns)] {
		if i > 0 {
			dst = e.format.AppendDelimiter(dst)
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
		if e.quotesEmpty && len(e.null) > 0 && string(text) == string(e.null) {
			dst = e.format.AppendQuoted(dst, text)
		} else {
			dst = e.format.AppendField(dst, text, e.quotesEmpty)
		}
	}
	if cap(e.scratch) > largeText {
		e.scratch = nil
	}
	if !e.quotesEmpty && len(dst) == mark {
		dst = e.format.AppendQuoted(dst, nil)
	}
	return append(dst, e.lineEnd...), nil
}
