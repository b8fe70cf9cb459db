package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

var errTwice = errors.New("two members of the object are of this column")

// jsonPlan is which column each member of an object goes to.
type jsonPlan struct {
	PlanOptions
	nulls    [][]byte
	decoders []cqljson.Decoder
	strings  []Codec // by column, of its strings; nil: its decoder
	numbers  []Codec // by column, of its numbers; nil: its decoder
	text     []bool  // by column: it has text, and so no string is null
	checks   []valueCheck
	objects  map[string]bool // as nested has them
}

// Plan implements Format.
func (JSON) Plan(o PlanOptions) (Plan, error) {
	p := &jsonPlan{PlanOptions: o, objects: objectsOf(o)}
	for _, n := range o.Nulls {
		p.nulls = append(p.nulls, []byte(n))
	}
	for _, c := range o.Columns {
		decoder, err := cqljson.PlanDecoderIn(c.Type, cmp.Or(o.TimestampUnit, time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		var own Codec
		if o.Codec != nil {
			if own, err = o.Codec(c); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		p.decoders, p.strings = append(p.decoders, decoder), append(p.strings, own)
		var numbers Codec
		if o.Numbers != nil {
			if numbers, err = o.Numbers(c); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		p.numbers = append(p.numbers, numbers)
		p.text = append(p.text, cqltext.TextLike(c.Type))
	}
	var err error
	p.checks, err = checksOf(o.Columns)
	return p, err
}

// StringCodec returns the codec that JSON itself has for the strings of a column. A timestamp that
// is a number counts units.
func (JSON) StringCodec(t *cqltype.Type, unit time.Duration) (Codec, error) {
	decoder, err := cqljson.PlanDecoderIn(t, cmp.Or(unit, time.Millisecond))
	return quoted{decoder}, err
}

// quoted decodes a text as a string of JSON.
type quoted struct{ cqljson.Decoder }

func (q quoted) AppendWire(dst, text []byte) ([]byte, error) {
	return q.Decoder.AppendWire(dst, cqljson.AppendString(nil, text))
}

// jsonRows reads the objects of JSON lines, or of an array.
type jsonRows struct {
	parser *jsonl.Parser
	plan   *jsonPlan
	rec    jsonl.Record
	at     []int  // by column: the member that has set it, of the last row
	utf8   []byte // a string without its escapes
	nested nested

	inArray bool // the records are elements
}

// NewReader implements Format.
func (JSON) NewReader() RowReader { return &jsonRows{parser: jsonl.NewParser()} }

func (r *jsonRows) Reset(c Chunk, p Plan) {
	r.parser.Reset(c)
	r.inArray = c.Column > 0
	r.plan, _ = p.(*jsonPlan)
	r.rec = jsonl.Record{}
	if r.plan == nil {
		return
	}
	if len(r.at) != len(r.plan.Columns) {
		r.at = make([]int, len(r.plan.Columns))
	}
	r.nested.objects, r.nested.names = r.plan.objects, r.plan.Names
}

func (r *jsonRows) Next() bool {
	more := r.parser.Next()
	r.rec = r.parser.Record()
	if len(r.nested.objects) > 0 && r.rec.Err == nil {
		r.rec.Fields, r.rec.Err = r.nested.read(r.rec)
	}
	return more
}

func (r *jsonRows) Record() Record {
	return Record{r.rec.Raw, r.rec.Offset, r.rec.Line, r.rec.Column}
}

func (r *jsonRows) AppendRow(v *Values, t Times) *Fault {
	p := r.plan
	if r.rec.Err != nil {
		return RowFault(r.rec.Err)
	}
	from := len(v.Cells)
	for range p.Columns {
		v.Cells = append(v.Cells, row.Cell{State: p.Null})
	}
	cells := v.Cells[from:len(v.Cells):len(v.Cells)]
	for i := range r.rec.Fields {
		f := &r.rec.Fields[i]
		column, null, err := r.column(f)
		switch {
		case err != nil:
			return &Fault{Column: -1, Time: -1, Field: i, Err: err}
		case column >= len(cells):
			time := column - len(cells)
			if err := t.SetTime(time, f.Value, null); err != nil {
				return &Fault{Column: -1, Time: time, Field: i, Err: err}
			}
			continue
		case column < 0 || null:
			continue
		case cells[column].State == row.Set:
			return &Fault{Column: column, Time: -1, Field: i, Err: errTwice}
		}
		at := len(v.Arena)
		if v.Arena, err = r.appendMember(v.Arena, column, f.Value); err != nil {
			return &Fault{Column: column, Time: -1, Field: i, Err: err}
		}
		cells[column] = row.Cell{Bytes: v.Arena[at:len(v.Arena):len(v.Arena)], State: row.Set}
		r.at[column] = i
	}
	return nil
}

// column returns the index of the column or the time of a member, -1 if it is not read. If its
// value is null, or stands for it, null is true.
func (r *jsonRows) column(f *jsonl.Field) (column int, null bool, err error) {
	column, ok := r.plan.Names[string(f.Name)]
	if !ok {
		column, err = r.plan.Find(f.Name, Members{r.rec.Fields})
	}
	null = string(f.Value) == "null" || err == nil && r.isNull(column, f.Value)
	return column, null, err
}

// isNull reports whether a value that is not null itself is a string that stands for null. A column
// of text may have any string, so none stands for null there.
func (r *jsonRows) isNull(column int, value []byte) bool {
	p := r.plan
	if len(p.nulls) == 0 || column < 0 || column >= len(p.Columns) || p.text[column] {
		return false
	}
	text, ok := r.stringOf(value)
	if !ok {
		return false
	}
	for _, null := range p.nulls {
		if string(null) == string(text) {
			return true
		}
	}
	return false
}

// appendMember appends the value of a column that a member has.
func (r *jsonRows) appendMember(dst []byte, column int, value []byte) ([]byte, error) {
	p := r.plan
	if own := p.strings[column]; own != nil {
		if text, ok := r.stringOf(value); ok {
			return p.checks[column].appendWire(dst, own, text)
		}
	}
	if own := p.numbers[column]; own != nil && (value[0] == '-' || isDigit(value[0])) {
		return p.checks[column].appendWire(dst, own, value)
	}
	return p.checks[column].appendWire(dst, p.decoders[column], value)
}

// stringOf returns the text of a JSON string, valid until the next call; false: the value is none.
func (r *jsonRows) stringOf(value []byte) (text []byte, ok bool) {
	if value[0] != '"' {
		return nil, false
	}
	body := value[1 : len(value)-1]
	if jsonscan.PlainLen(body) == len(body) {
		return body, true
	}
	var err error
	r.utf8, err = jsonscan.AppendText(r.utf8[:0], body)
	return r.utf8, err == nil
}

func (r *jsonRows) Text(column int) []byte { return r.rec.Fields[r.at[column]].Value }

// FieldOf implements RowReader. A column may have no member.
func (r *jsonRows) FieldOf(int) int { return -1 }

func (r *jsonRows) Field(field int) (line int64, column int, text []byte) {
	line, column = r.rec.FieldPosition(field)
	return line, column, r.rec.Fields[field].Value
}

func (r *jsonRows) Faults(first *Fault, t Times) (all []Fault) {
	if first.Field < 0 && first.Column < 0 {
		return nil
	}
	p := r.plan
	set := make([]bool, len(p.Columns))
	var scratch []byte
	for i := range r.rec.Fields {
		f := &r.rec.Fields[i]
		fault := Fault{Column: -1, Time: -1, Field: i}
		column, null, err := r.column(f)
		switch {
		case err != nil:
		case column >= len(p.Columns):
			fault.Time = column - len(p.Columns)
			err = t.SetTime(fault.Time, f.Value, null)
		case column < 0 || null:
			continue
		case i <= first.Field || first.Field < 0: // AppendRow has read it
			set[column] = true
			continue
		case set[column]:
			fault.Column, err = column, errTwice
		default:
			set[column], fault.Column = true, column
			scratch, err = r.appendMember(scratch[:0], column, f.Value)
		}
		if err != nil && i != first.Field {
			fault.Err = err
			all = append(all, fault)
		}
	}
	for i, isSet := range set {
		if !isSet && p.required(i) && i != first.Column {
			all = append(all, Fault{Column: i, Time: -1, Field: -1, Err: ErrNullKey})
		}
	}
	return all
}

// AppendRejected implements RowReader. An element of an array becomes a line.
func (r *jsonRows) AppendRejected(dst []byte) []byte {
	if !r.inArray {
		return append(dst, r.rec.Raw...)
	}
	return append(append(dst, InLine(r.rec.Raw)...), '\n')
}

// InLine returns an element of an array of JSON, or a piece of one, as part of one line. Tabs take
// the place of line ends. A tab is blank between values. Inside a string it is an error, as a line
// end is. A text without line ends is returned itself.
func InLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	return bytes.ReplaceAll(raw, []byte{'\n'}, []byte{'\t'})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
