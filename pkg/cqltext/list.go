package cqltext

import "encoding/binary"

// seqCodec is the codec of list, `[a, b]`, and of set, `{a, b}`: a count, int32, and each element after its
// length. The order is the wire's, both ways.
type seqCodec struct {
	name        string
	elem        codec
	open, close byte
}

func (c *seqCodec) fixedLen() int { return -1 }

func (c *seqCodec) check(wire []byte) error {
	count, err := countAt(c.name, wire)
	if err != nil {
		return err
	}
	pos := 4
	for i := range count {
		var elem []byte
		if elem, pos, err = sizedAt(c.name, wire, pos, i); err != nil {
			return err
		}
		if err = c.elem.check(elem); err != nil {
			return err
		}
	}
	if count > 0 && pos < len(wire) {
		return leftOver(c.name, len(wire)-pos)
	}
	return nil
}

func (c *seqCodec) AppendText(dst, wire []byte) ([]byte, error) { return c.appendElemText(dst, wire) }

func (c *seqCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	count, err := countAt(c.name, wire)
	if err != nil {
		return dst, err
	}
	if count < 0 {
		return appendRaw(dst, wire), nil
	}
	dst = append(dst, c.open)
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		var elem []byte
		if elem, pos, err = sizedAt(c.name, wire, pos, i); err != nil {
			return dst[:mark], err
		}
		if dst, err = c.elem.appendElemText(dst, elem); err != nil {
			return dst[:mark], err
		}
	}
	if pos < len(wire) {
		return dst[:mark], leftOver(c.name, len(wire)-pos)
	}
	return append(dst, c.close), nil
}

func (c *seqCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.name, dst, text)
}

func (c *seqCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, c.open, c.close)
	if err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	count := 0
	for ; !done; count++ {
		if dst, pos, err = appendSized(dst, c.elem, text, pos, false, false); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, c.close); err != nil {
			return dst, pos, err
		}
	}
	binary.BigEndian.PutUint32(dst[mark:], uint32(count))
	return dst, pos, nil
}
