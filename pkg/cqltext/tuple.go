package cqltext

import "fmt"

// tupleCodec is the codec of tuple, `(a, null, b)`: each element after its length, which is -1 for null. A value
// may have fewer elements than the type, and its text then has fewer as well.
type tupleCodec struct {
	name  string
	elems []codec
}

func (c *tupleCodec) fixedLen() int { return -1 }

func (c *tupleCodec) check(wire []byte) error {
	_, err := checkFields(c.name, c.elems, wire)
	return err
}

// checkFields checks the elements of a tuple or the fields of a UDT. The servers take any negative length for
// null; only -1 is written as such, and plain is false when there is another.
func checkFields(name string, elems []codec, wire []byte) (plain bool, err error) {
	plain = true
	pos := 0
	for i, e := range elems {
		if pos == len(wire) {
			return plain, nil
		}
		elem, length, next, ok := elemAt(wire, pos)
		if !ok {
			return plain, cutOff(name, i)
		}
		if pos = next; length < 0 {
			plain = plain && length == -1
			continue
		}
		if err = e.check(elem); err != nil {
			return plain, err
		}
	}
	if pos < len(wire) {
		return plain, leftOver(name, len(wire)-pos)
	}
	return plain, nil
}

// rawFields appends the raw form of a tuple or UDT that has a length below -1.
func rawFields(dst []byte, name string, elems []codec, wire []byte) ([]byte, error) {
	if _, err := checkFields(name, elems, wire); err != nil {
		return dst, err
	}
	return appendRaw(dst, wire), nil
}

func (c *tupleCodec) AppendText(dst, wire []byte) ([]byte, error) { return c.appendElemText(dst, wire) }

func (c *tupleCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '(')
	pos := 0
	for i := 0; pos < len(wire); i++ {
		if i == len(c.elems) {
			return dst[:mark], leftOver(c.name, len(wire)-pos)
		}
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		elem, length, next, ok := elemAt(wire, pos)
		switch {
		case !ok:
			return dst[:mark], cutOff(c.name, i)
		case length == -1:
			dst = append(dst, nullWord...)
		case length < 0:
			return rawFields(dst[:mark], c.name, c.elems, wire)
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
	return appendWhole(c, c.name, dst, text)
}

func (c *tupleCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, '(', ')')
	if err != nil {
		return dst, pos, err
	}
	for i := 0; !done; i++ {
		if i == len(c.elems) {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", i, c.name))
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
