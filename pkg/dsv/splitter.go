package dsv

import (
	"bytes"
	"io"
	"math"
)

// Splitter cuts a stream into chunks of complete records. The cuts depend only on the bytes, the
// format, ChunkSize, MaxRecords and MaxRecord. They do not depend on the sizes of the reads.
type Splitter struct {
	f       Format
	chunk   int
	max     int
	most    int // the largest number of records of a chunk
	bad     func(Bad) error
	in      window
	m       machine
	line    int64 // physical line of the window's head
	skip    int64 // number of lines to pass over before the first record
	start   int   // first byte in the window that is not part of the next chunk
	records int   // number of records between head and start
	doom    doom
	err     error // the result of all further calls of Next
}

// doom is the relation of the machine to the record at start, after an earlier record did not end.
type doom uint8

const (
	none   doom = iota // the machine is on this record
	ahead              // the machine is on an earlier record that did not end
	joined             // this record has reached the state of the machine
)

// NewSplitter returns a Splitter that reads from r. It panics if [Format.Validate] returns an error
// for f.
func NewSplitter(r io.Reader, f Format, o Options) *Splitter {
	f.must()
	if f.CR {
		r = &lineEnds{r}
	}
	s := &Splitter{
		f:     f,
		chunk: o.ChunkSize,
		max:   o.MaxRecord,
		most:  o.MaxRecords,
		bad:   o.Bad,
		m:     newMachine(f),
		line:  1,
	}
	if s.chunk <= 0 {
		s.chunk = DefaultChunkSize
	}
	if s.max <= 0 {
		s.max = DefaultMaxRecord
	}
	if s.most <= 0 {
		s.most = math.MaxInt
	}
	s.max = min(max(s.max, 2), math.MaxInt-s.chunk-1)
	s.in = window{r: r, chunk: s.chunk, limit: s.chunk + s.max + 1, first: s.chunk + 1}
	if o.Size > 0 && o.Size < int64(s.chunk) {
		s.in.first = max(int(o.Size)+1, leastWindow) // with room to detect the end of the input
	}
	if o.Line > 0 {
		s.line, s.in.base, s.in.begun = o.Line, o.Offset, true
	} else {
		s.skip = o.SkipLines
	}
	return s
}

// Next returns the next chunk, copied into buf, which grows if it is too short. The chunk belongs
// to the caller; the Splitter does not retain it. At the end of the input Next returns io.EOF. It
// returns an error of the reader wrapped, after the complete records before it. Every error is
// final.
//
// The chunks and bad lines together are the input without its byte order mark and the lines of
// [Options].SkipLines. A chunk may consist
// of blank lines, and so have no records.
func (s *Splitter) Next(buf []byte) (Chunk, error) {
	if s.skipLines(); s.err != nil {
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
			if end-s.in.head >= s.chunk || s.records == s.most {
				return s.emit(buf), nil
			}
		}
	}
}

// Failed returns the error of the reader that Next will return after the last chunk, if the
// Splitter already knows it. The error then cut that chunk short. At the end of the input Failed
// returns nil.
func (s *Splitter) Failed() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// Header returns the first record that is not blank, and moves past it. Call it before Next. The
// record belongs to the caller. The error is io.EOF if there is no record, and the record's Err if
// its structure is wrong. If the record does not end, Header returns a *SyntaxError and does not
// call Bad.
func (s *Splitter) Header() (Record, error) {
	s.skipLines()
	for s.err == nil {
		end, why, err := s.resolve(math.MaxInt)
		if err != nil {
			s.err = err
			break
		}
		if why != whole {
			s.err = s.fault(why).err()
			break
		}
		s.accept(end)
		blank := s.records == 0
		c := s.emit(make([]byte, 0, s.start-s.in.head)) // not the memory of a chunk
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

// skipLines passes over the lines before the first record, in windows of any size. If the input
// ends before, nothing is left.
func (s *Splitter) skipLines() {
	for s.skip > 0 && s.err == nil {
		if lf := bytes.IndexByte(s.in.buf[s.start:], '\n'); lf >= 0 {
			s.start += lf + 1
			s.line++
			s.skip--
		} else if s.start = len(s.in.buf); s.in.eof {
			s.skip = 0
		}
		if s.in.head = s.start; s.skip > 0 && s.start == len(s.in.buf) {
			var dropped int
			dropped, s.err = s.in.fill()
			s.start -= dropped
		}
		s.m.restart(s.start)
	}
}

// verdict is the result for the record, or blank line, at start.
type verdict uint8

const (
	whole     verdict = iota // it ends, within the limit
	tooLong                  // it has more than max bytes
	neverEnds                // the input ends inside quotes
	noRoom                   // it ends after the limit passed to resolve
)

// resolve returns the end of the record at start. It reads more as long as the window holds at most
// limit bytes. The error is io.EOF if the input ends at start.
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
// If doom is ahead, the machine is on a record of an earlier line. It was inside quotes at every
// line end before its position. If the record at start is also inside quotes at one of these line
// ends, it is in the same state. It then continues to the machine's position. So scan reads only
// the first line of the record. An escaped LF is not a line end, because there the two could be in
// different states.
func (s *Splitter) scan() (int, status) {
	win := s.in.buf
	if s.doom == ahead {
		end, found := s.lineEnd(s.start, false)
		switch {
		case !found || end > s.m.pos:
			s.doom = none
			s.m.restart(s.start)
		case leftOpen(s.f, win[s.start:end]) < 0:
			return end, ended
		default:
			s.doom = joined
		}
	}
	return s.m.run(win, s.in.eof)
}

// accept adds the record or blank line that ends at end to the next chunk.
func (s *Splitter) accept(end int) {
	if !s.f.isBlank(s.in.buf[s.start:end]) {
		s.records++
	}
	s.start = end
	if s.doom != ahead {
		s.doom = none
		s.m.restart(end)
	}
}

// emit copies the accepted records into buf and returns them as a chunk. A chunk that is one long
// record takes the window's memory instead, and buf becomes the window. So the record is not in
// memory twice.
func (s *Splitter) emit(buf []byte) Chunk {
	data := s.in.buf[s.in.head:s.start]
	if len(data) > 2*s.chunk {
		c := s.chunkOf(data)
		dropped := s.in.part(s.start, buf)
		s.start -= dropped
		s.m.shift(dropped)
		return c
	}
	if cap(buf) < len(data) {
		size := len(data)
		if !s.in.eof {
			size = max(size, s.chunk)
		}
		buf = make([]byte, 0, size)
	}
	return s.chunkOf(append(buf[:0], data...))
}

// chunkOf returns a chunk of the accepted records.
func (s *Splitter) chunkOf(data []byte) Chunk {
	c := Chunk{
		Data:    data,
		Offset:  s.in.offset(s.in.head),
		Line:    s.line,
		Records: s.records,
	}
	s.line += int64(bytes.Count(data, newline))
	s.in.head, s.records = s.start, 0
	return c
}
