package dsv

import (
	"bytes"
	"slices"
)

// Parser walks over the records of a chunk. It allocates nothing per record
// once its field list and scratch space have grown to what the records need.
type Parser struct {
	f     Format
	esc   byte // 0: none
	chunk Chunk
	pos   int   // next byte of chunk.Data
	line  int64 // physical line of that byte

	rec     Record
	fields  []Field
	scratch []byte // texts of the current record that had escapes or doubled quotes

	// endless is set once a record was found not to end in the chunk. Then no
	// quote that is open at a later line end leads to the end of a record
	// either, and only single lines are left to try. lastOpen is the quote
	// that was open at the end of the chunk.
	endless  bool
	lastOpen int
}

// NewParser returns a Parser without records; give it some with Reset. It
// panics when f does not pass [Format.Validate].
func NewParser(f Format) *Parser {
	f.must()
	return &Parser{f: f, esc: f.escape()}
}

// Reset starts over with the records of c, whose data must begin at the start
// of a record. Data need not come from a Splitter; a record that runs into its
// end inside quotes then yields its first line, with Err set. An escape that is
// the last byte of Data is taken for the last of the input.
func (p *Parser) Reset(c Chunk) {
	p.chunk, p.pos, p.line = c, 0, c.Line
	p.rec = Record{}
	p.endless = false
}

// Record returns the record that the last call of Next found. Its fields are
// valid until the next call of Next or Reset.
func (p *Parser) Record() Record { return p.rec }

// Next moves on to the next record and tells whether there is one.
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
	if p.esc == 0 {
		first = lineEnd(data, start)
		end = p.parse(start, first)
	} else {
		first = lineEndEscaped(data, start, p.esc, false)
		end = p.parseEscaped(start, first)
	}
	if p.f.Trailing && p.rec.Err == nil {
		p.dropTrailing()
	}
	p.rec.Fields = p.fields
	p.rec.Raw = data[start:end:end]
	p.rec.Offset = p.chunk.Offset + int64(start)
	p.pos = end
	if end-1 <= first && p.esc == 0 {
		p.line++
	} else {
		p.line += int64(bytes.Count(data[start:end], newline))
	}
	return true
}

// dropTrailing leaves out the empty field behind the record's last delimiter.
func (p *Parser) dropTrailing() {
	if last := len(p.fields) - 1; last > 0 && len(p.fields[last].Text) == 0 && !p.fields[last].Quoted {
		p.fields = p.fields[:last]
	}
}

// skipComment returns the index behind the comment that begins at start.
func (p *Parser) skipComment(start int) int {
	data := p.chunk.Data
	end := lineEnd(data, start)
	if p.esc != 0 {
		end = lineEndEscaped(data, start, p.esc, false)
	}
	p.line += int64(bytes.Count(data[start:end], newline)) // of the escaped ones
	return min(end+1, len(data))
}

// skipBlank moves over blank lines and comments to the first byte of a record.
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
			p.pos = i
			return i, true
		}
		p.line++
	}
	p.pos = i
	return i, false
}

// parse reads the fields of the record at start and returns the record's end.
// First is the end of the line it starts in.
func (p *Parser) parse(start, first int) (end int) {
	data, delim, quote := p.chunk.Data, p.f.Delimiter, p.f.Quote
	eol := first // of the line that i is in
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

// quoted returns the text of the field whose opening quote is at open, and the
// index behind its closing quote, or -1 when there is none. First is the end
// of the line in which the record starts.
func (p *Parser) quoted(open, first int) (text []byte, next int) {
	data, quote := p.chunk.Data, p.f.Quote
	limit := len(data)
	if p.endless {
		limit = first
	}
	mark := -1 // of the text in scratch, once it is there
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

// add appends a field, or notes that there are too many.
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
	// Storing member by member is twice as fast as appending a whole Field,
	// which is put together on the stack first.
	f := &p.fields[n]
	f.Text, f.Quoted, f.Offset = text, quoted, at-start
}

// fail notes a structural error at index at, unless the record has one.
func (p *Parser) fail(start, at int, msg string) {
	if p.rec.Err != nil {
		return
	}
	line, column := position(p.chunk.Data[start:], p.rec.Line, at-start)
	p.rec.Err = &SyntaxError{Line: line, Column: column, Msg: msg}
}

// failBehind notes that the byte at next may not follow the closing quote of the one at open. The error is at the opening quote
// if that stands on another line.
func (p *Parser) failBehind(start, open, next int) {
	if lines := bytes.Count(p.chunk.Data[open:next], newline); lines > 0 {
		p.fail(start, open, afterLaterQuote(p.chunk.Data[next], lines))
		return
	}
	p.fail(start, next, afterQuote(p.chunk.Data[next]))
}

// unclosed gives up on the record at start, which does not end, and makes its
// first line a record with an error. It returns that line's end.
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
