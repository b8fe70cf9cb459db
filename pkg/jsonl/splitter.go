package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// leastBuffer is the least size of a read buffer, in bytes. A smaller chunk has a smaller buffer.
const leastBuffer = 512

// readSize is the largest number of bytes of one read.
const readSize = 256 << 10

// Splitter cuts a stream into chunks of complete lines, or of complete elements of an array. The
// cuts depend only on the bytes,
// ChunkSize, MaxRecords and MaxRecord. They do not depend on the sizes of the reads.
type Splitter struct {
	r     *bufio.Reader
	chunk int
	max   int
	most  int // the largest number of records of a chunk
	bad   func(Bad) error

	carry  []byte // bytes read after the last chunk: a line or the start of one
	offset int64  // offset in the input of the bytes not returned yet
	line   int64  // physical line of the bytes not accepted yet
	begun  bool   // the byte order mark was handled
	detect bool   // the input may be an array
	array  array
	eof    bool  // the reader is at its end
	failed error // the reader's error, with its offset
	err    error // the result of all further calls of Next
}

// NewSplitter returns a Splitter that reads lines or an array from r. An input that begins in its
// middle ([Options].Line) has lines.
func NewSplitter(r io.Reader, o Options) *Splitter {
	s := NewLineSplitter(r, o)
	s.detect = o.Line == 0
	return s
}

// NewLineSplitter returns a Splitter that reads lines from r, even if the first one is an array.
func NewLineSplitter(r io.Reader, o Options) *Splitter {
	s := &Splitter{chunk: o.ChunkSize, max: o.MaxRecord, most: o.MaxRecords, bad: o.Bad, line: 1}
	if s.chunk <= 0 {
		s.chunk = dsv.DefaultChunkSize
	}
	if s.max <= 0 {
		s.max = dsv.DefaultMaxRecord
	}
	if s.most <= 0 {
		s.most = math.MaxInt
	}
	s.max = min(max(s.max, 2), math.MaxInt-s.chunk-1)
	if o.Line > 0 {
		s.line, s.offset, s.begun = o.Line, o.Offset, true
	}
	buffer := min(s.chunk, readSize)
	if o.Size > 0 && o.Size < int64(buffer) {
		// with room to detect the end of the input, and blanks before an array if the size is wrong
		buffer = min(max(int(o.Size)+1, leastBuffer), buffer)
	}
	s.r = bufio.NewReaderSize(r, buffer)
	return s
}

// Next returns the next chunk, read into buf, which grows if it is too short. The chunk belongs to
// the caller; the Splitter does not retain it. At the end of the input Next returns io.EOF. It
// returns an error of the reader wrapped, after the complete lines before it. Every error is final.
//
// The chunks and bad lines together are the input without its byte order mark. A chunk may consist
// of blank lines, and so have no records.
func (s *Splitter) Next(buf []byte) (Chunk, error) {
	if s.err != nil {
		return Chunk{}, s.err
	}
	if s.detect {
		s.findArray()
	}
	buf = append(buf[:0], s.carry...)
	if s.array.on {
		return s.nextElements(buf)
	}
	first, records := s.line, 0
	for start := 0; ; { // start of the line at the end of buf
		line := buf[start:]
		ended := len(line) > 0 && (line[len(line)-1] == '\n' || s.eof)
		over := !ended && (s.eof || s.failed != nil) // no complete line follows
		switch {
		case start > 0 && (over || len(buf) > s.chunk || start == s.chunk ||
			records == s.most || len(line) > s.max):
			c := Chunk{Data: buf[:start], Offset: s.offset, Line: first, Records: records}
			s.carry = append(s.carry[:0], line...)
			s.offset += int64(start)
			return c, nil
		case len(line) > s.max:
			if s.err = s.reject(line); s.err != nil {
				return Chunk{}, s.err
			}
			buf, first = buf[:0], s.line
		case ended:
			if !isBlank(line) {
				records++
			}
			s.line++
			start = len(buf)
		case over:
			if s.err = s.failed; s.err == nil {
				s.err = io.EOF
			}
			return Chunk{}, s.err
		default:
			buf = append(buf, s.read(s.offset+int64(len(buf)))...)
		}
	}
}

// Failed returns the error of the reader that Next will return after the last chunk, if the
// Splitter already knows it. The error then cut that chunk short.
func (s *Splitter) Failed() error { return s.failed }

// read returns the next bytes, up to the end of the line or less. offset is their offset in the
// input.
func (s *Splitter) read(offset int64) []byte {
	part, err := s.r.ReadSlice('\n')
	switch {
	case err == nil || errors.Is(err, bufio.ErrBufferFull):
	case err == io.EOF:
		s.eof = true
	default:
		s.failed = fmt.Errorf("read input at byte %d: %w", offset+int64(len(part)), err)
	}
	if !s.begun {
		s.begun = true
		if bytes.HasPrefix(part, []byte(bom)) {
			part = part[len(bom):]
			s.offset += int64(len(bom))
		}
	}
	return part
}

// reject reports the line that starts with piece, the part read so far, and moves past it.
func (s *Splitter) reject(piece []byte) error {
	reason := fmt.Sprintf("record is longer than %d bytes", s.max)
	if s.bad == nil {
		return &SyntaxError{Line: s.line, Column: 1, Msg: reason}
	}
	b := Bad{Offset: s.offset, Line: s.line, Column: 1, Reason: reason, Piece: piece, First: true}
	s.line++
	for {
		s.offset += int64(len(b.Piece))
		n := len(b.Piece)
		b.Last = n > 0 && b.Piece[n-1] == '\n' || s.eof
		if err := s.bad(b); err != nil || b.Last {
			return err
		}
		if s.failed != nil {
			return s.failed
		}
		b.Piece, b.First = s.read(s.offset), false
	}
}

// isBlank reports whether a line consists of blanks.
func isBlank(line []byte) bool { return jsonscan.Blanks(line, 0) == len(line) }
