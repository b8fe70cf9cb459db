package dsv

import "bytes"

// mode is where in a record the machine stands.
type mode uint8

const (
	outside  mode = iota // in or before an unquoted field
	inside               // between an opening quote and its closing one
	skipping             // behind the last closing quote or a structural error, before an LF
)

// status is what a run of the machine came to.
type status uint8

const (
	ended   status = iota // the record's end is known
	more                  // bytes are missing
	endless               // the input ends inside quotes
)

// machine finds the end of one record after the other in a window of bytes,
// without looking at fields more than that needs. It can stop at the end of
// the window and go on when the window has become longer. All positions are
// indexes into the window.
type machine struct {
	delim, quote byte
	esc          byte // 0: none
	comment      byte // 0: none
	mode         mode
	half         bool // the byte at pos is escaped
	start        int  // first byte of the record
	pos          int  // everything before it is dealt with
	open         int  // last quote that opened a field
	nextQ        int  // no quote in [pos, nextQ)
	nextLF       int  // no LF in [pos, nextLF)
	nextE        int  // no escape in [pos, nextE)
	paired       int  // behind the last byte that was escaped
}

func newMachine(f Format) machine {
	return machine{delim: f.Delimiter, quote: f.Quote, esc: f.escape(), comment: f.Comment}
}

// restart begins a record at start. Going back drops what was known ahead.
func (m *machine) restart(start int) {
	if start < m.pos {
		m.nextQ, m.nextLF, m.nextE = start, start, start
	}
	m.mode, m.half, m.start, m.pos = outside, false, start, start
}

// shift follows a window whose first d bytes were dropped.
func (m *machine) shift(d int) {
	m.start -= d
	m.pos -= d
	m.open -= d
	m.nextQ -= d
	m.nextLF -= d
	m.nextE -= d
	m.paired -= d
}

// seek returns the first index of b at or after both from and pos, or
// len(win), where nothing in [pos, from) is b.
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

// run looks for the end of the record. With ended it returns the index behind
// the record's line end (or the end of the window, at the end of the input);
// running again without a restart then gives the same answer. eof says that
// nothing follows the window.
func (m *machine) run(win []byte, eof bool) (int, status) {
	if m.comment != 0 && m.pos == m.start && m.pos < len(win) && win[m.pos] == m.comment {
		m.mode = skipping // a quote in a comment opens nothing
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
				if q == m.start || win[q-1] == m.delim {
					m.mode, m.open = inside, q
				}
				m.pos = q + 1
				continue
			}
			return m.lineEnd(win, eof)
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

// lineEnd ends the record at nextLF, if that is an LF.
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

// quoted runs to the closing quote and over what follows it. It stops when
// that ends the record or when bytes are missing.
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
		// CRLF, the end of the record, or a structural error, which ends at the
		// next LF: that is the same place.
		m.mode, m.pos = skipping, q+1
		return 0, more, false
	}
}

// leftOpen returns the index of the quote that is still open at the end of
// line, when a record starts with the line, or -1. The line must have its line
// end, one that is not escaped, or be the last one.
func leftOpen(f Format, line []byte) int {
	m := newMachine(f)
	if _, st := m.run(line, true); st == endless {
		return m.open
	}
	return -1
}

// isBlank tells whether a unit of the input is no record: a comment, or a line end and nothing else.
func (f Format) isBlank(unit []byte) bool {
	if f.Comment != 0 && len(unit) > 0 && unit[0] == f.Comment {
		return true
	}
	switch len(unit) {
	case 1:
		return unit[0] == '\n'
	case 2:
		return unit[0] == '\r' && unit[1] == '\n'
	}
	return false
}
