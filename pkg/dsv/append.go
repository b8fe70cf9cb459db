package dsv

import "bytes"

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// NeedsQuotes tells whether text must be quoted for a reader to get the same
// bytes back: it holds a delimiter, a quote, CR or LF, or begins with a byte
// order mark, which would be lost at the start of a file. An empty text does
// not need quotes to stay empty; see [Format.AppendField] for telling it from
// null.
func (f Format) NeedsQuotes(text []byte) bool {
	if len(text) >= 3 && string(text[:3]) == bom {
		return true
	}
	if len(text) >= longText {
		return bytes.IndexByte(text, f.Delimiter) >= 0 || bytes.IndexByte(text, f.Quote) >= 0 ||
			bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0
	}
	for _, b := range text {
		if b == f.Delimiter || b == f.Quote || b == '\n' || b == '\r' {
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
func (f Format) AppendField(dst, text []byte, quoteIfEmpty bool) []byte {
	if len(text) == 0 && !quoteIfEmpty {
		return dst
	}
	if len(text) == 0 || f.NeedsQuotes(text) {
		return f.AppendQuoted(dst, text)
	}
	return append(dst, text...)
}

// AppendQuoted appends one field in quotes, whether it needs them or not, and
// returns the longer slice.
func (f Format) AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, f.Quote)
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
