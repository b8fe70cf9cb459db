// Package format is the seam between the pipelines and the forms that rows have in files. A load
// reads any [Format], and a scan writes any. Delimited text ([Delimited]) and JSON ([JSON]) are
// behind it.
//
// Reading, for a load:
//
//   - [Format.Split] cuts an input into chunks of complete records, in one goroutine.
//     [Splitter.Header] has the names of the fields, if the input has them.
//   - [Format.Plan] plans, once for each header, which column each field goes to.
//   - A [RowReader] reads the records of a chunk by such a plan. Each parser has one. It appends
//     wire bytes to memory of its caller ([Values]), or returns the [Fault] of the record.
//
// Writing, for a scan:
//
//   - [Format.Output] plans the columns. The [Output] has the bytes that a file begins and ends
//     with, and says where a mark may fall.
//   - An [Encoder] appends rows to a buffer of its caller. Each buffer has one.
//
// A new format has to pass the suite of package formattest.
//
// # Ownership and concurrency
//
// A Format, a Plan and an Output are safe for concurrent use. A Splitter, a RowReader and an
// Encoder belong to one goroutine at a time. The bytes of a Chunk belong to the caller of
// [Splitter.Next]. Values point into the Arena of their Values, or into the chunk.
package format

import (
	"bytes"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Format is a form that rows have in files. It is a value, and safe for concurrent use.
type Format interface {
	// Named reports whether each record names its fields, as the objects of JSON do. Otherwise the
	// fields have an order, and a header may name them.
	Named() bool
	// Split returns what cuts an input into chunks. If o.Line is not 0, the input begins at
	// o.Offset, which was the beginning of a chunk when it was cut with the same sizes. No chunk
	// that has a Column is such a place.
	Split(in io.Reader, o SplitOptions) Splitter
	// Plan plans how the fields of records become values. It returns an error for a type that has
	// no codec; the error names the column.
	Plan(o PlanOptions) (Plan, error)
	// NewReader returns a reader of rows without a chunk.
	NewReader() RowReader
	// Rejected returns the format of the text that RowReader.AppendRejected makes. That is the
	// format itself if it is text.
	Rejected() Format
	// Output plans the text of rows with these columns. It returns an error for a type that has no
	// form, and for options that the format cannot follow.
	Output(columns []schema.Selector, o OutputOptions) (Output, error)
}

// These types are those of delimited text. JSON lines share them.
type (
	// Chunk is a part of the input that consists of complete records.
	Chunk = dsv.Chunk
	// SplitOptions are the sizes of chunks, and what takes records that have no end.
	SplitOptions = dsv.Options
	// Bad is a part of a record that has no end, or is too long.
	Bad = dsv.Bad
	// SyntaxError is the reason why a record cannot be read, with its place.
	SyntaxError = dsv.SyntaxError
)

// Splitter cuts one input into chunks. It belongs to one goroutine.
type Splitter interface {
	// Header reads the names of the fields. Call it before Next, and not for an input that begins
	// in its middle. The error is io.EOF if the input is empty. It is a *SyntaxError if the header
	// is damaged; the header then has what was read of it. A format of named fields has no header.
	Header() (Header, error)
	// Next returns the next chunk, in the memory of buf if that is enough. The chunk belongs to the
	// caller. At the end of the input the error is io.EOF. A damaged record goes to
	// SplitOptions.Bad, and splitting continues behind it. All other errors are final.
	Next(buf []byte) (Chunk, error)
	// Failed returns the error of the input that has cut the last chunk short; nil: none has.
	Failed() error
}

// Header is the names of an input's fields.
type Header struct {
	Names []string // as they stand, in the encoding of the input
	Raw   []byte   // the header as it stood; nil: the input has none
}

// The names of the formats.
const (
	CSVName  = "csv"
	TSVName  = "tsv"
	JSONName = "json"
)

// Of returns the format with a name. text separates and quotes the fields if the name is that of a
// delimited text.
func Of(name string, text dsv.Format) Format {
	if name == JSONName {
		return JSON{}
	}
	return Delimited{text}
}

// FirstRows returns a function that returns the length in bytes of the first rows of a text, which
// encoders of the format made.
func FirstRows(f Format) func(text []byte, rows int) int {
	if d, ok := f.(Delimited); ok {
		return d.FirstRows
	}
	return firstLines
}

// firstLines returns the length of the first lines of a text, which has that many.
func firstLines(text []byte, lines int) int {
	length := 0
	for range lines {
		length += bytes.IndexByte(text[length:], '\n') + 1
	}
	return length
}

// Delimiters returns what separates and quotes fields in a format. For a format that is no
// delimited text, it returns the default.
func Delimiters(f Format) dsv.Format {
	if d, ok := f.(Delimited); ok {
		return d.Format
	}
	return dsv.DefaultFormat
}
