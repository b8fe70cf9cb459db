package dsv

import "bytes"

// mode is the state of the machine in a record.
type mode uint8

const (
	outside  mode = iota // in or before an unquoted field
	inside               // between an opening quote and its closing quote
	behind               // in blanks after a closing quote
	skipping             // after the last closing quote or a structural error, before an LF
)

// status is the result of a run of the machine.
type status uint8

const (
	ended   status = iota // the end of the record is known
	more                  // more bytes are needed
	endless               // the input ends inside quotes
)

// machine finds the end of one record after another in a window of bytes, with as little attention
// to fields as possible. It can stop at the end of the window and continue when the window has
// grown. All positions are indexes into the window.
type machine struct {
	delim, quote byte
	rest         string
	esc          byte // inside quotes; 0: none
	outer        byte // outside quotes
	comment      byte // 0: none
	blanks       blanks
	mode         mode
	half         bool // the byte at pos is escaped
	start        int  // first byte of the record
	pos          int  // all bytes before it are processed
	open         int  // last quote that opened a field
	nextQ        int  // no quote in [pos, nextQ)
	nextLF       int  // no LF in [pos, nextLF)
	nextE        int  // no escape in [pos, nextE)
	paired       int  // index after the last escaped byte
	long         longDelimiters
}

func newMachine(f Format) machine {
	return machine{
		delim:   f.Delimiter,
		quote:   f.Quote,
		rest:    f.Rest,
		esc:     f.escape(),
		outer:   f.OuterEscape(),
		comment: f.Comment,
		blanks:  f.blanks(),
	}
}

// restart starts a record at start. If start is before pos, the known positions ahead are dropped.
func (m *machine) restart(start int) {
	if start < m.pos {
		m.nextQ, m.nextLF, m.nextE, m.paired = start, start, start, start
	}
	m.mode, m.half, m.start, m.pos = outside, false, start, start
	m.long = startLong(start)
}

// shift adjusts the positions to a window whose first d bytes were dropped.
func (m *machine) shift(d int) {
	m.start -= d
	m.pos -= d
	m.open -= d
	m.nextQ -= d
	m.nextLF -= d
	m.nextE -= d
	m.paired -= d
	m.long.shift(d)
}

// seek returns the first index of b at or after both from and pos, or len(win). The caller knows
// that b is not in [pos, from).
func seek(win []byte, pos, from int, b byte) int {
	if from < pos {
		from = pos
	}
	if from >= len(win) || win[from] == b {
		return from
	}
	if i := bytes.IndexByte(win[from:], b); i >= 0 {
		return from + i
	}
	return len(win)
}

// run searches for the end of the record. If it returns ended, the index is after the record's line
// end, or the end of the window at the end of the input. A second run without a restart gives the
// same result. eof is true if nothing follows the window.
func (m *machine) run(win []byte, eof bool) (int, status) {
	if m.comment != 0 && m.pos == m.start && m.pos < len(win) && win[m.pos] == m.comment {
		m.mode = skipping // quotes have no meaning in a comment
	}
	if m.esc != 0 {
		return m.runEscaped(win, eof)
	}
	for {
		switch m.mode {
		case outside:
			m.nextQ = seek(win, m.pos, m.nextQ, m.quote)
			m.nextLF = seek(win, m.pos, m.nextLF, '\n')
			if q := m.nextQ; q < m.nextLF {
				if m.opens(win, q) {
					m.mode, m.open = inside, q
				}
				m.pos = q + 1
				continue
			}
			return m.lineEnd(win, eof)
		case behind:
			if end, st, stop := m.behindBlanks(win, eof); stop {
				return end, st
			}
		case skipping:
			m.nextLF = seek(win, m.pos, m.nextLF, '\n')
			return m.lineEnd(win, eof)
		case inside:
			if end, st, stop := m.quoted(win, eof); stop {
				return end, st
			}
		}
	}
}

// opens reports whether the quote at q, outside quotes, opens a field. It is not escaped.
func (m *machine) opens(win []byte, q int) bool {
	if m.rest != "" {
		return m.opensBehindLong(win, q)
	}
	return q == m.start || win[q-1] == m.delim && q != m.paired ||
		m.blanks.any && m.opensBehindBlanks(win, q)
}

// lineEnd ends the record at nextLF, if there is an LF.
func (m *machine) lineEnd(win []byte, eof bool) (int, status) {
	if m.nextLF < len(win) {
		return m.nextLF + 1, ended
	}
	m.pos = len(win)
	if eof {
		return len(win), ended
	}
	return 0, more
}

// quoted advances to the closing quote and past the byte after it. stop is true if that ends the
// record or if bytes are missing.
func (m *machine) quoted(win []byte, eof bool) (end int, st status, stop bool) {
	for {
		i := bytes.IndexByte(win[m.pos:], m.quote)
		if i < 0 {
			m.pos = len(win)
			if eof {
				return 0, endless, true
			}
			return 0, more, true
		}
		q := m.pos + i
		if q+1 == len(win) {
			m.pos = q
			if eof {
				return len(win), ended, true
			}
			return 0, more, true
		}
		switch win[q+1] {
		case m.quote:
			m.pos = q + 2
			continue
		case m.delim:
			if m.rest != "" {
				m.pos = q
				return m.longDelimiter(win, q+1, eof)
			}
			m.pos = q + 2
			if m.pos < len(win) && win[m.pos] == m.quote {
				m.open = m.pos
				m.pos++
				continue
			}
			m.mode = outside
			return 0, more, false
		case '\n':
			m.pos = q
			return q + 2, ended, true
		}
		// This is a blank, or a CRLF, which ends the record, or a structural error, which ends at
		// the next LF. The last two end at the same place.
		m.afterQuote(q, win[q+1])
		return 0, more, false
	}
}

// leftOpen returns the index of the quote that is open at the end of line, for a record that starts
// with line, or -1. The line must include its line end, one that is not escaped, or be the last
// line.
func leftOpen(f Format, line []byte) int {
	m := newMachine(f)
	if _, st := m.run(line, true); st == endless {
		return m.open
	}
	return -1
}

// isBlank reports whether a unit of the input is not a record: a comment, or a bare line end. With
// Trim, blanks may be before it.
func (f Format) isBlank(unit []byte) bool {
	if f.Comment != 0 && len(unit) > 0 && unit[0] == f.Comment {
		return true
	}
	if f.Trim {
		unit = unit[f.blanks().skip(unit, 0):]
		if len(unit) == 0 {
			return true
		}
	}
	switch len(unit) {
	case 1:
		return unit[0] == '\n'
	case 2:
		return unit[0] == '\r' && unit[1] == '\n'
	}
	return false
}
