package dsv

import (
	"bytes"
	"io"
	"math"
)

// Splitter cuts a stream into chunks of whole records. Where it cuts depends
// on the bytes, the format, ChunkSize, MaxRecords and MaxRecord only, never on how the
// reader hands the bytes out.
type Splitter struct {
	f       Format
	chunk   int
	max     int
	most    int // records of a chunk
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
	if f.CR {
		r = &lineEnds{r}
	}
	s := &Splitter{f: f, chunk: o.ChunkSize, max: o.MaxRecord, most: o.MaxRecords, bad: o.Bad, m: newMachine(f), line: 1}
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
		s.in.first = max(int(o.Size)+1, leastWindow) // with room to see the end of the input
	}
	if o.Line > 0 {
		s.line, s.in.base, s.in.begun = o.Line, o.Offset, true
	}
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
			if end-s.in.head >= s.chunk || s.records == s.most {
				return s.emit(buf), nil
			}
		}
	}
}

// Failed returns the error of the reader that Next will return after the chunk that
// it gave last, if that is known already: the chunk is then cut short by it, and
// not where it would be cut if reading had gone on. The end of the input is none.
func (s *Splitter) Failed() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
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
			s.err = s.fault(why).err()
			break
		}
		s.accept(end)
		blank := s.records == 0
		c := s.emit(make([]byte, 0, s.start-s.in.head)) // and not the memory of a chunk
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
// is scanned. An LF that is escaped is no line end: there the machine and the
// record could differ, one of them inside quotes and the other not.
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

// emit copies what was accepted into buf and makes a chunk of it. A chunk that is one long record
// gets the window's memory instead, so that the record is not in memory twice, and buf becomes the window.
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

// chunkOf makes a chunk of what was accepted.
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
