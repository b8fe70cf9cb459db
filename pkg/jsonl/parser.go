package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// Parser iterates over the records of a chunk. After its field list and name tables have grown to
// the size of the records, it does not allocate.
type Parser struct {
	chunk Chunk
	pos   int   // next byte of chunk.Data
	line  int64 // physical line of that byte
	// byte column of that byte, if the chunk is of an array
	column int

	rec     Record
	fields  []Field
	scratch []byte // names of the current record that had escapes
	names   nameSet
}

// NewParser returns a Parser without records; Reset sets them.
func NewParser() *Parser { return &Parser{names: newNameSet()} }

// Reset starts on the records of c. Its data must begin at the start of a line or an element.
func (p *Parser) Reset(c Chunk) {
	p.chunk, p.pos, p.line, p.column = c, 0, c.Line, c.Column
	p.rec = Record{}
}

// Record returns the record that the last call of Next found. Its fields are valid until the next
// call of Next or Reset.
func (p *Parser) Record() Record { return p.rec }

// Next advances to the next record and reports whether there is one.
func (p *Parser) Next() bool {
	if p.chunk.Column > 0 {
		return p.nextElement()
	}
	for p.pos < len(p.chunk.Data) {
		rest := p.chunk.Data[p.pos:]
		text, size := rest, len(rest)
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			text, size = rest[:n], n+1
		}
		if first := jsonscan.Blanks(text, 0); first < len(text) {
			p.rec = Record{
				Raw:    rest[:size:size],
				Offset: p.chunk.Offset + int64(p.pos),
				Line:   p.line,
				Column: 1,
			}
			p.parse(text, first)
			p.rec.Fields = p.fields
			p.pos += size
			p.line++
			return true
		}
		p.pos += size
		p.line++
	}
	p.rec = Record{}
	return false
}

// parse reads the object at text[pos]. text is the whole line.
func (p *Parser) parse(text []byte, pos int) {
	pos, err := p.object(text, pos)
	if err == nil {
		if pos = jsonscan.Blanks(text, pos); pos < len(text) {
			err = jsonscan.Unexpected(text, pos, "the end of the line after the object")
		}
	}
	if err != nil {
		p.fail(text, err)
	}
}

// object reads the object at text[pos] and returns the offset after it.
func (p *Parser) object(text []byte, pos int) (next int, err error) {
	p.fields, p.scratch = p.fields[:0], p.scratch[:0]
	p.names.restart()
	pos, done, err := jsonscan.Open(text, pos, '{', '}')
	for err == nil && !done {
		if pos, err = p.member(text, pos); err == nil {
			pos, done, err = jsonscan.More(text, pos, '}')
		}
	}
	if err == nil {
		p.names.keep(p.fields)
	}
	return pos, err
}

// member reads the member at text[pos] and returns the offset after it.
func (p *Parser) member(text []byte, pos int) (next int, err error) {
	begin := pos
	pos, escaped, err := jsonscan.Name(text, begin)
	if err != nil {
		return pos, err
	}
	name := text[begin+1 : pos-1 : pos-1]
	if escaped {
		if name, err = p.unescape(name, begin+1); err != nil {
			return pos, err
		}
	}
	if len(p.fields) == MaxFields {
		return pos, &jsonscan.Error{Offset: begin, Msg: tooManyFields}
	}
	if !p.names.add(name, p.fields) {
		return pos, &jsonscan.Error{
			Offset: begin,
			Msg:    fmt.Sprintf("member %q occurs twice", shorten(name)),
		}
	}
	if pos, err = jsonscan.Colon(text, pos); err != nil {
		return pos, err
	}
	// The record's object is itself one level deep.
	if next, err = jsonscan.Value(text, pos, 1); err != nil {
		return next, err
	}
	n := len(p.fields)
	if n == cap(p.fields) {
		p.fields = slices.Grow(p.fields, 1)
	}
	p.fields = p.fields[:n+1]
	f := &p.fields[n]
	f.Name, f.Value, f.Offset = name, text[pos:next:next], pos
	return next, nil
}

// tooManyFields is the message for a record with more than MaxFields members.
var tooManyFields = fmt.Sprintf("record has more than %d members", MaxFields)

// unescape resolves the escapes of the name at text[offset:].
func (p *Parser) unescape(name []byte, offset int) ([]byte, error) {
	mark := len(p.scratch)
	var err error
	if p.scratch, err = jsonscan.AppendText(p.scratch, name); err != nil {
		if e := (*jsonscan.Error)(nil); errors.As(err, &e) {
			e.Offset += offset
		}
		return nil, err
	}
	return p.scratch[mark:len(p.scratch):len(p.scratch)], nil
}

// fail records an error in the record, which begins with text.
func (p *Parser) fail(text []byte, err error) {
	syntax := &SyntaxError{Line: p.rec.Line, Column: p.rec.Column, Msg: err.Error()}
	if e := (*jsonscan.Error)(nil); errors.As(err, &e) {
		syntax.Line, syntax.Column = advance(p.rec.Line, p.rec.Column, text[:e.Offset])
		syntax.Msg = e.Msg
	}
	p.rec.Err = syntax
}

// maxQuoted is the largest number of bytes of a name in an error.
const maxQuoted = 64

func shorten(name []byte) []byte { return name[:min(len(name), maxQuoted)] }
