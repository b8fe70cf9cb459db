package jsonl

import (
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// MaxFields is the number of members a record may have. More is an error; it keeps a line of tiny members from taking
// many times its size in memory.
const MaxFields = dsv.MaxFields

// The types that are the same for delimited text.
type (
	// Options sets the sizes of a Splitter and what it does with lines that are too long.
	Options = dsv.Options
	// Bad is a piece of a line that is too long.
	Bad = dsv.Bad
	// Chunk is a piece of the input that holds whole lines. Its Records are the lines that are not blank.
	Chunk = dsv.Chunk
	// SyntaxError tells where and how a line is not a record.
	SyntaxError = dsv.SyntaxError
)

// Field is one member of a record's object.
type Field struct {
	// Name is the member's name, with its escapes undone. It borrows from the chunk, or from the Parser when there
	// was an escape.
	Name []byte
	// Value is the member's value as it stands in the chunk: valid JSON without blanks around it.
	Value []byte
	// Offset is where Value starts in Record.Raw, in bytes from 0.
	Offset int
}

// Record is one record of the input.
type Record struct {
	// Fields are the members in the order of the line; there may be none. With Err set they are those before the
	// place of the error.
	Fields []Field
	// Raw is the line as it stood in the input, with its line end.
	Raw []byte
	// Offset is where Raw starts in the input, in bytes from 0.
	Offset int64
	// Line is the physical line, 1-based.
	Line int64
	// Err is nil or why the line is no record, a *SyntaxError.
	Err error
}

// FieldPosition returns the physical line and the byte column, both 1-based, at which the value of field i starts in
// the input. For an i past the last field it is the end of the record, where that field is missing.
func (r Record) FieldPosition(i int) (line int64, column int) {
	if i < len(r.Fields) {
		return r.Line, r.Fields[i].Offset + 1
	}
	end := len(r.Raw)
	if end > 0 && r.Raw[end-1] == '\n' {
		if end--; end > 0 && r.Raw[end-1] == '\r' {
			end--
		}
	}
	return r.Line, end + 1
}
