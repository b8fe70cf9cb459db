package dsv

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// Defaults of [Options], in bytes.
const (
	DefaultChunkSize = 1 << 20
	DefaultMaxRecord = 64 << 20
)

// Options sets the sizes of a Splitter and what it does with bad lines.
type Options struct {
	// ChunkSize is the most bytes of a chunk with several records, by default
	// DefaultChunkSize. Only a record that is longer by itself makes a longer
	// chunk.
	ChunkSize int
	// MaxRecord is the most bytes of one record, its line end included, by
	// default DefaultMaxRecord. Values of 1 count as 2.
	MaxRecord int
	// Bad is given the lines on which a record starts that does not end or is
	// longer than MaxRecord. An error it returns ends the splitting and comes
	// out of Next as it is. Without it such a line makes Next return a
	// *SyntaxError.
	Bad func(Bad) error
}

// Bad is a piece of one bad line. The pieces of a line come in order, and
// those of one line before those of the next.
type Bad struct {
	Offset int64  // where the line starts in the input, in bytes from 0
	Line   int64  // physical line, 1-based
	Column int    // byte column the reason is about, 1-based
	Reason string // what is wrong with the line, the same for all its pieces
	// Piece is valid during the call only. With the other pieces it is the
	// line as it stood in the input, its line end included. The last piece of
	// several may be empty.
	Piece []byte
	First bool // the line's first piece
	Last  bool // the line's last piece
}

// Splitter cuts a stream into chunks of whole records. Where it cuts depends
// on the bytes, the format, ChunkSize and MaxRecord only, never on how the
// reader hands the bytes out.
type Splitter struct {
	f       Format
	chunk   int
	max     int
	bad     func(Bad) error
	in      window
	m       machine
	line    int64 // physical line of the window's head
	start   int   // first byte in the window that is not in the next chunk
	records int   // records between head and start
	doom    doom
	err     error // what Next returns from now on
}

// doom says how the machine stands to the record at start, after a record
// before it turned out not to end where it should have.
type doom uint8

const (
	none   doom = iota // the machine is on this record
	ahead              // the machine is on an earlier record that did not end
	joined             // this record has come to what the machine is on
)

// NewSplitter returns a Splitter of what r delivers. It panics when f does not
// pass [Format.Validate].
func NewSplitter(r io.Reader, f Format, o Options) *Splitter {
	f.must()
	s := &Splitter{f: f, chunk: o.ChunkSize, max: o.MaxRecord, bad: o.Bad, m: newMachine(f), line: 1}
	if s.chunk <= 0 {
		s.chunk = DefaultChunkSize
	}
	if s.max <= 0 {
		s.max = DefaultMaxRecord
	}
	s.max = min(max(s.max, 2), math.MaxInt-s.chunk-1)
	s.in = window{r: r, chunk: s.chunk, limit: s.chunk + s.max + 1}
	return s
}

// Next returns the next chunk, copied into buf, which grows when it is too
// short. The chunk belongs to the caller; the Splitter keeps no hold on it.
// At the end of the input it returns io.EOF. An error of the reader comes
// wrapped, after the whole records before it. Every error is final.
//
// Chunks and bad lines together are the input without its byte order mark. A
// chunk may hold blank lines only, and so have no records.
func (s *Splitter) Next(buf []byte) (Chunk, error) {
	if s.err != nil {
		return Chunk{}, s.err
	}
	for {
		held := s.start - s.in.head
		limit := math.MaxInt
		if held > 0 {
			limit = s.chunk
		}
		end, why, err := s.resolve(limit)
		switch {
		case err != nil:
			s.err = err
			if held == 0 {
				return Chunk{}, err
			}
			return s.emit(buf), nil
		case why == tooLong || why == neverEnds:
			if held > 0 {
				return s.emit(buf), nil
			}
			if s.err = s.reject(why); s.err != nil {
				return Chunk{}, s.err
			}
		case why == noRoom || held > 0 && end-s.in.head > s.chunk:
			return s.emit(buf), nil
		default:
			s.accept(end)
			if end-s.in.head >= s.chunk {
				return s.emit(buf), nil
			}
		}
	}
}

