package cqltext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// textCodec is the codec of ascii and text: the bytes as they are. Inside a collection they stand in single
// quotes, with every single quote among them doubled and nothing else escaped.
type textCodec struct {
	name string
	// valid says which byte keeps the bytes from being a value.
	valid func(wire []byte) error
}

var errNoQuotes = errors.New("text inside a collection, tuple or user type needs single quotes")

func (c *textCodec) AppendText(dst, wire []byte) ([]byte, error) { return append(dst, wire...), nil }

func (c *textCodec) AppendWire(dst, text []byte) ([]byte, error) {
	if err := c.valid(text); err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

func (c *textCodec) fixedLen() int { return -1 }

func (c *textCodec) check(wire []byte) error {
	if err := c.valid(wire); err != nil {
		return malformed(c.name, "%v", err)
	}
	return nil
}

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

// checkASCII names the first byte above 0x7f.
func checkASCII(text []byte) error {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if binary.LittleEndian.Uint64(text[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return fmt.Errorf("invalid ASCII byte 0x%02x at offset %d", text[i], i)
		}
	}
	return nil
}

// checkUTF8 names the first byte that keeps text from being UTF-8 as the server takes it. Cassandra takes a
// little more than the standard: C0 80 for NUL, surrogates, and after E0 and F0 to F7 some bytes that make a
// character overlong or too great (UTF8Serializer.UTF8Validator). They are let through, because what can be
// in a table must be loadable; ScyllaDB refuses them itself.
func checkUTF8(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	for i := 0; i < len(text); {
		n, second, ok := leadByte(text[i])
		if !ok {
			return badUTF8(text, i)
		}
		for k := 1; k <= n; k++ {
			if i+k == len(text) {
				return fmt.Errorf("UTF-8 character cut off at offset %d", i)
			}
			if c := text[i+k]; k == 1 && !second(c) || k > 1 && !continues(c) {
				return badUTF8(text, i+k)
			}
		}
		i += n + 1
	}
	return nil
}

func badUTF8(text []byte, i int) error {
	return fmt.Errorf("invalid UTF-8 byte 0x%02x at offset %d", text[i], i)
}

func continues(c byte) bool { return c&0xc0 == 0x80 }

// leadByte returns how many bytes follow c in a character and the rule for the first of them; not ok when no
// character begins with c.
func leadByte(c byte) (n int, second func(byte) bool, ok bool) {
	switch {
	case c < 0x80:
		return 0, nil, true
	case c == 0xc0:
		return 1, func(c byte) bool { return c == 0x80 }, true
	case c >= 0xc2 && c <= 0xdf:
		return 1, continues, true
	case c == 0xe0:
		return 2, func(c byte) bool { return c&0xe0 != 0x80 }, true
	case c > 0xe0 && c <= 0xef:
		return 2, continues, true
	case c == 0xf0:
		return 3, func(c byte) bool { return c&0x30 != 0 }, true
	case c > 0xf0 && c <= 0xf7:
		return 3, continues, true
	default:
		return 0, nil, false
	}
}
