package cqltext

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// tupleCodec is the codec of tuple, `(a, null, b)`. A value may have fewer elements than the type;
// its text then has fewer too.
type tupleCodec struct {
	wire  *cqlwire.Layout
	elems []codec
}

// nullLength is the length with which a null is written. The servers accept any negative length; a
// value with another one is written raw.
const nullLength = -1

// rawFields appends the raw form of a tuple, UDT or list that has a length below nullLength.
func rawFields(dst []byte, l *cqlwire.Layout, wire []byte) ([]byte, error) {
	if err := l.Check(wire); err != nil {
		return dst, err
	}
	return appendRaw(dst, wire), nil
}

func (c *tupleCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *tupleCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '(')
	pos := 0
	for i := 0; pos < len(wire); i++ {
		if i == len(c.elems) {
			return dst[:mark], c.wire.CheckShape(wire)
		}
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		switch {
		case !ok:
			return dst[:mark], c.wire.CheckShape(wire)
		case length == nullLength:
			dst = append(dst, nullWord...)
		case length < 0:
			return rawFields(dst[:mark], c.wire, wire)
		default:
			var err error
			if dst, err = c.elems[i].appendElemText(dst, elem); err != nil {
				return dst[:mark], err
			}
		}
		pos = next
	}
	return append(dst, ')'), nil
}

func (c *tupleCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.wire, dst, text)
}

func (c *tupleCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c.wire, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, '(', ')')
	if err != nil {
		return dst, pos, err
	}
	for i := 0; !done; i++ {
		if i == len(c.elems) {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", i, c.wire))
		}
		if dst, pos, err = appendSized(dst, c.elems[i], text, pos, false, true); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, ')'); err != nil {
			return dst, pos, err
		}
	}
	return dst, pos, nil
}