// Header returns the first record that is not blank and moves on behind it;
// call it before Next. The record is the caller's to keep. The error is io.EOF
// when there is no record, the record's own Err when its structure is broken,
// and a *SyntaxError, never a call of Bad, when it does not end.
func (s *Splitter) Header() (Record, error) {
	for s.err == nil {
		end, why, err := s.resolve(math.MaxInt)
		if err != nil {
			s.err = err
			break
		}
		if why != whole {
			fault, _ := s.fault(why)
			s.err = fault.on(s.line)
			break
		}
		s.accept(end)
		blank := s.records == 0
		c := s.emit(nil)
		if blank {
			continue
		}
		p := NewParser(s.f)
		p.Reset(c)
		p.Next()
		return p.Record(), p.Record().Err
	}
	return Record{}, s.err
}

// verdict is what is known about the record, or blank line, at start.
type verdict uint8

const (
	whole     verdict = iota // it ends, and in time
	tooLong                  // it has more than max bytes
	neverEnds                // the input ends inside quotes
	noRoom                   // it ends behind the limit given to resolve
)

// resolve finds the end of what begins at start, reading on as needed, but
// only while the window holds no more than limit bytes. The error is io.EOF
// when the input ends at start.
func (s *Splitter) resolve(limit int) (end int, why verdict, err error) {
	for {
		end, st := s.scan()
		switch {
		case st == ended && end > s.start:
			if end-s.start > s.max {
				return 0, tooLong, nil
			}
			return end, whole, nil
		case len(s.in.buf)-s.start > s.max:
			return 0, tooLong, nil
		case st == endless:
			return 0, neverEnds, nil
		case st == ended:
			return 0, whole, io.EOF
		case len(s.in.buf)-s.in.head > limit:
			return 0, noRoom, nil
		}
		dropped, err := s.in.fill()
		s.start -= dropped
		s.m.shift(dropped)
		if err != nil {
			return 0, whole, err
		}
	}
}

// scan runs the machine for the record at start.
//
// While the machine is ahead, on a record that began on an earlier line, it
// has crossed every line end up to its position inside quotes. A record that
// reaches one of them inside quotes as well stands in the same state there,
// and will go on to where the machine is. So only the first line of the record
// is scanned.
func (s *Splitter) scan() (int, status) {
	win := s.in.buf
	if s.doom == ahead {
		lf := lineEnd(win[:max(s.m.pos, s.start)], s.start)
		switch {
		case lf >= s.m.pos:
			s.doom = none
			s.m.restart(s.start)
		case leftOpen(s.f, win[s.start:lf+1]) < 0:
			return lf + 1, ended
		default:
			s.doom = joined
		}
	}
	return s.m.run(win, s.in.eof)
}

// accept adds the record or blank line that ends at end to the next chunk.
func (s *Splitter) accept(end int) {
	if !isBlank(s.in.buf[s.start:end]) {
		s.records++
	}
	s.start = end
	if s.doom != ahead {
		s.doom = none
		s.m.restart(end)
	}
}

// emit copies what was accepted into buf and makes a chunk of it.
func (s *Splitter) emit(buf []byte) Chunk {
	data := s.in.buf[s.in.head:s.start]
	if cap(buf) < len(data) {
		size := len(data)
		if !s.in.eof {
			size = max(size, s.chunk)
		}
		buf = make([]byte, 0, size)
	}
	c := Chunk{
		Data:    append(buf[:0], data...),
		Offset:  s.in.offset(s.in.head),
		Line:    s.line,
		Records: s.records,
	}
	s.line += int64(bytes.Count(data, newline))
	s.in.head, s.records = s.start, 0
	return c
}

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

// readError says where the reader failed.
func readError(offset int64, err error) error {
	return fmt.Errorf("read input at byte %d: %w", offset, err)
}
