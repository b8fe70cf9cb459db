package cqltext

import (
	"bytes"
	"errors"
)

// textCodec is the codec of ascii and text: the bytes, unchanged. Inside a collection the text has
// single quotes, and each single quote inside is doubled; nothing else is escaped.
type textCodec struct {
	// valid returns an error that names the first invalid byte.
	valid func(wire []byte) error
}

var errNoQuotes = errors.New("text inside a collection, tuple or user type needs single quotes")

func (c *textCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return append(dst, wire...), nil
}

func (c *textCodec) AppendWire(dst, text []byte) ([]byte, error) {
	if err := c.valid(text); err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

// CheckWire returns the error that AppendWire would return. The wire bytes are those of the text.
func (c *textCodec) CheckWire(text []byte) error { return c.valid(text) }

func (c *textCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	dst = append(dst, '\'')
	for {
		i := bytes.IndexByte(wire, '\'')
		if i < 0 {
			return append(append(dst, wire...), '\''), nil
		}
		dst = append(append(dst, wire[:i]...), '\'', '\'')
		wire = wire[i+1:]
	}
}

func (c *textCodec) appendElemWire(dst, text []byte, pos int, _ bool) ([]byte, int, error) {
	start := skipBlanks(text, pos)
	if start == len(text) {
		return dst, start, errEnd(start)
	}
	if text[start] != '\'' {
		return dst, start, at(start, errNoQuotes)
	}
	mark := len(dst)
	for pos = start + 1; ; pos++ {
		i := bytes.IndexByte(text[pos:], '\'')
		if i < 0 {
			return dst, start, at(start, errOpenQuote)
		}
		dst = append(dst, text[pos:pos+i]...)
		pos += i + 1
		if pos == len(text) || text[pos] != '\'' {
			break
		}
		dst = append(dst, '\'')
	}
	if err := c.valid(dst[mark:]); err != nil {
		return dst, start, at(start, err)
	}
	return dst, pos, nil
}
