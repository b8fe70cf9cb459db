package dsv

// runEscaped is run for a format with an escape.
func (m *machine) runEscaped(win []byte, eof bool) (int, status) {
	if m.half {
		if m.pos == len(win) {
			return m.cut(win, eof)
		}
		m.half = false
		m.pos++
		m.paired = m.pos
	}
	for {
		if m.mode == behind {
			if end, st, stop := m.behindBlanks(win, eof); stop {
				return end, st
			}
		}
		q, lf, e := len(win), len(win), len(win)
		if m.mode == inside || m.outer != 0 {
			m.nextE = seek(win, m.pos, m.nextE, m.esc)
			e = m.nextE
		}
		if m.mode != skipping {
			m.nextQ = seek(win, m.pos, m.nextQ, m.quote)
			q = m.nextQ
		}
		if m.mode != inside {
			m.nextLF = seek(win, m.pos, m.nextLF, '\n')
			lf = m.nextLF
		}
		switch {
		case e < q && e < lf:
			if e+1 == len(win) {
				m.pos, m.half = len(win), true
				return m.cut(win, eof)
			}
			m.pos = e + 2
			m.paired = m.pos
		case q < lf && m.mode == outside:
			if m.opens(win, q) {
				m.mode, m.open = inside, q
			}
			m.pos = q + 1
		case q+1 < lf && win[q+1] == m.delim && m.rest != "":
			m.pos = q
			if end, st, stop := m.longDelimiter(win, q+1, eof); stop {
				return end, st
			}
		case q+1 < lf:
			m.behindQuote(q, win[q+1])
		case q < lf:
			m.pos = q
			if eof {
				return len(win), ended
			}
			return 0, more
		case m.mode == inside:
			m.pos = len(win)
			return m.cut(win, eof)
		default:
			return m.lineEnd(win, eof)
		}
	}
}

// behindQuote continues after the quote at q, inside quotes. b is the byte after it.
func (m *machine) behindQuote(q int, b byte) {
	switch b {
	case m.quote:
		m.pos = q + 2
	case m.delim:
		m.mode, m.pos = outside, q+1
	default:
		// b is a blank, part of a line end, or a structural error.
		m.afterQuote(q, b)
	}
}

// cut returns the result if the window ends inside quotes or after an escape.
func (m *machine) cut(win []byte, eof bool) (int, status) {
	switch {
	case !eof:
		return 0, more
	case m.mode == inside:
		return 0, endless
	}
	return len(win), ended
}
