package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// delimitedPlan is which column each field of delimited text goes to.
type delimitedPlan struct {
	PlanOptions
	nulls   [][]byte
	escaped [][]byte // texts of null that hold the escape: see delimitedRows.dropNulls
	codecs  []Codec
	nullers []nuller   // by column, nil: the rule of isNullText
	asIs    []verbatim // by column, nil: a value is made of the text
	text    []bool     // by column: an empty field in quotes is a value and not null
	checks  []valueCheck
}

// Plan implements Format.
func (d Delimited) Plan(o PlanOptions) (Plan, error) {
	plan := o.Codec
	if plan == nil {
		plan = func(c schema.Column) (Codec, error) { return cqltext.Plan(c.Type) }
	}
	p := &delimitedPlan{PlanOptions: o}
	for _, n := range o.Nulls {
		if escape := d.OuterEscape(); escape != 0 && strings.IndexByte(n, escape) >= 0 {
			p.escaped = append(p.escaped, []byte(n))
		} else {
			p.nulls = append(p.nulls, []byte(n))
		}
	}
	for _, c := range o.Columns {
		codec, err := plan(c)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		p.codecs = append(p.codecs, codec)
		own, _ := codec.(nuller)
		p.nullers = append(p.nullers, own)
		asIs, _ := codec.(verbatim)
		p.asIs = append(p.asIs, asIs)
		_, takes := codec.(emptyTaker)
		p.text = append(p.text, takes || cqltext.TextLike(c.Type))
	}
	if slices.ContainsFunc(p.nullers, func(own nuller) bool { return own != nil }) {
		p.escaped = nil // they know the escape
	}
	var err error
	p.checks, err = checksOf(o.Columns)
	return p, err
}

// isNull reports whether a field's text stands for null in a column. The text of a missing field is
// nil.
func (p *delimitedPlan) isNull(column int, text []byte, quoted bool) bool {
	if own := p.nullers[column]; own != nil {
		return text == nil || own.IsNull(text)
	}
	return p.isNullText(text, quoted, p.text[column])
}

// isNullText reports whether a field's text stands for null: nothing between delimiters, or a null
// text without quotes. With quotes a null text is a value. An empty field with quotes is null only
// if the column does not have text, because it is no value there.
func (p *delimitedPlan) isNullText(text []byte, quoted, textual bool) bool {
	if len(text) == 0 {
		return !quoted || !textual
	}
	if quoted {
		return false
	}
	for _, n := range p.nulls {
		if string(n) == string(text) {
			return true
		}
	}
	return false
}

// delimitedRows reads the records of delimited text.
type delimitedRows struct {
	parser *dsv.Parser
	format dsv.Format
	plan   *delimitedPlan
	rec    dsv.Record
	utf8   []byte      // the text of a field that is not in UTF-8
	filled []dsv.Field // of a record with missing fields
}

// NewReader implements Format.
func (d Delimited) NewReader() RowReader {
	return &delimitedRows{parser: dsv.NewParser(d.Format), format: d.Format}
}

func (r *delimitedRows) Reset(c Chunk, p Plan) {
	r.parser.Reset(c)
	r.plan, _ = p.(*delimitedPlan)
	r.rec = dsv.Record{}
}

func (r *delimitedRows) Next() bool {
	more := r.parser.Next()
	r.rec = r.parser.Record()
	if r.plan != nil && len(r.plan.escaped) > 0 {
		r.dropNulls()
	}
	return more
}

// dropNulls removes the text of fields that stand in the record as a text of null that holds the
// escape, such as \N. Without its escape such a text would be a value. What is written \\N is one.
func (r *delimitedRows) dropNulls() {
	for i := range r.rec.Fields {
		f := &r.rec.Fields[i]
		if f.Quoted || len(f.Text) == 0 {
			continue
		}
		for _, null := range r.plan.escaped {
			behind, is := bytes.CutPrefix(r.rec.Raw[f.Offset:], null)
			if is && r.format.EndsField(behind) {
				f.Text = nil
				break
			}
		}
	}
}

func (r *delimitedRows) Record() Record { return Record{r.rec.Raw, r.rec.Offset, r.rec.Line, 1} }

func (r *delimitedRows) AppendRow(v *Values, t Times) *Fault {
	p := r.plan
	if r.rec.Err != nil {
		return RowFault(r.rec.Err)
	}
	if len(r.rec.Fields) != p.Width && !r.takesWidth() {
		return RowFault(r.widthError())
	}
	for i, field := range p.Fields {
		f := &r.rec.Fields[field]
		text := r.decode(f.Text)
		if p.isNull(i, text, f.Quoted) {
			v.Cells = append(v.Cells, row.Cell{State: p.Null})
			continue
		}
		wire, err := r.value(v, i, field, text)
		if err != nil {
			return &Fault{Column: i, Time: -1, Field: field, Err: err}
		}
		v.Cells = append(v.Cells, row.Cell{Bytes: wire, State: row.Set})
	}
	for i, field := range p.Times {
		if fault := r.time(i, field, t); fault != nil {
			return fault
		}
	}
	return nil
}

