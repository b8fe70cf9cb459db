package dsv

import "bytes"

// fault returns what is wrong with the line at start, and the index of its LF
// or -1 when that is not in the window.
func (s *Splitter) fault(why verdict) (f fault, lf int) {
	line := s.in.buf[s.start:]
	lf = bytes.IndexByte(line, '\n')
	if lf >= 0 {
		line = line[:lf+1]
		lf += s.start
	}
	switch {
	case why == neverEnds:
		return unclosed(leftOpen(s.f, line)+1, lf >= 0 && s.m.open > lf), lf
	case lf >= 0 && len(line) <= s.max:
		return oversize(leftOpen(s.f, line)+1, s.max), lf
	}
	return oversize(0, s.max), lf
}

// reject reports the line at start, where the window's head is too, and moves
// on behind it. The machine stays where it is, ahead of the next line.
func (s *Splitter) reject(why verdict) error {
	fault, lf := s.fault(why)
	if s.bad == nil {
		return fault.on(s.line)
	}
	b := Bad{
		Offset: s.in.offset(s.start),
		Line:   s.line,
		Column: fault.column,
		Reason: fault.reason(),
		First:  true,
	}
	s.line++
	s.doom = ahead
	for lf < 0 && !s.in.eof {
		b.Piece = s.in.buf[s.start:]
		if err := s.bad(b); err != nil {
			return err
		}
		b.First = false
		if err := s.in.refill(); err != nil {
			return err
		}
		s.start = 0
		s.doom = none
		lf = bytes.IndexByte(s.in.buf, '\n')
	}
	end := len(s.in.buf)
	if lf >= 0 {
		end = lf + 1
	}
	b.Piece, b.Last = s.in.buf[s.start:end], true
	s.start, s.in.head = end, end
	if s.doom == none {
		s.m = newMachine(s.f)
		s.m.restart(end)
	}
	return s.bad(b)
}
