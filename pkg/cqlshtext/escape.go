package cqlshtext

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var errLoneBackslash = errors.New("a backslash at the end without an escape")

// unescape reverses the escapes of text[mark:] in place: \\, \n, \r, \t, and \xNN for the character
// U+00NN. Every escape is longer than its character.
func unescape(text []byte, mark int) ([]byte, error) {
	i := bytes.IndexByte(text[mark:], '\\')
	if i < 0 {
		return text, nil
	}
	in := mark + i
	out := text[:in]
	for in < len(text) {
		c := text[in]
		if c != '\\' {
			out = append(out, c)
			in++
			continue
		}
		if in+1 == len(text) {
			return text, errLoneBackslash
		}
		switch e := text[in+1]; e {
		case '\\':
			out = append(out, '\\')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'x':
			hi, lo := hexDigit(text, in+2), hexDigit(text, in+3)
			if hi < 0 || lo < 0 {
				return text, fmt.Errorf(
					"escape \\x without two hex digits after it, at offset %d", in-mark,
				)
			}
			out = utf8.AppendRune(out, rune(hi<<4|lo))
			in += 2
		default:
			return text, fmt.Errorf("unknown escape %q at offset %d", text[in:in+2], in-mark)
		}
		in += 2
	}
	return out, nil
}

// hexDigit returns the value of the hex digit at text[i], or -1.
func hexDigit(text []byte, i int) int {
	if i >= len(text) {
		return -1
	}
	switch c := text[i]; {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}

// appendEscaped appends text with the escapes of COPY TO.
func appendEscaped(dst []byte, text string) []byte {
	for _, r := range strings.ReplaceAll(text, `\`, `\\`) {
		switch {
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x20 || r >= 0x7f && r <= 0xa0:
			dst = append(dst, '\\', 'x')
			if r < 0x10 {
				dst = append(dst, '0')
			}
			dst = strconv.AppendInt(dst, int64(r), 16)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
