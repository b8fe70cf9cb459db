package dsv

import (
	"bytes"
	"strings"
)

// longDelimiters is how far a machine has searched for delimiters of several bytes. It searches
// from the start of a field on, since "||" may begin at two places of "|||". It does so only where
// a quote comes behind, which opens a field or is data.
type longDelimiters struct {
	field int // the last field known begins there
	pos   int // no delimiter begins in [field, pos)
}

// opensBehindLong reports whether the quote at q, outside quotes, is the first byte of a field.
func (m *machine) opensBehindLong(win []byte, q int) bool {
	l := &m.long
	for l.pos < q {
		d, e := indexDelimiter(win[:q], l.pos, m.delim, m.rest), q
		if m.esc != 0 {
			e = seek(win[:q], l.pos, l.pos, m.esc)
		}
		switch {
		case e < d:
			l.pos = e + 2
		case d < q:
			l.field = d + 1 + len(m.rest)
			l.pos = l.field
		default:
			l.pos = q
		}
	}
	return l.field <= q && m.blanks.skip(win[:q], l.field) == q
}

// longDelimiter continues behind a closing quote, and maybe blanks, where the first byte of a
// delimiter is at i. If that is the end of the record, or if bytes are missing, stop is true. The
// caller has set pos to a byte from which to start again then.
func (m *machine) longDelimiter(win []byte, i int, eof bool) (end int, st status, stop bool) {
	next := i + 1 + len(m.rest)
	switch {
	case next <= len(win) && string(win[i+1:next]) == m.rest:
		m.mode, m.pos, m.long = outside, next, longDelimiters{next, next}
	case next > len(win) && strings.HasPrefix(m.rest, string(win[i+1:])) && !eof:
		return 0, more, true
	default:
		m.mode, m.pos = skipping, i
	}
	return 0, more, false
}

// indexDelimiter returns the index of the first delimiter of several bytes in data, at or after
// from, or len(data).
func indexDelimiter(data []byte, from int, first byte, rest string) int {
	for from < len(data) {
		d := bytes.IndexByte(data[from:], first)
		if d < 0 {
			break
		}
		from += d + 1
		if len(data)-from >= len(rest) &&
			string(data[from:from+len(rest)]) == rest {
			return from - 1
		}
	}
	return len(data)
}
