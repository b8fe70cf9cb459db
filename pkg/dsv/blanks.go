package dsv

import "strings"

// blanks are the bytes that [Format].Trim removes, one or two.
type blanks struct {
	any  bool // false: there are none
	a, b byte
}

// blanks returns the bytes that are removed around fields.
func (f Format) blanks() (s blanks) {
	for _, b := range [...]byte{' ', '\t'} {
		switch {
		case !f.Trim || b == f.Delimiter || b == f.Quote || b == f.escape() || b == f.Comment,
			strings.IndexByte(f.Rest, b) >= 0:
		case s.any:
			s.b = b
		default:
			s = blanks{true, b, b}
		}
	}
	return s
}

// is reports whether b is one of the bytes.
func (s blanks) is(b byte) bool { return s.any && (b == s.a || b == s.b) }

// skip returns the index of the first byte of data, at or after i, that is none of them.
func (s blanks) skip(data []byte, i int) int {
	for i < len(data) && s.is(data[i]) {
		i++
	}
	return i
}

// trimEnd returns the index after the last byte of data, at or after from, that is none of them.
func (s blanks) trimEnd(data []byte, from int) int {
	end := len(data)
	for end > from && s.is(data[end-1]) {
		end--
	}
	return end
}

// opensBehindBlanks reports whether the quote at q opens a field after blanks. A blank or delimiter
// with an escape before it is data, and so is the quote then.
func (m *machine) opensBehindBlanks(win []byte, q int) bool {
	i := q
	for i > m.start && i > m.paired && m.blanks.is(win[i-1]) {
		i--
	}
	return i == m.start || i > m.paired && win[i-1] == m.delim
}

// behindBlanks advances past blanks after a closing quote, and past the byte after them. If that
// ends the record or if bytes are missing, stop is true.
func (m *machine) behindBlanks(win []byte, eof bool) (end int, st status, stop bool) {
	m.pos = m.blanks.skip(win, m.pos)
	switch {
	case m.pos == len(win) && eof:
		return len(win), ended, true
	case m.pos == len(win):
		return 0, more, true
	case win[m.pos] == '\n':
		return m.pos + 1, ended, true
	case win[m.pos] == m.delim && m.rest != "":
		return m.longDelimiter(win, m.pos, eof)
	case win[m.pos] == m.delim:
		m.mode = outside
		m.pos++
	default: // a CRLF, or a structural error
		m.mode = skipping
	}
	return 0, more, false
}

// afterQuote sets the mode after the closing quote at q. The byte after it is neither a quote nor a
// delimiter.
func (m *machine) afterQuote(q int, b byte) {
	m.mode, m.pos = skipping, q+1
	if m.blanks.is(b) {
		m.mode = behind
	}
}
