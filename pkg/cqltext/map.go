package cqltext

import "encoding/binary"

// mapCodec is the codec of map, `{k: v, k: v}`: a count, int32, and each key and each value after its length. The
// order is the wire's, both ways. A key that has a colon in its bare text must be quoted.
type mapCodec struct {
	name       string
	key, value codec
}

func (c *mapCodec) fixedLen() int { return -1 }

// half returns the codec of the element i, counting keys and values alike.
func (c *mapCodec) half(i int) codec {
	if i%2 == 0 {
		return c.key
	}
	return c.value
}

func (c *mapCodec) check(wire []byte) error {
	count, err := countAt(c.name, wire)
	if err != nil {
		return err
	}
	pos := 4
	for i := range 2 * count {
		var elem []byte
		if elem, pos, err = sizedAt(c.name, wire, pos, i); err != nil {
			return err
		}
		if err = c.half(i).check(elem); err != nil {
			return err
		}
	}
	if count > 0 && pos < len(wire) {
		return leftOver(c.name, len(wire)-pos)
	}
	return nil
}

func (c *mapCodec) AppendText(dst, wire []byte) ([]byte, error) { return c.appendElemText(dst, wire) }

func (c *mapCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	count, err := countAt(c.name, wire)
	if err != nil {
		return dst, err
	}
	if count < 0 {
		return appendRaw(dst, wire), nil
	}
	dst = append(dst, '{')
	pos := 4
	for i := range 2 * count {
		switch {
		case i%2 != 0:
			dst = append(dst, ':', ' ')
		case i > 0:
			dst = append(dst, ',', ' ')
		}
		var elem []byte
		if elem, pos, err = sizedAt(c.name, wire, pos, i); err != nil {
			return dst[:mark], err
		}
		if dst, err = c.half(i).appendElemText(dst, elem); err != nil {
			return dst[:mark], err
		}
	}
	if pos < len(wire) {
		return dst[:mark], leftOver(c.name, len(wire)-pos)
	}
	return append(dst, '}'), nil
}

func (c *mapCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.name, dst, text)
}

func (c *mapCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, '{', '}')
	if err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	count := 0
	for ; !done; count++ {
		if dst, pos, err = appendSized(dst, c.key, text, pos, true, false); err != nil {
			return dst, pos, err
		}
		if pos = skipBlanks(text, pos); pos == len(text) || text[pos] != ':' {
			return dst, pos, errExpected(text, pos, "':'")
		}
		if dst, pos, err = appendSized(dst, c.value, text, pos+1, false, false); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, '}'); err != nil {
			return dst, pos, err
		}
	}
	binary.BigEndian.PutUint32(dst[mark:], uint32(count))
	return dst, pos, nil
}
