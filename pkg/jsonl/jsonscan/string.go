package jsonscan

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones      = 0x0101010101010101
	highBits  = 0x80 * ones
	blanks    = 0x20 * ones
	quotes    = '"' * ones
	backslash = '\\' * ones
)

// PlainLen returns the number of bytes at the start of text that need no escape in a JSON string.
// It stops at the first double quote, backslash or control character. It tests eight bytes at a
// time. The tests are those of Sean Eron Anderson's "Bit Twiddling Hacks" for a zero byte and for a
// byte less than n. Each test always marks the first such byte, the lowest one.
func PlainLen(text []byte) int {
	n := 0
	for ; n+8 <= len(text); n += 8 {
		w := binary.LittleEndian.Uint64(text[n:])
		q, b := w^quotes, w^backslash
		if hit := ((w-blanks)&^w | (q-ones)&^q | (b-ones)&^b) & highBits; hit != 0 {
			return n + bits.TrailingZeros64(hit)/8
		}
	}
	for ; n < len(text); n++ {
		if c := text[n]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return n
}

// String reads the string whose opening quote is at pos. The result escaped reports whether it
// contains a backslash; without one, the bytes between the quotes are the text. String does not
// check for lone surrogates.
func String(b []byte, pos int) (next int, escaped bool, err error) {
	for next = pos + 1; ; {
		next += PlainLen(b[next:])
		switch {
		case next == len(b):
			return pos, escaped, &Error{pos, "string is not closed"}
		case b[next] == '"':
			return next + 1, escaped, nil
		case b[next] != '\\':
			return pos, escaped, &Error{
				next,
				fmt.Sprintf("control character %q in a string must be escaped", b[next:next+1]),
			}
		}
		escaped = true
		n, ok := escapeLen(b[next:])
		if !ok {
			return pos, escaped, &Error{
				next,
				fmt.Sprintf("invalid escape %q in a string", b[next:next+n]),
			}
		}
		next += n
	}
}

// escapeLen returns the length of the escape at the start of text. If there is none, ok is false,
// and n is the number of bytes of text to show.
func escapeLen(text []byte) (n int, ok bool) {
	if len(text) < 2 {
		return len(text), false
	}
	if text[1] == 'u' {
		_, ok = unit(text)
		return min(6, len(text)), ok
	}
	if letters[text[1]] == 0 {
		_, size := utf8.DecodeRune(text[1:])
		return 1 + size, false
	}
	return 2, true
}

// letters are the characters of the short escapes.
var letters = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unit returns the UTF-16 unit of the escape \uXXXX at the start of text. ok is false if there is
// none.
func unit(text []byte) (u rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case isDigit(c):
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}

// AppendText appends the text of a string that String has read; body is the bytes between its
// quotes. It returns an error for a lone surrogate, \uD800 to \uDFFF, which UTF-8 cannot express.
// The error is an *Error with the offset in body, and dst then has its original length.
func AppendText(dst, body []byte) ([]byte, error) {
	begin := len(dst)
	for pos := 0; ; {
		n := PlainLen(body[pos:])
		dst = append(dst, body[pos:pos+n]...)
		if pos += n; pos == len(body) {
			return dst, nil
		}
		if c := letters[body[pos+1]]; c != 0 {
			dst = append(dst, c)
			pos += 2
			continue
		}
		r, _ := unit(body[pos:])
		size := 6
		if utf16.IsSurrogate(r) {
			low, _ := unit(body[pos+6:])
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return dst[:begin], &Error{
					pos,
					fmt.Sprintf(
						"%s is half of a surrogate pair without the other", body[pos:pos+6],
					),
				}
			}
			size = 12
		}
		dst = utf8.AppendRune(dst, r)
		pos += size
	}
}
