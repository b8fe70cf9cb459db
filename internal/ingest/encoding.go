package ingest

import "unicode/utf8"

// decode gives a field's text in UTF-8; it is valid until the next call.
//
// ISO 8859-1 (Latin-1) has the first 256 characters of Unicode, in their order.
func (p *parser) decode(text []byte) []byte {
	if !p.view.latin1 || isASCII(text) {
		return text
	}
	p.utf8 = appendLatin1(p.utf8[:0], text)
	return p.utf8
}

func appendLatin1(dst, text []byte) []byte {
	for _, b := range text {
		dst = utf8.AppendRune(dst, rune(b))
	}
	return dst
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
