package format

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
)

// jsonOutput is rows as JSON lines: an object per line, with its members in the order of the
// columns, and null for null values. Its encoders have no state.
type jsonOutput struct {
	plainEnd
	columns []schema.Selector
	names   [][]byte // "name": with the comma before it
	values  []cqljson.Encoder
	omit    bool // no members for null values
}

// Output implements Format. There is no header, and null has no other text.
func (JSON) Output(columns []schema.Selector, o OutputOptions) (Output, error) {
	if o.EscapeFormulas {
		return nil, errors.New("spreadsheets read delimited text, and not JSON")
	}
	out := &jsonOutput{columns: columns, omit: o.OmitNulls}
	for i, s := range columns {
		value, err := cqljson.Plan(s.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", s.Name, err)
		}
		var name []byte
		if i > 0 {
			name = append(name, ',')
		}
		out.names = append(out.names, append(cqljson.AppendString(name, []byte(s.Name)), ':'))
		other, err := o.textOf(s)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", s.Name, err)
		}
		if other != nil {
			value = jsonText{other}
		}
		out.values = append(out.values, value)
	}
	return out, nil
}

// jsonText makes JSON of the texts of values: strings, or numbers.
type jsonText struct{ text ValueText }

// AppendJSON implements cqljson.Encoder.
func (j jsonText) AppendJSON(dst, wire []byte) ([]byte, error) {
	if j.text.IsNumber() {
		return j.text.AppendText(dst, wire)
	}
	mark := len(dst)
	dst, err := j.text.AppendText(append(dst, '"'), wire)
	if err != nil {
		return dst[:mark], err
	}
	text := dst[mark+1:]
	if bytes.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' }) {
		return cqljson.AppendString(dst[:mark], bytes.Clone(text)), nil
	}
	return append(dst, '"'), nil
}

// AppendBegin implements Output. Nothing stands before the first object.
func (*jsonOutput) AppendBegin(dst []byte) []byte { return dst }

// NewEncoder implements Output.
func (o *jsonOutput) NewEncoder() Encoder { return o }

// AppendRow appends one row as a line.
func (o *jsonOutput) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	dst = append(dst, '{')
	begin := len(dst)
	for i, value := range o.values {
		if cells[i] == nil && o.omit {
			continue
		}
		name := o.names[i]
		if i > 0 && len(dst) == begin {
			name = name[1:] // without the comma
		}
		dst = append(dst, name...)
		if cells[i] == nil {
			dst = append(dst, "null"...)
			continue
		}
		var err error
		if dst, err = value.AppendJSON(dst, cells[i]); err != nil {
			return dst, fmt.Errorf("column %q: %w", o.columns[i].Name, err)
		}
	}
	return append(dst, '}', '\n'), nil
}
