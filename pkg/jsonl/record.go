package jsonl

import (
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// MaxFields is the largest number of members of a record. A record with more is an error. Without
// this limit, a line of tiny members would need many times its size in memory.
const MaxFields = dsv.MaxFields

// These types are shared with delimited text.
type (
	// Options are the sizes of a Splitter and its treatment of lines that are too long.
	Options = dsv.Options
	// Bad is a piece of a line that is too long.
	Bad = dsv.Bad
	// Chunk is a part of the input that consists of complete lines, or of complete elements of an
	// array. Records is the number of lines that are not blank, or of elements.
	Chunk = dsv.Chunk
	// SyntaxError is the reason why a line is not a record, with its position.
	SyntaxError = dsv.SyntaxError
)

// Field is a member of a record's object.
type Field struct {
	// Name is the name of the member, without escapes. It points into the chunk, or into the Parser
	// if it had escapes.
	Name []byte
	// Value is the original value of the member: valid JSON without blanks around it.
	Value []byte
	// Offset is the start of Value in Record.Raw, in bytes from 0.
	Offset int
}

// Record is a record of the input.
type Record struct {
	// Fields are the members in the order of the object, possibly none. If Err is set, they are the
	// members before the fault.
	Fields []Field
	// Raw is the original line, including its line end. Of an array, it is the element without the
	// blanks around it. An element that is missing before a separator is that separator.
	Raw []byte
	// Offset is the start of Raw in the input, in bytes from 0.
	Offset int64
	// Line is the physical line of the start of Raw, from 1.
	Line int64
	// Column is the byte column of the start of Raw, from 1. It is 1 for lines.
	Column int
	// Err is the reason why Raw is not a record, a *SyntaxError; nil: none.
	Err error
}

// ErrorAt returns an error about the byte at an offset in Raw.
func (r Record) ErrorAt(offset int, msg string) *SyntaxError {
	line, column := advance(r.Line, max(r.Column, 1), r.Raw[:offset])
	return &SyntaxError{Line: line, Column: column, Msg: msg}
}

// FieldPosition returns the physical line and byte column of the start of the value of field i,
// both from 1. For i past the last field, it returns the end of the record.
func (r Record) FieldPosition(i int) (line int64, column int) {
	column = max(r.Column, 1)
	if i < len(r.Fields) {
		return advance(r.Line, column, r.Raw[:r.Fields[i].Offset])
	}
	end := len(r.Raw)
	if end > 0 && r.Raw[end-1] == '\n' {
		if end--; end > 0 && r.Raw[end-1] == '\r' {
			end--
		}
	}
	return advance(r.Line, column, r.Raw[:end])
}
