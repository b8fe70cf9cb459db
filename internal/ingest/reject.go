package ingest

// Stage is where a row was rejected.
type Stage string

const (
	// Parse says that the row could not be read, or a value could not be typed.
	Parse Stage = "parse"
	// Insert says that the cluster refused the row, or could not be reached for it.
	Insert Stage = "insert"
	// InDoubt says that the row may or may not have been applied, and repeating it would
	// count twice.
	InDoubt Stage = "in doubt"
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
	Broken  bool // no record can be made of it: it may go on in what stands after it
	Long    bool // its bytes were given to AddPiece, and Raw is empty
	Reason  string
	// Settings of a load by which the row can be read, as far as they are known.
	Settings Settings
	Guess    string // what the settings take for granted; empty: nothing
	Stage    Stage
	More     []BadField // further ones of the row; see Job.AllBadFields
}

// Rejects keeps rejected rows. It must be safe for concurrent use. An error
// ends the run.
type Rejects interface {
	// Add takes rows of one chunk of the input. A row that is Long ends the one that
	// AddPiece has the bytes of.
	Add([]Reject) error
	// AddPiece takes the bytes of a row that is too long to be held, piece by piece:
	// first and last mark its ends. The row counts only when Add ends it, which never
	// comes when the input fails. Rows added in between must not mix with it.
	AddPiece(r Reject, first, last bool) error
}
