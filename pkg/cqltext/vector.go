package cqltext

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// vectorCodec is the codec of vector, `[a, b]`. The number of elements is always the dimension.
type vectorCodec struct {
	wire *cqlwire.Layout
	elem codec
}

func (c *vectorCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *vectorCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '[')
	pos, fixed := 0, c.wire.Elem(0).FixedLen()
	for i := range c.wire.Dimension() {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		elem, next, ok := cqlwire.VectorElemAt(wire, pos, fixed)
		if !ok {
			return dst[:mark], c.wire.CheckShape(wire)
		}
		var err error
		if dst, err = c.elem.appendElemText(dst, elem); err != nil {
			return dst[:mark], err
		}
		pos = next
	}
	if pos < len(wire) {
		return dst[:mark], c.wire.CheckShape(wire)
	}
	return append(dst, ']'), nil
}

func (c *vectorCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.wire, dst, text)
}

func (c *vectorCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c.wire, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	start := pos
	pos, done, err := openLiteral(text, pos, '[', ']')
	if err != nil {
		return dst, pos, err
	}
	count, dimension := 0, c.wire.Dimension()
	for ; !done; count++ {
		if count == dimension {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", count, c.wire))
		}
		if dst, pos, err = c.appendElem(dst, text, pos); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	if count < dimension {
		return dst, start, at(
			start, fmt.Errorf("%d elements, where %s has %d", count, c.wire, dimension),
		)
	}
	return dst, pos, nil
}

// appendElem appends the element at text[pos:], after its length if it has one.
func (c *vectorCodec) appendElem(dst, text []byte, pos int) ([]byte, int, error) {
	pos = skipBlanks(text, pos)
	if isNull(text, pos) {
		return dst, pos, at(pos, errNullHere)
	}
	mark := len(dst)
	dst, next, err := c.elem.appendElemWire(c.wire.Open(dst), text, pos, false)
	if err != nil {
		return dst, next, err
	}
	if dst, err = c.wire.Close(dst, mark); err != nil {
		return dst, pos, at(pos, err)
	}
	return dst, next, nil
}
