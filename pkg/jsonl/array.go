package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// array is where a Splitter is in an array.
type array struct {
	on      bool // the input is an array
	column  int  // byte column of the bytes not accepted yet
	element elementScan
	begun   bool // an element was accepted, or rejected
	closed  bool // the bracket that closes the array was accepted
	torn    bool // the input ends inside an element, whose error says so
}

// elementScan searches the end of an element. It counts brackets of both kinds as one. A line end
// closes a string, so that a quote too few spoils one element and not all.
type elementScan struct {
	lead            int // blanks before the element
	depth           int // brackets that are open
	quoted, escaped bool
	some            bool // there is more than blanks
	end             byte // the comma or bracket after the element; 0: not found yet
}

// read reads on to the separator after the element. It returns the number of bytes read.
func (e *elementScan) read(b []byte) int {
	i := 0
	if !e.some {
		i = jsonscan.Blanks(b, 0)
		e.lead += i
	}
	for i < len(b) {
		if e.escaped {
			e.escaped = false
			i++
			continue
		}
		if e.quoted {
			if i += jsonscan.PlainLen(b[i:]); i == len(b) {
				break
			}
			e.quoted, e.escaped = b[i] != '"' && b[i] != '\n', b[i] == '\\'
			i++
			continue
		}
		c := b[i]
		i++
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			e.quoted = true
		case '{', '[':
			e.depth++
		case ',', ']', '}':
			if e.depth == 0 && c != '}' {
				e.end = c
				return i
			}
			if c != ',' && e.depth > 0 {
				e.depth--
			}
		}
		e.some = true
	}
	return i
}

// open reports whether the element itself has no end.
func (e *elementScan) open() bool { return e.depth > 0 || e.quoted }

// findArray looks for an array at the beginning of the input, and moves into it.
func (s *Splitter) findArray() {
	s.detect = false
	begin := 0 // after a byte order mark
	for n := 1; ; n++ {
		head, err := s.r.Peek(n)
		if err != nil { // the next read meets it again
			return
		}
		switch c := head[n-1]; {
		case n <= len(bom) && string(head) == bom[:n]:
			if n == len(bom) {
				begin = n
			}
		case n <= len(bom) && begin == 0 && head[0] == bom[0]: // a mark that is none
			return
		case c == '[':
			s.begun, s.array.on, s.array.column = true, true, 1
			s.passOver(head[begin:])
			s.offset += int64(begin)
			_, _ = s.r.Discard(n)
			return
		case jsonscan.Blanks(head, n-1) < n:
			return
		}
	}
}

// passOver moves the place of the bytes that are not accepted yet past some bytes.
func (s *Splitter) passOver(b []byte) {
	s.offset += int64(len(b))
	s.line, s.array.column = advance(s.line, s.array.column, b)
}

// advance returns the line and the column behind some bytes.
func advance(line int64, column int, b []byte) (int64, int) {
	if n := bytes.Count(b, []byte{'\n'}); n > 0 {
		return line + int64(n), len(b) - bytes.LastIndexByte(b, '\n')
	}
	return line, column + len(b)
}

// nextElements is Next for an array. A chunk consists of complete elements, each with the separator
// after it. It begins with an element, since blanks before it belong to no chunk. Nor do the
// bracket that opens the array, an empty array, and the blanks after the array.
func (s *Splitter) nextElements(buf []byte) (Chunk, error) {
	a := &s.array
	c := Chunk{Offset: s.offset, Line: s.line, Column: a.column}
	for start := 0; ; { // start of the element at the end of buf
		element := buf[start:]
		e := &a.element
		whole := e.end != 0 || s.eof && e.some
		over := !whole && (a.closed || s.eof || s.failed != nil) // no complete element follows
		long := len(element)-e.lead > s.max
		switch {
		case start > 0 && (over || long || len(buf) > s.chunk || start == s.chunk ||
			c.Records == s.most):
			c.Data = buf[:start]
			s.passOver(element[:e.lead])
			s.carry = append(s.carry[:0], element[e.lead:]...)
			e.lead = 0
			return c, nil
		case start == 0 && e.lead > 0:
			s.passOver(element[:e.lead])
			buf = append(buf[:0], element[e.lead:]...)
			e.lead = 0
			c = Chunk{Offset: s.offset, Line: s.line, Column: a.column}
		case long:
			if s.err = s.rejectElement(element); s.err != nil {
				return Chunk{}, s.err
			}
			buf, c = buf[:0], Chunk{Offset: s.offset, Line: s.line, Column: a.column}
		case whole && e.end == ']' && !e.some && !a.begun: // the array is empty
			s.passOver(element)
			buf, a.closed, *e = buf[:0], true, elementScan{}
		case whole:
			s.passOver(element)
			c.Records++
			start = len(buf)
			s.endElement()
		case over:
			s.err = s.endArray()
			return Chunk{}, s.err
		default:
			buf = append(buf, s.readElement(s.offset+int64(len(element)))...)
		}
	}
}

// endElement begins with the element after the present one.
func (s *Splitter) endElement() {
	a := &s.array
	a.begun, a.closed = true, a.element.end == ']'
	a.torn = a.element.end == 0 && a.element.open()
	a.element = elementScan{}
}

// readElement returns the next bytes, up to the end of the element or less. offset is their offset
// in the input.
func (s *Splitter) readElement(offset int64) []byte {
	_, err := s.r.Peek(1)
	if err == io.EOF {
		s.eof = true
	} else if err != nil {
		s.failed = fmt.Errorf("read input at byte %d: %w", offset, err)
	}
	part, _ := s.r.Peek(s.r.Buffered())
	part = part[:s.array.element.read(part)]
	_, _ = s.r.Discard(len(part))
	return part
}

