package dsv

import (
	"bytes"
	"slices"
)

// MaxFields is the number of fields a record may have. More is a structural
// error; it keeps a line of nothing but delimiters from taking forty times its
// size in memory.
const MaxFields = 1 << 16

// Chunk is a piece of the input that holds whole records.
type Chunk struct {
	Data    []byte // the bytes as they stood in the input
	Offset  int64  // of Data in the input, in bytes from 0
	Line    int64  // physical line of Data[0], 1-based
	Records int    // records in Data, blank lines not counted
}

// Field is one field of a record.
type Field struct {
	// Text is the field's value, without its quotes and escapes and with
	// doubled quotes made single. It borrows from the chunk, or from the
	// Parser when something was escaped or doubled.
	Text []byte
	// Quoted says whether the field stood in quotes: an empty Text is null
	// when it did not. An escape does not count as quotes, so a word that
	// stands for null is compared with Text and found whether the writer had
	// to escape a byte of it or not; an escape always gives a byte, so no
	// empty Text had one.
	Quoted bool
	// Offset is where the field starts in Record.Raw, its opening quote
	// included.
	Offset int
}

// Record is one record of the input.
type Record struct {
	// Fields are the record's fields, at least one. With Err set they are the
	// fields before the place of the error, and may be none.
	Fields []Field
	// Raw is the record as it stood in the input, with its line end.
	Raw []byte
	// Offset is where Raw starts in the input, in bytes from 0.
	Offset int64
	// Line is the physical line in which the record starts, 1-based.
	Line int64
	// Err is nil or the structural error, a *SyntaxError.
	Err error
}

// OwnFields gives the record fields of its own, which outlive the next call of the Parser. Raw is still borrowed.
func (r *Record) OwnFields() {
	r.Fields = slices.Clone(r.Fields)
	for i := range r.Fields {
		r.Fields[i].Text = bytes.Clone(r.Fields[i].Text)
	}
}

// FieldPosition returns the physical line and the byte column, both 1-based,
// at which field i starts in the input. For an i past the last field it is the
// end of the record, where that field is missing.
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

// position returns line and column of raw[at], where raw starts in column 1 of
// the given line.
func position(raw []byte, line int64, at int) (int64, int) {
	before := raw[:at]
	return line + int64(bytes.Count(before, []byte{'\n'})), at - bytes.LastIndexByte(before, '\n')
}
