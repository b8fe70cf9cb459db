package format

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// AppendLatin1 appends a text in Latin-1 as UTF-8.
//
// What is called Latin-1 is nearly always windows-1252, which has quotes, dashes and the euro where
// ISO 8859-1 has control characters (0x80 to 0x9F). Browsers read it so as well
// (https://encoding.spec.whatwg.org/#names-and-labels).
func AppendLatin1(dst, text []byte) []byte {
	for _, b := range text {
		r := charmap.Windows1252.DecodeByte(b)
		if r == utf8.RuneError { // one of five that it has nothing for: the control character
			r = rune(b)
		}
		dst = utf8.AppendRune(dst, r)
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