// rejectElement reports an element that is too long, without the separator after it. The element
// starts with piece, the part read so far.
func (s *Splitter) rejectElement(piece []byte) error {
	a := &s.array
	reason := fmt.Sprintf("record is longer than %d bytes", s.max)
	if s.bad == nil {
		return &SyntaxError{Line: s.line, Column: a.column, Msg: reason}
	}
	b := Bad{Offset: s.offset, Line: s.line, Column: a.column, Reason: reason, First: true}
	for {
		b.Piece = piece
		if a.element.end != 0 {
			b.Piece = piece[:len(piece)-1]
		}
		b.Last = a.element.end != 0 || s.eof
		if err := s.bad(b); err != nil {
			return err
		}
		s.passOver(piece)
		if b.Last {
			s.endElement()
			return nil
		}
		if s.failed != nil {
			return s.failed
		}
		piece, b.First = s.readElement(s.offset), false
	}
}

// endArray returns what ends the input: io.EOF, or the error of the reader. It reports an array
// that is not closed, and text after the array.
func (s *Splitter) endArray() error {
	switch a := &s.array; {
	case a.closed:
		return s.endInput()
	case s.failed != nil:
		return s.failed
	case a.torn:
		return io.EOF
	case s.bad == nil:
		return &SyntaxError{Line: s.line, Column: a.column, Msg: notClosed}
	default:
		b := Bad{
			Offset: s.offset, Line: s.line, Column: a.column, Reason: notClosed,
			Piece: []byte{'['}, First: true, Last: true,
		}
		if err := s.bad(b); err != nil {
			return err
		}
		return io.EOF
	}
}

const notClosed = "the array has no end: expected ',' or ']', found the end of the input"

// endInput reads the rest of the input after the array, which should be blanks.
func (s *Splitter) endInput() error {
	text := []byte(nil)
	for len(text) == 0 {
		if _, err := s.r.Peek(1); err != nil {
			return s.endOf(err)
		}
		part, _ := s.r.Peek(s.r.Buffered())
		text = part[jsonscan.Blanks(part, 0):]
		part = part[:len(part)-len(text)]
		s.passOver(part)
		_, _ = s.r.Discard(len(part))
	}
	b := Bad{
		Offset: s.offset, Line: s.line, Column: s.array.column,
		Reason: behindArray(text), First: true,
	}
	if s.bad == nil {
		return &SyntaxError{Line: b.Line, Column: b.Column, Msg: b.Reason}
	}
	for piece := make([]byte, min(s.max, readSize)); ; b.First = false {
		n, err := io.ReadFull(s.r, piece)
		// A reader of a damaged input has an error that wraps the second.
		b.Piece, b.Last = piece[:n], err == io.EOF || err == io.ErrUnexpectedEOF //nolint:errorlint
		if err := s.bad(b); err != nil {
			return err
		}
		s.passOver(b.Piece)
		switch {
		case b.Last:
			return io.EOF
		case err != nil:
			return s.endOf(err)
		}
	}
}

// endOf returns the error of the reader, with its offset, or io.EOF.
func (s *Splitter) endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("read input at byte %d: %w", s.offset, err)
}

// behindArray says what is wrong with text after the array.
func behindArray(text []byte) string {
	err := jsonscan.Unexpected(text, 0, "the end of the input after the array")
	var syntax *jsonscan.Error
	errors.As(err, &syntax)
	return syntax.Msg
}

// nextElement is Next for a chunk of an array.
func (p *Parser) nextElement() bool {
	data := p.chunk.Data
	first := jsonscan.Blanks(data, p.pos)
	p.line, p.column = advance(p.line, p.column, data[p.pos:first])
	if p.pos = first; first == len(data) {
		p.rec = Record{}
		return false
	}
	text := data[first:]
	p.rec = Record{Offset: p.chunk.Offset + int64(first), Line: p.line, Column: p.column}
	size, err := p.object(text, 0)
	next := size
	if err == nil {
		if next = jsonscan.Blanks(text, size); next < len(text) {
			if text[next] != ',' && text[next] != ']' {
				err = jsonscan.Unexpected(text, next, "',' or ']' after the object")
			}
			next++
		}
	}
	if err != nil {
		var e elementScan
		next = e.read(text)
		element := text[:next]
		if e.end != 0 {
			element = text[:next-1]
		}
		if size = len(bytes.TrimRight(element, " \t\r\n")); size == 0 {
			size = 1 // there is only the separator
		}
		p.fail(text, err)
	}
	p.rec.Raw, p.rec.Fields = text[:size:size], p.fields
	p.line, p.column = advance(p.line, p.column, text[:next])
	p.pos += next
	return true
}

// Head returns the complete records of the first text of an input. These are its complete lines, or
// an array of its complete elements. It may change the text, whose memory it returns.
func Head(text []byte) []byte {
	begin := jsonscan.Blanks(text, len(text)-len(bytes.TrimPrefix(text, []byte(bom))))
	if begin == len(text) || text[begin] != '[' {
		return text[:bytes.LastIndexByte(text, '\n')+1]
	}
	for end := begin + 1; ; {
		var e elementScan
		n := e.read(text[end:])
		switch end += n; {
		case e.end == ']':
			return text
		case e.end == 0 && end-n == begin+1: // not even the first element is complete
			return nil
		case e.end == 0:
			text[end-n-1] = ']' // for the comma
			return text[:end-n]
		}
	}
}
