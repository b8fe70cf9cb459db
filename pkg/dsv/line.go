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

// lineEndEscaped returns the index of the first LF at or after i that is not escaped, or len(data).
// The caller sets half if the byte at i is escaped.
func lineEndEscaped(data []byte, i int, esc byte, half bool) int {
	for from := i; ; {
		lf := lineEnd(data, from)
		if lf == len(data) || !endsHalf(data[i:lf], esc, half) {
			return lf
		}
		from = lf + 1
	}
}

// endsHalf reports whether the byte after data is escaped, that is, whether data ends with an odd
// number of escapes. The caller sets half if the first byte of data is itself escaped; that byte
// does not count. The result does not depend on quotes.
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