// takesWidth reports whether the plan takes a record with another number of fields. It adds the
// missing ones, at the end of the record.
func (r *delimitedRows) takesWidth() bool {
	p := r.plan
	if len(r.rec.Fields) > p.Width {
		return p.Extra
	}
	if !p.Missing {
		return false
	}
	end := bytes.TrimSuffix(bytes.TrimSuffix(r.rec.Raw, []byte{'\n'}), []byte{'\r'})
	r.filled = append(r.filled[:0], r.rec.Fields...)
	for len(r.filled) < p.Width {
		r.filled = append(r.filled, dsv.Field{Offset: len(end)})
	}
	r.rec.Fields = r.filled
	return true
}

// time hands over a time.
func (r *delimitedRows) time(i, field int, t Times) *Fault {
	f := &r.rec.Fields[field]
	text := r.decode(f.Text)
	if err := t.SetTime(i, text, r.plan.isNullText(text, f.Quoted, false)); err != nil {
		return &Fault{Column: -1, Time: i, Field: field, Err: err}
	}
	return nil
}

func (r *delimitedRows) widthError() error {
	last := r.rec.Fields[len(r.rec.Fields)-1]
	return &WidthError{
		Fields:   len(r.rec.Fields),
		Want:     r.plan.Width,
		EmptyEnd: len(last.Text) == 0 && !last.Quoted,
	}
}

// decode returns a field's text in UTF-8. It is valid until the next call.
func (r *delimitedRows) decode(text []byte) []byte {
	if !r.plan.Latin1 || isASCII(text) {
		return text
	}
	r.utf8 = AppendLatin1(r.utf8[:0], text)
	return r.utf8
}

// largeValue is the size in bytes from which a value is not copied if it stands in the input as it
// is written.
const largeValue = 64 << 10

// value returns the value of a column that a field stands for. text is the field's, in UTF-8. A
// large text that stands in the chunk as it is written is the value itself: a copy would take the
// same memory once more.
func (r *delimitedRows) value(v *Values, column, field int, text []byte) ([]byte, error) {
	p := r.plan
	if own := p.asIs[column]; own != nil && len(text) >= largeValue && r.standsIn(field, text) {
		if err := own.CheckWire(text); err != nil {
			return nil, err
		}
		return text[:len(text):len(text)], p.checks[column].check(text)
	}
	at := len(v.Arena)
	var err error
	v.Arena, err = p.checks[column].appendWire(v.Arena, p.codecs[column], text)
	return v.Arena[at:len(v.Arena):len(v.Arena)], err
}

// standsIn reports whether a text that is not empty is the bytes of the record at that field.
func (r *delimitedRows) standsIn(field int, text []byte) bool {
	f := &r.rec.Fields[field]
	at := f.Offset
	if f.Quoted {
		at++
	}
	return at < len(r.rec.Raw) && &r.rec.Raw[at] == &text[0]
}

func (r *delimitedRows) Text(column int) []byte {
	return r.decode(r.rec.Fields[r.plan.Fields[column]].Text)
}

func (r *delimitedRows) FieldOf(column int) int { return r.plan.Fields[column] }

func (r *delimitedRows) Field(field int) (line int64, column int, text []byte) {
	line, column = r.rec.FieldPosition(field)
	return line, column, r.decode(r.rec.Fields[field].Text)
}

func (r *delimitedRows) Faults(first *Fault, t Times) (all []Fault) {
	if first.Column < 0 && first.Time < 0 {
		return nil
	}
	p := r.plan
	var scratch []byte
	last := first.Column // AppendRow has read the values up to it: a codec may count what it reads
	if last < 0 || errors.Is(first.Err, ErrNullKey) {
		last = len(p.Fields)
	}
	for i, field := range p.Fields {
		if i == first.Column {
			continue
		}
		f := &r.rec.Fields[field]
		text := r.decode(f.Text)
		var err error
		switch {
		case !p.isNull(i, text, f.Quoted):
			if i > last {
				scratch, err = p.checks[i].appendWire(scratch[:0], p.codecs[i], text)
			}
		case p.required(i):
			err = ErrNullKey
		}
		if err != nil {
			all = append(all, Fault{Column: i, Time: -1, Field: field, Err: err})
		}
	}
	for i, field := range p.Times {
		if i <= first.Time {
			continue
		}
		if fault := r.time(i, field, t); fault != nil {
			all = append(all, *fault)
		}
	}
	return all
}

func (r *delimitedRows) AppendRejected(dst []byte) []byte { return append(dst, r.rec.Raw...) }
