package cqlshtext

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Codec reads one field of a column. It is safe for concurrent use.
type Codec interface {
	// AppendWire appends the wire bytes of a field that is not null. If the text is not a value of
	// the type, it returns dst with its original length. The error quotes the value, shortened if
	// it is long, and gives the reason.
	AppendWire(dst, text []byte) ([]byte, error)
	// IsNull reports whether a field is null. The word for null is null and, for every type except
	// ascii and text, so is the empty field. (COPY FROM reads an empty blob or boolean as a value
	// if the word is not empty.)
	IsNull(text []byte) bool
}

// Plan returns the codec of a type. It returns an error if the type is incomplete, as cqltext.Plan
// does, or if options contradict each other. It also fails if the type cannot be read with the
// options. Examples are a timestamp with an unknown directive in DateTimeFormat, and a number with
// a fraction if DecimalSep and ThousandsSep are equal.
func Plan(t *cqltype.Type, o Options) (Codec, error) {
	if _, err := cqltext.Plan(t); err != nil {
		return nil, err
	}
	o, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("no codec for type %s: %w", t, err)
	}
	e, err := plan(t, &o)
	if err != nil {
		return nil, fmt.Errorf("no codec for type %s: %w", t, err)
	}
	return &column{elem: e, null: newNullText(t, o)}, nil
}

// column is the codec of a whole field.
type column struct {
	elem
	null nullText
}

func (c *column) IsNull(text []byte) bool { return c.null.is(text) }

func (c *column) AppendWire(dst, text []byte) ([]byte, error) {
	if c.text == nil {
		text = cqltext.TrimBlanks(text)
	}
	mark := len(dst)
	dst, err := c.read(dst, text, 0)
	if err != nil {
		if c.whole {
			err = cqltext.Invalid(c.name, text, err)
		}
		return dst[:mark], err
	}
	return dst, nil
}

// elem is a planned type, of a column or inside another type.
type elem struct {
	reader
	name string
	// text is the reader of ascii and text: any word is a value, even the empty one. nil for other
	// types.
	text *textReader
	// colons is true if texts of the type contain colons.
	colons bool
	// whole is true if the type has elements. The errors of its reader do not name the type.
	whole bool
	// zero is true if a value may have no bytes.
	zero bool
}

// reader reads the values of one type.
type reader interface {
	// read appends the wire bytes of a text without blanks around it, or inside single quotes. The
	// caller passes off, the offset of the text in the field, for errors. After an error, the bytes
	// of dst beyond its original length are undefined.
	read(dst, text []byte, off int) ([]byte, error)
}

// plan returns the elem of a type that cqltext.Plan accepts.
func plan(t *cqltype.Type, o *Options) (elem, error) {
	text, err := cqltext.PlanIn(t, o.TimestampUnit)
	if err != nil {
		return elem{}, err
	}
	wire, err := cqlwire.Plan(t)
	if err != nil {
		return elem{}, err
	}
	e := elem{name: t.String(), zero: wire.Check(nil) == nil}
	elems := make([]elem, len(t.Elems))
	for i, sub := range t.Elems {
		if elems[i], err = plan(sub, o); err != nil {
			return elem{}, err
		}
	}
	null := []byte(o.Null)
	e.whole = true
	switch t.Kind {
	case cqltype.List, cqltype.Set:
		e.reader = &seqReader{elem: elems[0], null: null}
		return e, nil
	case cqltype.Map:
		e.reader = &mapReader{key: elems[0], value: elems[1], null: null}
		return e, nil
	case cqltype.Tuple:
		e.reader = &tupleReader{name: e.name, elems: elems, null: null}
		return e, nil
	case cqltype.UDT:
		e.reader = newUDTReader(t, elems, null)
		return e, nil
	case cqltype.Vector:
		e.reader = &vectorReader{wire: wire, elem: elems[0], null: null}
		return e, nil
	}
	e.whole = false
	s := scalar{name: e.name, wire: text}
	switch t.Kind {
	case cqltype.Ascii, cqltype.Text:
		e.text = &textReader{scalar: s, unescape: o.Unescape}
		e.reader = e.text
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Counter,
		cqltype.Varint:
		e.reader = newNumberReader(s, o.ThousandsSep, ".")
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		if o.DecimalSep == o.ThousandsSep {
			return e, fmt.Errorf(
				"decimal point and thousands separator are the same %q", o.DecimalSep,
			)
		}
		e.reader = newNumberReader(s, o.ThousandsSep, o.DecimalSep)
	case cqltype.Boolean:
		e.reader = newBooleanReader(e.name, o)
	case cqltype.Timestamp:
		e.colons = true
		e.reader, err = newTimestampReader(s, o.DateTimeFormat, o.TimestampUnit)
	case cqltype.Date:
		e.reader = &dateReader{s}
	case cqltype.Time:
		e.colons = true
		e.reader = &timeReader{s}
	case cqltype.Inet:
		e.colons = true
		e.reader = &inetReader{s}
	case cqltype.UUID, cqltype.TimeUUID:
		e.reader = &uuidReader{s}
	case cqltype.Blob, cqltype.Custom, cqltype.Empty:
		e.reader = &rawReader{s}
	default:
		e.reader = &s
	}
	return e, err
}
