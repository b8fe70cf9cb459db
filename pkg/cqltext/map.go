package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// mapCodec is the codec of map, `{k: v, k: v}`. Both directions keep the order of the entries. A
// key with a colon in its bare text must be quoted. A value with a negative count, which the
// servers accept, is written raw.
type mapCodec struct {
	wire       *cqlwire.Layout
	key, value codec
}

// half returns the codec of element i, where keys and values each count.
func (c *mapCodec) half(i int) codec {
	if i%2 == 0 {
		return c.key
	}
	return c.value
}

func (c *mapCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *mapCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '{')
	count, ok := cqlwire.Count(wire)
	pos := 4
	for i := range 2 * count {
		switch {
		case i%2 != 0:
			dst = append(dst, ':', ' ')
		case i > 0:
			dst = append(dst, ',', ' ')
		}
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok || length < 0 {
			return dst[:mark], c.wire.CheckShape(wire)
		}
		var err error
		if dst, err = c.half(i).appendElemText(dst, elem); err != nil {
			return dst[:mark], err
		}
		pos = next
	}
	switch {
	case !ok || pos < len(wire):
		return dst[:mark], c.wire.CheckShape(wire)
	case count < 0:
		return appendRaw(dst[:mark], wire), nil
	}
	return append(dst, '}'), nil
}

func (c *mapCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.wire, dst, text)
}

func (c *mapCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c.wire, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, '{', '}')
	if err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
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
	cqlwire.PutCount(dst, mark, count)
	return dst, pos, nil
}
