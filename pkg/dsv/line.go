package dsv

import "bytes"

var newline = []byte{'\n'}

// lineEnd returns the index of the first LF at or after i, or len(data).
func lineEnd(data []byte, i int) int {
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(data)
}

// lineEndEscaped returns the index of the first LF at or after i that is not
// escaped, or len(data). Half says that the byte at i itself is escaped.
func lineEndEscaped(data []byte, i int, esc byte, half bool) int {
	for from := i; ; {
		lf := lineEnd(data, from)
		if lf == len(data) || !endsHalf(data[i:lf], esc, half) {
			return lf
		}
		from = lf + 1
	}
}

// endsHalf tells whether the byte behind data is escaped: whether data ends
// with an odd number of escapes, where one that is escaped itself, as half says
// of the first byte, does not count. That does not depend on quotes.
func endsHalf(data []byte, esc byte, half bool) bool {
	n := 0
	for n < len(data) && data[len(data)-1-n] == esc {
		n++
	}
	if n == len(data) && half {
		n++
	}
	return n%2 == 1
}
