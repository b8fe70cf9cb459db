package ingest

import (
	"bytes"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// aheadSize is the number of bytes of an input's text that a guess about its first line may read.
const aheadSize = 64 << 10

// ahead returns the first whole lines of an input, behind those that are passed over. It returns
// nil for a pipe, which can be read once.
func (j *Job) ahead(i Input) []byte {
	if !i.Plain || i.Open == nil && j.OpenFile == nil {
		return nil
	}
	in, err := j.open(i)
	if err != nil {
		return nil // the caller has an error already
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, aheadSize))
	if err != nil {
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) == aheadSize {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	return j.WithoutSkipped(text)
}

// WithoutSkipped returns the first text of an input without the lines that are passed over.
func (j *Job) WithoutSkipped(text []byte) []byte {
	ends := "\n"
	if j.SkipLines > 0 && format.Delimiters(j.Format).CR {
		ends = "\r\n"
	}
	for range j.SkipLines {
		end := bytes.IndexAny(text, ends)
		if end < 0 {
			return nil
		}
		text = text[end+1:]
	}
	return text
}

// firstText returns the text that a guess about the first line may read. It is empty if none is
// known.
func (f Fields) firstText() []byte {
	if f.ahead == nil {
		return nil
	}
	text := f.ahead()
	if f.delimited().CR {
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	}
	return text
}

// delimited returns the format of an input of delimited text. For any other, nothing separates the
// fields.
func (f Fields) delimited() format.Delimited {
	text, _ := f.format.(format.Delimited)
	return text
}

// between returns the lines of a text that belong to no record: those before the first record, and
// those behind it.
func between(text []byte, all []format.TextRecord) (before, behind [][]byte) {
	at := 0
	for i := 0; i <= len(all); i++ {
		end, next := len(text), len(text)
		if i < len(all) {
			end = int(all[i].Offset)
			next = end + len(all[i].Raw)
		}
		for line := range bytes.Lines(text[min(at, end):end]) {
			if i == 0 {
				before = append(before, line)
			} else {
				behind = append(behind, line)
			}
		}
		at = next
	}
	return before, behind
}

// judge decides whether the fields of records fit the types of columns, in the order of the
// columns.
type judge struct {
	columns []schema.Column
	codecs  []format.Codec
	scratch []byte
}

// typedBy returns what judges the fields of columns; nil: a column has no codec.
func (f Fields) typedBy(columns []schema.Column) *judge {
	plan := f.Codec
	if plan == nil {
		plan = func(c schema.Column) (format.Codec, error) { return cqltext.Plan(c.Type) }
	}
	j := &judge{columns: columns}
	for _, c := range columns {
		codec, err := plan(c)
		if err != nil {
			return nil
		}
		j.codecs = append(j.codecs, codec)
	}
	return j
}

// takes reports whether a column takes the text of a field. A null field decides nothing.
func (j *judge) takes(column int, text []byte) (takes, null bool) {
	switch {
	case len(text) == 0:
		return true, true
	case cqltext.TextLike(j.columns[column].Type): // in whatever encoding
		return true, false
	}
	var err error
	j.scratch, err = j.codecs[column].AppendWire(j.scratch[:0], text)
	return err == nil, false
}

// isRow reports whether a record may be a row: it has as many fields as a row, and each column
// takes its own.
func (j *judge) isRow(rec format.TextRecord) bool {
	if rec.Err != nil || len(rec.Fields) != len(j.columns) {
		return false
	}
	for i, c := range j.columns {
		takes, null := j.takes(i, rec.Fields[i].Text)
		if !takes || null && c.Kind == schema.PartitionKey {
			return false
		}
	}
	return true
}

// lineKind is what a first line is, by the types of the columns.
type lineKind uint8

const (
	eitherKind lineKind = iota
	rowKind             // some of its fields are values of columns that do not take any text
	// some of its fields are no values of their columns, and those of the next lines are
	headerKind
)

// kindOf judges the first line of a text by the types of all columns of the table in their order.
func (j *judge) kindOf(first []string, next []format.TextRecord) lineKind {
	if len(first) != len(j.columns) {
		return eitherKind
	}
	row, header := false, false
	for i, c := range j.columns {
		takes, null := j.takes(i, []byte(first[i]))
		switch {
		case null || cqltext.TextLike(c.Type):
		case takes:
			row = true
		case j.allTake(i, next):
			header = true
		}
	}
	switch {
	case row == header:
		return eitherKind
	case row:
		return rowKind
	default:
		return headerKind
	}
}

// takesAll reports whether the columns take all of some texts, and not because they take any.
func (j *judge) takesAll(texts []string) bool {
	if len(texts) != len(j.columns) {
		return false
	}
	some := false
	for i, c := range j.columns {
		takes, null := j.takes(i, []byte(texts[i]))
		if !takes {
			return false
		}
		some = some || !null && !cqltext.TextLike(c.Type)
	}
	return some
}

// allTake reports whether a column takes the fields of all records, and there are some.
func (j *judge) allTake(column int, all []format.TextRecord) bool {
	some := false
	for _, rec := range all {
		if rec.Err != nil || len(rec.Fields) != len(j.columns) {
			continue
		}
		takes, null := j.takes(column, rec.Fields[column].Text)
		if !takes {
			return false
		}
		some = some || !null
	}
	return some
}
