package cqltext

import (
	"fmt"
	"math"
)

// vectorCodec is the codec of vector, `[a, b]`, as in Cassandra's VectorType: elements of one length stand side by
// side, others each after their length, an unsigned vint. There are always as many as the dimension says.
type vectorCodec struct {
	name      string
	elem      codec
	dimension int
	size      int // of the whole when all elements have one length, else -1
}

func (c *vectorCodec) fixedLen() int { return c.size }

// elemAt returns the element i, which begins at wire[pos:], and the offset after it.
func (c *vectorCodec) elemAt(wire []byte, pos, i int) (elem []byte, next int, err error) {
	n := c.elem.fixedLen()
	if n < 0 {
		length, prefix := readUvint(wire[pos:])
		if prefix == 0 || length > math.MaxInt32 {
			return nil, pos, cutOff(c.name, i)
		}
		n = int(length)
		pos += prefix
	}
	if len(wire)-pos < n {
		return nil, pos, cutOff(c.name, i)
	}
	return wire[pos : pos+n], pos + n, nil
}

func (c *vectorCodec) check(wire []byte) error {
	pos := 0
	for i := range c.dimension {
		elem, next, err := c.elemAt(wire, pos, i)
		if err != nil {
			return err
		}
		if err = c.elem.check(elem); err != nil {
			return err
		}
		pos = next
	}
	if pos < len(wire) {
		return leftOver(c.name, len(wire)-pos)
	}
	return nil
}

func (c *vectorCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *vectorCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '[')
	pos := 0
	for i := range c.dimension {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		elem, next, err := c.elemAt(wire, pos, i)
		if err != nil {
			return dst[:mark], err
		}
		if dst, err = c.elem.appendElemText(dst, elem); err != nil {
			return dst[:mark], err
		}
		pos = next
	}
	if pos < len(wire) {
		return dst[:mark], leftOver(c.name, len(wire)-pos)
	}
	return append(dst, ']'), nil
}

func (c *vectorCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.name, dst, text)
}

func (c *vectorCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	start := pos
	pos, done, err := openLiteral(text, pos, '[', ']')
	if err != nil {
		return dst, pos, err
	}
	count := 0
	for ; !done; count++ {
		if count == c.dimension {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", count, c.name))
		}
		if dst, pos, err = c.appendElem(dst, text, pos); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	if count < c.dimension {
		return dst, start, at(start, fmt.Errorf("%d elements, where %s has %d", count, c.name, c.dimension))
	}
	return dst, pos, nil
}

// appendElem appends one element, with its length when it has one.
func (c *vectorCodec) appendElem(dst, text []byte, pos int) ([]byte, int, error) {
	pos = skipBlanks(text, pos)
	if isNull(text, pos) {
		return dst, pos, at(pos, errNullHere)
	}
	fixed, mark := c.elem.fixedLen(), len(dst)
	if fixed < 0 {
		// One byte is the length of the length of every element below 128 bytes.
		dst = append(dst, 0)
	}
	begin := len(dst)
	dst, next, err := c.elem.appendElemWire(dst, text, pos, false)
	if err != nil {
		return dst, next, err
	}
	n := len(dst) - begin
	switch {
	case fixed >= 0 && n != fixed:
		return dst, pos, at(pos, fmt.Errorf("%d bytes, where each element of %s has %d", n, c.name, fixed))
	case n > math.MaxInt32:
		return dst, pos, at(pos, errTooLong)
	case fixed < 0:
		var prefix [9]byte
		length := appendUvint(prefix[:0], uint64(n))
		for range len(length) - 1 {
			dst = append(dst, 0)
		}
		copy(dst[mark+len(length):], dst[begin:begin+n])
		copy(dst[mark:], length)
	}
	return dst, next, nil
}
