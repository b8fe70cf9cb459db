package format

import (
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// Codec reads the texts of a column's values. It must be safe for concurrent use.
type Codec interface {
	// AppendWire appends the value that a text stands for, as wire bytes.
	AppendWire(dst, text []byte) ([]byte, error)
}

// verbatim is a Codec whose values are the bytes of their texts. A wrapper that hides this only
// costs a copy.
type verbatim interface {
	// CheckWire returns the error that AppendWire would return.
	CheckWire(text []byte) error
}

// emptyTaker is a Codec for which an empty field in quotes is a value.
type emptyTaker interface{ TakesEmpty() }

// nuller is a Codec with its own rule for null, of a whole field.
type nuller interface{ IsNull(text []byte) bool }

// PlanOptions say which column each field of a record goes to, and how its text is read. A time is
// a field with the time to live or the write time of a column.
type PlanOptions struct {
	Columns  []schema.Column // in the order of a row's cells
	Required []bool          // by column: null is a fault for RowReader.Faults; nil: of none
	// Fields and Times are, by column and by time, the place of the field in a record. Width is the
	// number of fields of a record. A format of named fields has no use for them.
	Fields, Times []int
	Width         int
	// Extra drops the fields of a record behind Width. Missing takes fields that are missing at the
	// end of a record for null. Otherwise both are faults.
	Extra, Missing bool
	// Names has the index of the column for each name of a field. It is -1 for a field that is not
	// read. The times have the indexes behind the columns. Find is called for a name that is not
	// in Names, with its record. Only a format of named fields has a use for both.
	Names map[string]int
	Find  func(name []byte, of Members) (int, error)
	// Nested lists names of members inside of objects: the name of the object, a dot, and that of
	// the member. That may be an object again. Such an object is never a member itself. Find is
	// called for its other members too, or they are left out if Names has -1 for the object. Only
	// JSON has members inside of others.
	Nested []string
	// Codec plans the codec of a column. nil: the format's own. A format whose values are not all
	// texts has a use for a codec only for those that are. It then takes a nil codec for its own.
	Codec func(schema.Column) (Codec, error)
	// Numbers plans the codec of a column for the numbers of JSON; nil, or a nil codec: as JSON has
	// them.
	Numbers func(schema.Column) (Codec, error)
	// TimestampUnit is the unit of a timestamp that is a number, where the format has numbers; 0: a
	// millisecond.
	TimestampUnit time.Duration
	Nulls         []string  // texts that stand for null
	Null          row.State // of the cell of a null
	Latin1        bool      // texts are in windows-1252 and not in UTF-8; not for JSON
}

// Plan is what Format.Plan has planned. Only a RowReader of the same format knows its type.
type Plan any

// Values is the memory that rows are read into. Both may move while they grow; what was cut from
// the old ones stays valid.
type Values struct {
	Arena []byte // the bytes of values
	Cells []row.Cell
}

// Times takes the times of a row.
type Times interface {
	// SetTime takes the time with that index. The error says what is wrong with the text.
	SetTime(time int, text []byte, null bool) error
}

// RowReader reads the records of chunks. It belongs to one goroutine. After its memory has grown to
// the size of the records, it does not allocate for a row without a fault.
type RowReader interface {
	// Reset starts on the records of a chunk. An empty chunk frees the bytes of the last one.
	Reset(c Chunk, p Plan)
	// Next advances to the next record and reports whether there is one. There are Chunk.Records.
	Next() bool
	// Record returns the place of the record.
	Record() Record
	// AppendRow appends a cell for each column, in the order of the columns. If it returns a fault,
	// cells may be missing; those that were appended are valid.
	AppendRow(v *Values, t Times) *Fault
	// Text returns the text of a column that AppendRow has set, until the next call of any method.
	Text(column int) []byte
	// FieldOf returns the field of a column, for Field; -1: none has a place.
	FieldOf(column int) int
	// Field returns the place of a field, both numbers from 1, and its text in UTF-8. The text is
	// valid until the next call of any method.
	Field(field int) (line int64, column int, text []byte)
	// Faults returns the faults of the record besides the first one. They include null in a column
	// that is required. It returns nil if the record as a whole is faulty.
	Faults(first *Fault, t Times) []Fault
	// AppendRejected appends the record as it is kept when it is rejected. A load that reads this
	// text with Format.Rejected finds the same row. Text is kept byte for byte.
	AppendRejected(dst []byte) []byte
}

// Record is the place of a record.
type Record struct {
	// Raw is the record as it stands in the chunk; nil: the format is no text.
	Raw    []byte
	Offset int64 // of the record in the input, in bytes from 0
	Line   int64 // physical line from 1; where there are no lines, the number of the record
	Column int   // byte column in that line, from 1
}

// Fault is why a record makes no row. With neither a column nor a time it is the record as a whole.
type Fault struct {
	Column int // of the plan, or -1
	Time   int // of the plan, or -1
	Field  int // of the record, where the fault is; -1: nowhere
	Err    error
}

// RowFault returns the fault of a record as a whole.
func RowFault(err error) *Fault { return &Fault{Column: -1, Time: -1, Field: -1, Err: err} }

// ColumnFault returns the fault of a column whose field is not known.
func ColumnFault(column int, err error) *Fault {
	return &Fault{Column: column, Time: -1, Field: -1, Err: err}
}

// Reason returns what is wrong, without the value.
func (f *Fault) Reason() string {
	var value interface{ Reason() string } // an error of cqltext or cqljson
	if errors.As(f.Err, &value) {
		return value.Reason()
	}
	return f.Err.Error()
}

// ErrNullKey is the fault of a null in a column that is required.
var ErrNullKey = errors.New("primary key column must not be null")

// WidthError is the fault of a record with another number of fields than planned.
type WidthError struct {
	Fields, Want int
	EmptyEnd     bool // the last field is empty, and not quoted
}

func (e *WidthError) Error() string {
	return fmt.Sprintf("row has %s instead of %d", human.Of(e.Fields, "field"), e.Want)
}

// required reports whether a column must not be null.
func (o *PlanOptions) required(column int) bool {
	return column < len(o.Required) && o.Required[column]
}
