package ingest

import "github.com/cqlbulk/cqlbulk/internal/row"

// Stage is where a row was rejected.
type Stage string

const (
	// Parse is where a row could not be read, or has a value of another type.
	Parse Stage = "parse"
	// Insert is where the cluster refused a row, or could not be reached.
	Insert Stage = "insert"
	// InDoubt is where a row may or may not have been applied. Repeating it would count twice.
	InDoubt Stage = "in doubt"
	// NotApplied is where the condition of a row's statement did not hold. It is no error.
	NotApplied Stage = "not applied"
)

// Reject is a row that was not written, with its place and the reason.
type Reject struct {
	File   string
	Header []byte // the file's header line, empty without one; not to be changed
	Raw    []byte // the row as it stood in the input; valid during the call of Add
	Line   int64  // physical line, 1-based
	Field  int    // byte column in that line, 1-based
	Offset int64  // byte offset of the row in the file
	Column string // the table's column, empty when the row as a whole is meant
	Value  string // the field's text, cut when long
	Stamp  int64  // timestamp that it had or would have had, microseconds; 0: none
	// Repeats is how often the row was written again, each time with a timestamp that is
	// later by one.
	Repeats uint8
	Broken  bool // it is no record, and may continue in what stands after it
	Long    bool // its bytes were given to AddPiece, and Raw is empty
	Reason  string
	// Settings are settings of a load that would read the row, as far as they are known.
	Settings Settings
	Guess    string // what the settings take for granted; empty: nothing
	Stage    Stage
	Found    []row.Value // of a row that is NotApplied: what the server found
	More     []BadField  // further ones of the row; see Job.AllBadFields
}

// Rejects keeps rejected rows. It must be safe for concurrent use. An error
// ends the run.
type Rejects interface {
	// Add takes rows of one chunk of the input. A row that is Long ends the one whose bytes
	// AddPiece was given.
	Add([]Reject) error
	// AddPiece takes the bytes of a row that is too long for memory, part by part; first and last
	// mark its ends. The row counts only when Add ends it. If the input fails, Add never does. Rows
	// added in between must not mix with it.
	AddPiece(r Reject, first, last bool) error
}
