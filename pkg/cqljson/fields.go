package cqljson

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// fieldsEncoder is the encoder of tuple, as an array, and of user types, as an object. If the wire
// value ends before the last element, so does the JSON. A value with a length below -1, which
// servers read as null, is odd.
type fieldsEncoder struct {
	odd
	open, close byte
	fields      []field
}

// field is an element of a tuple or a field of a user type.
type field struct {
	Encoder
	name string // empty for an element of a tuple
	// the bytes before the value: a comma except for the first, then the name of a field as a
	// string and a colon
	label []byte
}

func newTupleEncoder(text cqltext.Codec, elems []Encoder) *fieldsEncoder {
	e := &fieldsEncoder{odd: odd{text}, open: '[', close: ']'}
	for i, elem := range elems {
		f := field{Encoder: elem}
		if i > 0 {
			f.label = []byte{','}
		}
		e.fields = append(e.fields, f)
	}
	return e
}

func newUDTEncoder(text cqltext.Codec, names []string, elems []Encoder) *fieldsEncoder {
	e := newTupleEncoder(text, elems)
	e.open, e.close = '{', '}'
	for i, name := range names {
		f := &e.fields[i]
		f.name, f.label = name, append(AppendString(f.label, []byte(name)), ':')
	}
	return e
}

func (e *fieldsEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, e.open)
	pos := 0
	for i := 0; pos < len(wire); i++ {
		if i == len(e.fields) {
			return e.appendOdd(dst, begin, wire)
		}
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok || length < -1 {
			return e.appendOdd(dst, begin, wire)
		}
		pos = next
		f := &e.fields[i]
		dst = append(dst, f.label...)
		if length < 0 {
			dst = append(dst, "null"...)
			continue
		}
		var err error
		if dst, err = f.AppendJSON(dst, elem); err != nil {
			if f.name != "" {
				err = fmt.Errorf("field %s: %w", f.name, err)
			}
			return dst[:begin], err
		}
	}
	return append(dst, e.close), nil
}
