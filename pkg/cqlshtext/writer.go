package cqlshtext

import (
	"cmp"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The default precisions of COPY TO.
const (
	DefaultFloatPrecision  = 5
	DefaultDoublePrecision = 12
)

// WriterOptions are the options of COPY TO that change the text of a value. TimestampUnit and
// Unescape do not apply.
type WriterOptions struct {
	Options
	// FloatPrecision is FLOATPRECISION, the digits of a float, and of a double inside another type;
	// 0: DefaultFloatPrecision.
	FloatPrecision int
	// DoublePrecision is DOUBLEPRECISION, the digits of a column of type double; 0:
	// DefaultDoublePrecision.
	DoublePrecision int
}

// Writer writes the values of a column as COPY TO does. It is safe for concurrent use.
type Writer struct {
	value textWriter
	// null is the text of a value without bytes; it is used if emptyNull is true.
	null      []byte
	emptyNull bool
}

// PlanWriter returns the writer of a type. It returns an error if the type is incomplete, or if the
// options contradict each other.
func PlanWriter(t *cqltype.Type, o WriterOptions) (*Writer, error) {
	var err error
	if o.Options, err = o.complete(); err != nil {
		return nil, fmt.Errorf("no text for type %s: %w", t, err)
	}
	o.FloatPrecision = cmp.Or(o.FloatPrecision, DefaultFloatPrecision)
	o.DoublePrecision = cmp.Or(o.DoublePrecision, DefaultDoublePrecision)
	value, err := planWriter(t, &o, false)
	if err != nil {
		return nil, fmt.Errorf("no text for type %s: %w", t, err)
	}
	return &Writer{value, []byte(o.Null), emptyIsNull(t)}, nil
}

// AppendText appends the text of a value that is not null. It returns an error, and dst with its
// original length, if the wire bytes are no value of the type.
func (w *Writer) AppendText(dst, wire []byte) ([]byte, error) {
	if w.emptyNull && len(wire) == 0 {
		return append(dst, w.null...), nil
	}
	mark := len(dst)
	dst, err := w.value.appendText(dst, wire)
	if err != nil {
		return dst[:mark], err
	}
	return dst, nil
}

// emptyIsNull reports whether COPY TO writes a value without bytes like null.
func emptyIsNull(t *cqltype.Type) bool {
	switch t.Kind {
	case cqltype.Ascii, cqltype.Text, cqltype.Blob, cqltype.Custom, cqltype.Empty,
		cqltype.Tuple, cqltype.UDT:
		return false
	default:
		return true
	}
}

// textWriter writes the values of one type. After an error, the bytes of dst beyond its original
// length are undefined.
type textWriter interface {
	appendText(dst, wire []byte) ([]byte, error)
}

// planWriter returns the writer of a type. nested is true inside another type. There COPY TO puts
// some types in single quotes, and writes doubles as floats.
func planWriter(t *cqltype.Type, o *WriterOptions, nested bool) (textWriter, error) {
	own, err := cqltext.Plan(t)
	if err != nil {
		return nil, err
	}
	s := ownText{own}
	var w textWriter
	switch t.Kind {
	case cqltype.Ascii, cqltype.Text:
		if nested {
			return quotedText{}, nil
		}
		return plainText{}, nil
	case cqltype.Boolean:
		w = &boolText{s, []byte(o.BoolTrue), []byte(o.BoolFalse)}
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Counter,
		cqltype.Varint:
		w = &integerText{cqlwire.Scalar(t.Kind), Separators{Thousands: o.ThousandsSep}}
	case cqltype.Decimal:
		w = &decimalText{Separators{o.DecimalSep, o.ThousandsSep}}
	case cqltype.Float, cqltype.Double:
		f := &floatText{s, o.FloatPrecision, Separators{o.DecimalSep, o.ThousandsSep}}
		if t.Kind == cqltype.Double && !nested {
			f.precision = o.DoublePrecision
		}
		w = f
	case cqltype.Date:
		w = &dateText{s}
	case cqltype.Inet:
		w = &inetText{s}
	case cqltype.Timestamp:
		if w, err = newTimestampText(s, o.DateTimeFormat); err != nil {
			return nil, err
		}
	case cqltype.List, cqltype.Set, cqltype.Map, cqltype.Tuple, cqltype.UDT, cqltype.Vector:
		return planWhole(t, o)
	case cqltype.Blob, cqltype.Custom, cqltype.Empty:
		return s, nil
	default: // UUIDs, times and durations
		w = s
	}
	if nested {
		return nestedText(t.Kind, w), nil
	}
	return w, nil
}

// planWhole returns the writer of a type that has elements.
func planWhole(t *cqltype.Type, o *WriterOptions) (textWriter, error) {
	wire, err := cqlwire.Plan(t)
	if err != nil {
		return nil, err
	}
	w := wholeText{wire: wire, open: '{', close: '}', null: "None"}
	for _, sub := range t.Elems {
		elem, err := planWriter(sub, o, true)
		if err != nil {
			return nil, err
		}
		w.elems = append(w.elems, elem)
	}
	switch t.Kind {
	case cqltype.List, cqltype.Vector:
		w.open, w.close = '[', ']'
	case cqltype.Tuple:
		w.open, w.close = '(', ')'
	case cqltype.UDT:
		w.null = o.Null
		return &udtText{w, labelsOf(t.FieldNames)}, nil
	}
	if t.Kind == cqltype.Set || t.Kind == cqltype.Map {
		if order := orderOf(t.Elems[0].Kind, w.elems[0]); order != nil {
			return &sortedText{w, order}, nil
		}
	}
	return &w, nil
}
