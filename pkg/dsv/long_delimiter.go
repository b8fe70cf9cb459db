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
	nextD int // none begins in [pos, nextD) either, but behind an escape
	nextE int // no escape in [pos, nextE)
}

// startLong is how far a machine has searched that is at the start of a field.
func startLong(field int) longDelimiters { return longDelimiters{field, field, field, field} }

// shift is machine.shift.
func (l *longDelimiters) shift(d int) {
	l.field -= d
	l.pos -= d
	l.nextD -= d
	l.nextE -= d
}

// opensBehindLong reports whether the quote at q, outside quotes, is the first byte of a field.
func (m *machine) opensBehindLong(win []byte, q int) bool {
	l := &m.long
	for l.pos < q {
		l.nextD = indexDelimiter(win[:q], max(l.pos, l.nextD), m.delim, m.rest)
		escape := q
		if m.outer != 0 {
			l.nextE = seek(win[:q], l.pos, l.nextE, m.outer)
			escape = l.nextE
		}
		switch {
		case escape < l.nextD:
			l.pos = escape + 2
		case l.nextD < q:
			l.field = l.nextD + 1 + len(m.rest)
			l.pos = l.field
		default:
			l.pos = q
		}
	}
	i := q
	for i > l.field && m.blanks.is(win[i-1]) { // a blank with an escape before it ends there
		i--
	}
	return i == l.field
}

// longDelimiter continues behind a closing quote, and maybe blanks, where the first byte of a
// delimiter is at i. If that is the end of the record, or if bytes are missing, stop is true. The
// caller has set pos to a byte from which to start again then.
func (m *machine) longDelimiter(win []byte, i int, eof bool) (end int, st status, stop bool) {
	next := i + 1 + len(m.rest)
	switch {
	case next <= len(win) && string(win[i+1:next]) == m.rest:
		m.mode, m.pos, m.long = outside, next, startLong(next)
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
