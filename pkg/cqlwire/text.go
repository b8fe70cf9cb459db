package cqlwire

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// CheckASCII returns an error that names the first byte above 0x7f.
func CheckASCII(text []byte) error {
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

// CheckUTF8 returns an error that names the first byte that is not UTF-8 according to the server.
// Cassandra accepts slightly more than the standard (UTF8Serializer.UTF8Validator). It accepts C0
// 80 for NUL, surrogates, and some overlong or too large characters after E0 and F0 to F7.
// CheckUTF8 accepts them too, because text that a table can contain must be loadable. ScyllaDB
// refuses them.
func CheckUTF8(text []byte) error {
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

// leadByte returns the number of bytes that follow c in a character, and the rule for the first of
// them. If no character begins with c, ok is false.
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
