package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// seqCodec is the codec of list, `[a, null, b]`, and of set, `{a, b}`. Both directions keep the
// order of the elements. A value with a negative count, which the servers accept, is written raw.
type seqCodec struct {
	wire        *cqlwire.Layout
	elem        codec
	open, close byte
	list        bool
	// null can be read: servers accept it in a list that is not inside another value
	nullable bool
}

func (c *seqCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *seqCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, c.open)
	count, ok := cqlwire.Count(wire)
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		switch {
		case !ok || length < 0 && !c.list:
			return dst[:mark], c.wire.CheckShape(wire)
		case length == nullLength:
			dst = append(dst, nullWord...)
		case length < 0:
			return rawFields(dst[:mark], c.wire, wire)
		default:
			var err error
			if dst, err = c.elem.appendElemText(dst, elem); err != nil {
				return dst[:mark], err
			}
		}
		pos = next
	}
	switch {
	case !ok || pos < len(wire):
		return dst[:mark], c.wire.CheckShape(wire)
	case count < 0:
		return appendRaw(dst[:mark], wire), nil
	}
	return append(dst, c.close), nil
}

func (c *seqCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.wire, dst, text)
}

func (c *seqCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c.wire, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, c.open, c.close)
	if err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	count := 0
	for ; !done; count++ {
		if dst, pos, err = appendSized(dst, c.elem, text, pos, false, c.nullable); err != nil {
			return dst, pos, err
		}
		if pos, done, err = nextElem(text, pos, c.close); err != nil {
			return dst, pos, err
		}
	}
	cqlwire.PutCount(dst, mark, count)
	return dst, pos, nil
}
