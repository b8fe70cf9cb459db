package dsv

import "bytes"

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// NeedsQuotes tells whether text must be quoted for a reader to get the same
// bytes back: it holds a delimiter, a quote, CR or LF, or begins with a byte
// order mark, which would be lost at the start of a file. An empty text does
// not need quotes to stay empty; see [Format.AppendField] for telling it from
// null.
//
// In a format with an escape a quote is no reason, since it is escaped like the
// escape itself; that a text needs no quotes then does not mean that it can be
// written as it is.
func (f Format) NeedsQuotes(text []byte) bool {
	return needsQuotes(text, f.Delimiter, f.second())
}

// second is the byte that, besides the delimiter, a text without quotes must not have. In a format with
// an escape a quote does not count. The pointer spares a copy of the format for each field.
func (f *Format) second() byte {
	if f.escapes() {
		return f.Delimiter
	}
	return f.Quote
}

// needsQuotes takes the two bytes of a format, since a Format is too large for registers: each of
// the bytes of text would be compared with memory.
func needsQuotes(text []byte, delimiter, quote byte) bool {
	if len(text) >= 3 && string(text[:3]) == bom {
		return true
	}
	if len(text) >= longText {
		return bytes.IndexByte(text, delimiter) >= 0 || bytes.IndexByte(text, quote) >= 0 ||
			bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0
	}
	for _, b := range text {
		if b == delimiter || b == quote || b == '\n' || b == '\r' {
			return true
		}
	}
	return false
}

// longText is the length in bytes from which four searches by the machine's
// vector instructions beat one loop over the bytes.
const longText = 24

// AppendField appends one field, without delimiters or line end around it, and
// returns the longer slice. It is quoted only where [Format.NeedsQuotes] says
// so, or when it is empty and quoteIfEmpty is set. An empty text with
// quoteIfEmpty off appends nothing: that is null.
//
// With an escape, quotes and escapes in the text are escaped, in quotes or not.
// That is what csv.writer of Python 3.10 and later writes with escapechar,
// doublequote=False and QUOTE_MINIMAL, but for a text that begins with a byte
// order mark, which csv.writer does not quote.
func (f Format) AppendField(dst, text []byte, quoteIfEmpty bool) []byte {
	if len(text) == 0 && !quoteIfEmpty {
		return dst
	}
	if len(text) == 0 || needsQuotes(text, f.Delimiter, f.second()) {
		return f.AppendQuoted(dst, text)
	}
	if f.escapes() {
		return f.appendEscaped(dst, text)
	}
	return append(dst, text...)
}

// AppendQuoted appends one field in quotes, whether it needs them or not, and
// returns the longer slice.
func (f Format) AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, f.Quote)
	if f.escapes() {
		return append(f.appendEscaped(dst, text), f.Quote)
	}
	for {
		i := bytes.IndexByte(text, f.Quote)
		if i < 0 {
			break
		}
		dst = append(dst, text[:i+1]...)
		dst = append(dst, f.Quote)
		text = text[i+1:]
	}
	dst = append(dst, text...)
	return append(dst, f.Quote)
}

// appendEscaped appends text with an escape before each quote and escape.
func (f Format) appendEscaped(dst, text []byte) []byte {
	if len(text) >= longText && bytes.IndexByte(text, f.Quote) < 0 && bytes.IndexByte(text, f.Escape) < 0 {
		return append(dst, text...)
	}
	from := 0
	for i, b := range text {
		if b == f.Quote || b == f.Escape {
			dst = append(dst, text[from:i]...)
			dst = append(dst, f.Escape)
			from = i
		}
	}
	return append(dst, text[from:]...)
}
