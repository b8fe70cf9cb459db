package format

import "github.com/cqlbulk/cqlbulk/internal/schema"

// OutputOptions are those of a text of rows. A format refuses the ones that it cannot follow.
type OutputOptions struct {
	// Header is true if a file begins with the names of the columns. JSON has them in each row.
	Header bool
	Null   string // text of a null, if the format has no null of its own
	// EscapeFormulas is for spreadsheets that execute text. A load then reads other text.
	EscapeFormulas bool
	// CSVWriter is true for the lines of Python's csv.writer, with QUOTE_MINIMAL. A field has
	// quotes only if it contains a delimiter or a line break, and lines end in CR LF. A value with
	// the text of null is then like null.
	CSVWriter bool
	// OmitNulls is true if JSON has no members for null values.
	OmitNulls bool
	// Texts returns the text of a column's values if that is not CQL's, and nil if it is. It
	// applies to whole values, and in JSON makes strings or numbers. Nil: all texts are CQL's.
	Texts func(column schema.Selector) (ValueText, error)
}

// ValueText is a text of values that is not CQL's. It is safe for concurrent use.
type ValueText interface {
	// AppendText appends the text of a value. It returns an error if the wire bytes are no value of
	// the type.
	AppendText(dst, wire []byte) ([]byte, error)
	// IsNumber reports whether all texts are numbers.
	IsNumber() bool
}

// textOf returns the text of a column that is not CQL's; nil: it is CQL's.
func (o *OutputOptions) textOf(column schema.Selector) (ValueText, error) {
	if o.Texts == nil {
		return nil, nil
	}
	return o.Texts(column)
}

// Output is the form of rows in files, planned for their columns. It is safe for concurrent use.
type Output interface {
	// AppendBegin appends what a file begins with, before its first row.
	AppendBegin(dst []byte) []byte
	// NewEncoder returns an encoder of rows. Rows of several encoders may follow each other in a
	// file, in any order.
	NewEncoder() Encoder
	// Marks says where a mark may fall. A resumed run cuts the file there, and appends the rows of
	// new encoders.
	Marks() MarkPlace
	// AppendEnd appends what a file ends with, behind its last row.
	AppendEnd(dst []byte) []byte
}

// Encoder encodes rows. It belongs to one goroutine.
type Encoder interface {
	// AppendRow appends a row of cells, nil for null, in the order of the columns. Cells beyond the
	// columns are ignored. The error of a malformed value names the column; dst may then end with a
	// part of the row.
	AppendRow(dst []byte, cells [][]byte) ([]byte, error)
}

// MarkPlace is where a mark may fall in a file.
type MarkPlace uint8

// The places of marks.
const (
	// MarkAfterRow: behind the beginning and behind each row.
	MarkAfterRow MarkPlace = iota
	// MarkAfterFile: only behind the end of a file.
	MarkAfterFile
)

// plainEnd is the end of an Output whose files end with their last row. A mark may fall behind each
// row.
type plainEnd struct{}

// Marks implements Output.
func (plainEnd) Marks() MarkPlace { return MarkAfterRow }

// AppendEnd implements Output.
func (plainEnd) AppendEnd(dst []byte) []byte { return dst }

// largeText is the size in bytes from which an encoder does not keep the memory of a text for the
// next row. Rows of that size are rare, or else garbage collection is the least of their costs.
const largeText = 512 << 10
