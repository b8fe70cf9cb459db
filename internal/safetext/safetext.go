// Package safetext makes text that others wrote safe to show: names of columns, files and nodes,
// values, and messages of servers. Such text may hold escape sequences of terminals, or
// characters that change the order in which a line is read. Both are shown as escapes, so
// that they are seen and do nothing. All other Unicode text is unchanged.
package safetext

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text whose control characters do nothing on a terminal. Line feeds and tabs
// are unchanged.
func Text(text string) string { return escape(text, "\n\t") }

// Line returns text that is one line, and whose control characters do nothing on a terminal.
func Line(text string) string { return escape(text, "") }

// escape writes unsafe characters as escapes, except those in keep.
func escape(text, keep string) string {
	unsafe := func(r rune, size int) bool {
		return r == utf8.RuneError && size <= 1 || Unsafe(r) && !strings.ContainsRune(keep, r)
	}
	var out strings.Builder
	done := 0 // bytes of text that are in out
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unsafe(r, size) {
			out.WriteString(text[done:i])
			appendEscape(&out, r, text[i])
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

const hex = "0123456789abcdef"

// appendEscape writes a character in the form that Go's quoted strings have.
func appendEscape(out *strings.Builder, r rune, first byte) {
	switch {
	case r == '\n':
		out.WriteString(`\n`)
	case r == '\r':
		out.WriteString(`\r`)
	case r == '\t':
		out.WriteString(`\t`)
	case r < utf8.RuneSelf || r == utf8.RuneError:
		out.Write([]byte{'\\', 'x', hex[first>>4], hex[first&15]})
	default: // all of them are in the basic plane
		out.Write([]byte{'\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
	}
}

// Unsafe reports whether a terminal does more with a character than show it. That is so for control
// characters, of ASCII and of ISO 6429's upper half. It is so for characters that change the
// direction of text (Unicode Standard Annex 9) or end a line.
func Unsafe(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	default:
		return unicode.Is(unicode.Bidi_Control, r)
	}
}

// JSON returns JSON text in which unsafe characters are written as \u escapes. Only strings
// can hold them, so the values are exactly the same.
func JSON(text []byte) []byte {
	if !strings.ContainsFunc(string(text), unsafeInJSON) {
		return text
	}
	var out strings.Builder
	for _, r := range string(text) {
		if unsafeInJSON(r) {
			out.Write([]byte{'\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
		} else {
			out.WriteRune(r)
		}
	}
	return []byte(out.String())
}

// unsafeInJSON leaves out white space of JSON; other control characters of ASCII are escaped
// in JSON already.
func unsafeInJSON(r rune) bool { return r >= 0x7f && Unsafe(r) }

// NewWriter returns a writer that passes [Text] of what it is given to w. A character may come
// in several parts. Only one goroutine may use it at a time.
func NewWriter(w io.Writer) io.Writer { return &writer{to: w} }

type writer struct {
	to   io.Writer
	tail []byte // the beginning of a character
}

func (w *writer) Write(b []byte) (int, error) {
	text := append(w.tail, b...)
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if start := len(text) - back; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				end = start
			}
			break
		}
	}
	shown := Text(string(text[:end]))
	w.tail = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.to, shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// JSONWriter returns a writer that passes [JSON] of what it is given to w. Each write must
// hold whole characters.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ to io.Writer }

func (w jsonWriter) Write(b []byte) (int, error) {
	if _, err := w.to.Write(JSON(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
