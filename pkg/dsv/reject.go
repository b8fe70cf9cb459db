package dsv

import "bytes"

// lineEnd returns the index after the line that contains index from. If the line continues after
// the window, found is false. The caller sets half if the byte at from is escaped.
func (s *Splitter) lineEnd(from int, half bool) (end int, found bool) {
	var lf int
	if s.m.outer == 0 {
		lf = lineEnd(s.in.buf, from)
	} else {
		lf = lineEndEscaped(s.in.buf, from, s.m.outer, half)
	}
	if lf == len(s.in.buf) {
		return lf, false
	}
	return lf + 1, true
}

// fault returns the fault of the line at start.
func (s *Splitter) fault(why verdict) fault {
	end, found := s.lineEnd(s.start, false)
	line := s.in.buf[s.start:end]
	switch {
	case why == neverEnds:
		return unclosed(line, s.line, leftOpen(s.f, line), found && s.m.open >= end)
	case found && len(line) <= s.max:
		return oversize(line, s.line, leftOpen(s.f, line), s.max)
	}
	return oversize(line, s.line, -1, s.max)
}

// reject reports the line at start, which is also the window's head, and moves past it. The machine
// keeps its position, ahead of the next line.
func (s *Splitter) reject(why verdict) error {
	fault := s.fault(why)
	if s.bad == nil {
		return fault.err()
	}
	b := Bad{
		Offset: s.in.offset(s.start),
		Line:   fault.line,
		Column: fault.column,
		Reason: fault.reason(),
		First:  true,
	}
	s.doom = ahead
	half := false
	end, found := s.lineEnd(s.start, half)
	for !found && !s.in.eof {
		b.Piece = s.in.buf[s.start:]
		half = s.m.outer != 0 && endsHalf(b.Piece, s.m.outer, half)
		s.line += int64(bytes.Count(b.Piece, newline))
		if err := s.bad(b); err != nil {
			return err
		}
		b.First = false
		if err := s.in.refill(); err != nil {
			return err
		}
		s.start = 0
		s.doom = none
		end, found = s.lineEnd(0, half)
	}
	b.Piece, b.Last = s.in.buf[s.start:end], true
	s.line += int64(bytes.Count(b.Piece, newline))
	s.start, s.in.head = end, end
	if s.doom == none {
		s.m = newMachine(s.f)
		s.m.restart(end)
	}
	return s.bad(b)
}
