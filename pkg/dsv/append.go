package dsv

import "bytes"

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// NeedsQuotes reports whether text must be quoted so that a reader returns the same bytes. That is
// the case if text contains the first byte of a delimiter, a quote, CR or LF. It is also the case
// if text starts with a byte order mark, which would be lost at the start of a file. An empty text
// does not need quotes to stay empty; [Format.AppendField] distinguishes it from null.
//
// In a format with an escape, a quote needs no quotes around the text, because it is escaped like
// the escape itself. A text that needs no quotes may therefore still need escapes.
func (f Format) NeedsQuotes(text []byte) bool {
	return needsQuotes(text, f.Delimiter, f.second())
}

// second returns the byte, besides the delimiter, that requires quotes. In a format with an escape,
// it is the delimiter again. The pointer avoids a copy of the format for each field.
func (f *Format) second() byte {
	if f.OuterEscape() != 0 {
		return f.Delimiter
	}
	return f.Quote
}

// needsQuotes takes the two bytes of a format because a Format does not fit in registers. The loop
// would compare each byte of text with memory.
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

// longText is the length in bytes from which four vectorized searches are faster than one loop.
const longText = 24

// AppendField appends one field, without delimiters and line end, and returns the extended slice.
// It adds quotes only if [Format.NeedsQuotes] reports true, or if text is empty and quoteIfEmpty is
// true. If text is empty and quoteIfEmpty is false, it appends nothing, which is null.
//
// In a format with an escape, it escapes quotes and escapes in the text, inside quotes and outside.
// The result is that of Python's csv.writer (3.10 and later) with escapechar, doublequote=False and
// QUOTE_MINIMAL. The only difference is a text that starts with a byte order mark, which csv.writer
// does not quote.
func (f Format) AppendField(dst, text []byte, quoteIfEmpty bool) []byte {
	if len(text) == 0 && !quoteIfEmpty {
		return dst
	}
	if len(text) == 0 || needsQuotes(text, f.Delimiter, f.second()) {
		return f.AppendQuoted(dst, text)
	}
	if f.OuterEscape() != 0 {
		return f.appendEscaped(dst, text)
	}
	return append(dst, text...)
}

// AppendQuoted appends one field, always in quotes, and returns the extended slice.
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

// appendEscaped appends text with an escape before each quote and escape, and with line ends as
// NewlineEscapes has them.
func (f Format) appendEscaped(dst, text []byte) []byte {
	if len(text) >= longText && !f.NewlineEscapes && bytes.IndexByte(text, f.Quote) < 0 &&
		bytes.IndexByte(text, f.Escape) < 0 {
		return append(dst, text...)
	}
	from := 0
	for i, b := range text {
		switch {
		case b == f.Quote || b == f.Escape:
			dst = append(dst, text[from:i]...)
			dst = append(dst, f.Escape)
			from = i
		case f.NewlineEscapes && (b == '\n' || b == '\r'):
			dst = append(dst, text[from:i]...)
			letter := byte('n')
			if b == '\r' {
				letter = 'r'
			}
			dst = append(dst, f.Escape, letter)
			from = i + 1
		}
	}
	return append(dst, text[from:]...)
}
