package dsv

import (
	"bytes"
	"slices"
)

// MaxFields is the largest number of fields of a record. A record with more is a structural error.
// Without this limit, a line of delimiters would need forty times its size in memory.
const MaxFields = 1 << 16

// Chunk is a part of the input that consists of complete records.
type Chunk struct {
	Data    []byte // the original bytes
	Offset  int64  // offset of Data in the input, in bytes from 0
	Line    int64  // physical line of Data[0], from 1
	Records int    // number of records in Data, without blank lines
	// Column is the byte column of Data[0], from 1, if the records are elements of an array of
	// JSON. 0: they begin lines. Delimited text has only the latter.
	Column int
}

// Field is one field of a record.
type Field struct {
	// Text is the value of the field, without quotes and escapes. It points into the chunk, or into
	// the Parser if the field had escapes or doubled quotes.
	Text []byte
	// Quoted is true if the field was in quotes. An empty Text without quotes is null. An escape
	// does not count as quotes, so the word for null can be compared with Text whether or not its
	// bytes were escaped. A field with an escape is never empty.
	Quoted bool
	// Offset is the start of the field in Record.Raw, including its opening quote.
	Offset int
}

// Record is a record of the input.
type Record struct {
	// Fields are the fields of the record, at least one. If Err is set, they are the fields before
	// the fault, possibly none.
	Fields []Field
	// Raw is the original record, including its line end.
	Raw []byte
	// Offset is the start of Raw in the input, in bytes from 0.
	Offset int64
	// Line is the physical line of the start of the record, from 1.
	Line int64
	// Err is the structural error, a *SyntaxError; nil: none.
	Err error
}

// OwnFields copies the fields, so that they stay valid after the next call of the Parser. It does
// not copy Raw.
func (r *Record) OwnFields() {
	r.Fields = slices.Clone(r.Fields)
	for i := range r.Fields {
		r.Fields[i].Text = bytes.Clone(r.Fields[i].Text)
	}
}

// FieldPosition returns the physical line and byte column of the start of field i, both from 1. For
// i past the last field, it returns the end of the record.
func (r Record) FieldPosition(i int) (line int64, column int) {
	end := len(r.Raw)
	if i < len(r.Fields) {
		end = r.Fields[i].Offset
	} else if n := len(r.Raw); n > 0 && r.Raw[n-1] == '\n' {
		end--
		if n > 1 && r.Raw[n-2] == '\r' {
			end--
		}
	}
	return position(r.Raw, r.Line, end)
}

// position returns line and column of raw[at]. raw starts in column 1 of the given line.
func position(raw []byte, line int64, at int) (int64, int) {
	before := raw[:at]
	return line + int64(bytes.Count(before, []byte{'\n'})), at - bytes.LastIndexByte(before, '\n')
}
