package cqljson

import (
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// AppendString appends text as a JSON string. It escapes only what JSON requires: the double quote,
// the backslash and the control characters below U+0020. Control characters with a short escape get
// it (\n, \r, \t, \b, \f), the others are \u00XX. A byte that is not part of valid UTF-8 becomes
// the escape \ufffd; the character U+FFFD itself is unchanged.
func AppendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	if !utf8.Valid(text) {
		for n := validLen(text); n < len(text); n = validLen(text) {
			dst = append(appendEscaped(dst, text[:n]), `\ufffd`...)
			text = text[n+1:]
		}
	}
	return append(appendEscaped(dst, text), '"')
}

// validLen returns the number of bytes at the start of text that are valid UTF-8.
func validLen(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// appendEscaped appends valid UTF-8 with the escapes of a JSON string.
func appendEscaped(dst, text []byte) []byte {
	for {
		n := jsonscan.PlainLen(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return dst
		}
		dst = appendEscape(dst, text[n])
		text = text[n+1:]
	}
}

// letters are the characters after the backslash in the short escapes.
var letters = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}

// appendEscape appends the escape of a byte.
func appendEscape(dst []byte, c byte) []byte {
	if l := letters[c]; l != 0 {
		return append(dst, '\\', l)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}

// quoteFrom replaces the JSON value at dst[begin:], which is not a string, with a string of that
// JSON. In JSON from this package, only double quotes and backslashes need escapes.
func quoteFrom(dst []byte, begin int) []byte {
	extra := 2
	for _, c := range dst[begin:] {
		if c == '"' || c == '\\' {
			extra++
		}
	}
	r := len(dst) - 1
	for range extra {
		dst = append(dst, '"')
	}
	// From the end, each byte moves to its place, which is never before its old place.
	for w := len(dst) - 2; r >= begin; r-- {
		c := dst[r]
		dst[w] = c
		w--
		if c == '"' || c == '\\' {
			dst[w] = '\\'
			w--
		}
	}
	dst[begin] = '"'
	return dst
}
