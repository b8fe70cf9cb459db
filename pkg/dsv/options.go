package dsv

// Defaults of [Options], in bytes.
const (
	DefaultChunkSize = 1 << 20
	DefaultMaxRecord = 64 << 20
)

// Options are the sizes of a Splitter and its treatment of bad lines.
type Options struct {
	// ChunkSize is the largest number of bytes of a chunk with several records; 0:
	// DefaultChunkSize. Only a single longer record makes a longer chunk.
	ChunkSize int
	// MaxRecords is the largest number of records of a chunk; 0: no limit. It limits the memory for
	// parsing a chunk of very short records.
	MaxRecords int
	// MaxRecord is the largest number of bytes of a record, including its line end; 0:
	// DefaultMaxRecord. 1 counts as 2.
	MaxRecord int
	// Offset and Line are the start of the reader in the input, taken from a chunk that was cut
	// with the same format and sizes. The Splitter then cuts the rest as before. Line 0: the start
	// of the input.
	Offset int64
	Line   int64
	// SkipLines is the number of physical lines before the first record, which are passed over.
	// Quotes and escapes have no meaning in them. It applies only at the start of the input.
	SkipLines int64
	// Size is the expected number of bytes of the input; 0: unknown. The Splitter allocates no more
	// memory than an input of that size needs. A wrong size is harmless.
	Size int64
	// Bad receives each line on which a record starts that does not end or is longer than
	// MaxRecord. If Bad returns an error, splitting stops, and Next returns that error unchanged.
	// nil: Next returns a *SyntaxError for such a line.
	Bad func(Bad) error
}

// Bad is a piece of a bad line. The pieces of a line arrive in order, and line after line. In a
// format with an escape, a line with escaped LF consists of several physical lines.
type Bad struct {
	Offset int64  // start of the line in the input, in bytes from 0
	Line   int64  // physical line of the fault, from 1
	Column int    // byte column of the fault, from 1
	Reason string // the fault, the same for all pieces of a line
	// Piece is valid only during the call. All pieces together are the original line, including its
	// line end. The last of several pieces may be empty.
	Piece []byte
	First bool // first piece of the line
	Last  bool // last piece of the line
}
