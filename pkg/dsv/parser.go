package dsv

import (
	"bytes"
	"slices"
)

// Parser iterates over the records of a chunk. After its field list and scratch memory have grown
// to the size of the records, it does not allocate.
type Parser struct {
	f      Format
	esc    byte // inside quotes; 0: none
	outer  byte // outside quotes
	blanks blanks
	chunk  Chunk
	pos    int   // next byte of chunk.Data
	line   int64 // physical line of that byte

	rec     Record
	fields  []Field
	scratch []byte // texts of the current record that had escapes or doubled quotes

	// endless is set after a record did not end in the chunk. From then on, no record that is
	// inside quotes at a line end can end, so the Parser tries only single lines. The field
	// lastOpen is the quote that was open at the end of the chunk.
	endless  bool
	lastOpen int
}

// NewParser returns a Parser without records; Reset sets them. It panics if [Format.Validate]
// returns an error for f.
func NewParser(f Format) *Parser {
	f.must()
	return &Parser{f: f, esc: f.escape(), outer: f.OuterEscape(), blanks: f.blanks()}
}

// Reset starts on the records of c. Its data must begin at the start of a record, but need not come
// from a Splitter. If a record is inside quotes at the end of the data, the Parser returns its
// first line with Err set. It treats the end of the data as the end of the input.
func (p *Parser) Reset(c Chunk) {
	p.chunk, p.pos, p.line = c, 0, c.Line
	p.rec = Record{}
	p.endless = false
}

// Record returns the record that the last call of Next found. Its fields are valid until the next
// call of Next or Reset.
func (p *Parser) Record() Record { return p.rec }

// Next advances to the next record and reports whether there is one.
func (p *Parser) Next() bool {
	start, ok := p.skipBlank()
	if !ok {
		p.rec = Record{}
		return false
	}
	data := p.chunk.Data
	p.rec.Line, p.rec.Err = p.line, nil
	p.fields, p.scratch = p.fields[:0], p.scratch[:0]
	var first, end int
	if p.esc == 0 && !p.blanks.any && p.f.Rest == "" {
		first = lineEnd(data, start)
		end = p.parse(start, first)
	} else {
		first = p.lineEnd(start)
		end = p.parseEscaped(start, first)
	}
	if p.f.Trailing && p.rec.Err == nil {
		p.dropTrailing()
	}
	p.rec.Fields = p.fields
	p.rec.Raw = data[start:end:end]
	p.rec.Offset = p.chunk.Offset + int64(start)
	p.pos = end
	if end-1 <= first && p.outer == 0 {
		p.line++
	} else {
		p.line += int64(bytes.Count(data[start:end], newline))
	}
	return true
}

// dropTrailing removes the empty field after the record's last delimiter.
func (p *Parser) dropTrailing() {
	if last := len(p.fields) - 1; last > 0 && len(p.fields[last].Text) == 0 &&
		!p.fields[last].Quoted {
		p.fields = p.fields[:last]
	}
}

// skipComment returns the index after the comment at start.
func (p *Parser) skipComment(start int) int {
	data := p.chunk.Data
	end := p.lineEnd(start)
	p.line += int64(bytes.Count(data[start:end], newline)) // escaped LF inside the comment
	return min(end+1, len(data))
}

// lineEnd returns the index of the line end at or after i.
func (p *Parser) lineEnd(i int) int {
	if p.outer == 0 {
		return lineEnd(p.chunk.Data, i)
	}
	return lineEndEscaped(p.chunk.Data, i, p.outer, false)
}

// skipBlank skips blank lines and comments up to the first byte of a record.
func (p *Parser) skipBlank() (start int, ok bool) {
	data, i := p.chunk.Data, p.pos
	for i < len(data) {
		switch {
		case data[i] == '\n':
			i++
		case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
			i += 2
		case p.f.Comment != 0 && data[i] == p.f.Comment:
			i = p.skipComment(i)
		default:
			next := i
			if p.blanks.is(data[i]) {
				next = p.blankLine(i)
			}
			if next == i {
				p.pos = i
				return i, true
			}
			i = next
		}
		p.line++
	}
	p.pos = i
	return i, false
}

// blankLine returns the index after the line at i if it has only blanks, and else i.
func (p *Parser) blankLine(i int) int {
	data := p.chunk.Data
	end := p.blanks.skip(data, i)
	switch {
	case end == len(data):
		return end
	case data[end] == '\n':
		return end + 1
	case data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n':
		return end + 2
	}
	return i
}

// parse reads the fields of the record at start and returns the record's end. first is the end of
// its first line.
func (p *Parser) parse(start, first int) (end int) {
	data, delim, quote := p.chunk.Data, p.f.Delimiter, p.f.Quote
	eol := first // end of the line that contains i
	for i := start; ; {
		if i < eol && data[i] == quote {
			text, next := p.quoted(i, first)
			if next < 0 {
				return p.unclosed(start, first)
			}
			if next < len(data) && data[next] == delim {
				p.add(start, i, text, true)
				if i = next + 1; i > eol {
					eol = lineEnd(data, i)
				}
				continue
			}
			switch {
			case next == len(data):
				end = next
			case data[next] == '\n':
				end = next + 1
			case data[next] == '\r' && next+1 < len(data) && data[next+1] == '\n':
				end = next + 2
			default:
				p.failBehind(start, i, next)
				return min(lineEnd(data, next)+1, len(data))
			}
			p.add(start, i, text, true)
			return end
		}
		if d := bytes.IndexByte(data[i:eol], delim); d >= 0 {
			p.add(start, i, data[i:i+d:i+d], false)
			i += d + 1
			continue
		}
		end = eol
		if eol < len(data) {
			end++
			if eol > i && data[eol-1] == '\r' {
				eol--
			}
		}
		p.add(start, i, data[i:eol:eol], false)
		return end
	}
}

// quoted returns the text of the field whose opening quote is at open. It also returns the index
// after the closing quote, or -1 if there is none. The caller passes first, the end of the record's
// first line.
func (p *Parser) quoted(open, first int) (text []byte, next int) {
	data, quote := p.chunk.Data, p.f.Quote
	limit := len(data)
	if p.endless {
		limit = first
	}
	mark := -1 // start of the text in scratch; -1: not there
	for from := open + 1; ; {
		n := bytes.IndexByte(data[from:limit], quote)
		if n < 0 {
			if !p.endless {
				p.lastOpen = open
			}
			return nil, -1
		}
		q := from + n
		if q+1 < len(data) && data[q+1] == quote {
			if mark < 0 {
				mark = len(p.scratch)
			}
			p.scratch = append(p.scratch, data[from:q+1]...)
			from = q + 2
			continue
		}
		if mark < 0 {
			return data[from:q:q], q + 1
		}
		p.scratch = append(p.scratch, data[from:q]...)
		return p.scratch[mark:len(p.scratch):len(p.scratch)], q + 1
	}
}

// add appends a field. Beyond MaxFields, it records an error instead.
func (p *Parser) add(start, at int, text []byte, quoted bool) {
	n := len(p.fields)
	if n == MaxFields {
		p.fail(start, at, tooManyFields)
		return
	}
	if n == cap(p.fields) {
		p.fields = slices.Grow(p.fields, 1)
	}
	p.fields = p.fields[:n+1]
	// Storing each member is twice as fast as appending a Field, which is first built on the stack.
	f := &p.fields[n]
	f.Text, f.Quoted, f.Offset = text, quoted, at-start
}

// fail records a structural error at index at, unless the record already has one.
func (p *Parser) fail(start, at int, msg string) {
	if p.rec.Err != nil {
		return
	}
	line, column := position(p.chunk.Data[start:], p.rec.Line, at-start)
	p.rec.Err = &SyntaxError{Line: line, Column: column, Msg: msg}
}

// failBehind records that the byte at next must not follow the closing quote. open is the index of
// the opening quote. If that is on an earlier line, the error is there.
func (p *Parser) failBehind(start, open, next int) {
	if lines := bytes.Count(p.chunk.Data[open:next], newline); lines > 0 {
		p.fail(start, open, afterLaterQuote(p.chunk.Data[next], lines))
		return
	}
	p.fail(start, next, afterQuote(p.chunk.Data[next]))
}

// unclosed turns the first line of the record at start, which does not end, into a record with an
// error. It returns the end of that line.
func (p *Parser) unclosed(start, first int) (end int) {
	p.endless = true
	end = min(first+1, len(p.chunk.Data))
	line := p.chunk.Data[start:end]
	open := leftOpen(p.f, line)
	for n := len(p.fields); n > 0 && p.fields[n-1].Offset >= open; n-- {
		p.fields = p.fields[:n-1]
	}
	p.rec.Err = unclosed(line, p.rec.Line, open, p.lastOpen > first).err()
	return end
}
