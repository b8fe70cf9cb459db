package dsv

// Defaults of [Options], in bytes.
const (
	DefaultChunkSize = 1 << 20
	DefaultMaxRecord = 64 << 20
)

// Options sets the sizes of a Splitter and what it does with bad lines.
type Options struct {
	// ChunkSize is the most bytes of a chunk with several records, by default
	// DefaultChunkSize. Only a record that is longer by itself makes a longer
	// chunk.
	ChunkSize int
	// MaxRecords is the most records of a chunk, so that very short ones do not
	// make a chunk that takes many times its bytes when it is parsed; 0: no limit.
	MaxRecords int
	// MaxRecord is the most bytes of one record, its line end included, by
	// default DefaultMaxRecord; 1 counts as 2.
	MaxRecord int
	// Offset and Line say where in the input the reader begins: those of a chunk that
	// was cut from it with the same format and sizes. What is cut from there on is then
	// the same as before. Without them, Line being 0, it is the input's beginning.
	Offset int64
	Line   int64
	// Size is the number of bytes that the input is expected to have; 0: unknown. The Splitter
	// takes no more memory than an input of that size needs. A wrong size does no harm.
	Size int64
	// Bad is given the lines on which a record starts that does not end or is
	// longer than MaxRecord. An error it returns ends the splitting and comes
	// out of Next as it is. Without it such a line makes Next return a
	// *SyntaxError.
	Bad func(Bad) error
}

// Bad is a piece of one bad line. The pieces of a line come in order, and
// those of one line before those of the next. With an escape in the format, a
// line that holds escaped LF is several physical ones.
type Bad struct {
	Offset int64  // where the line starts in the input, in bytes from 0
	Line   int64  // physical line the reason is about, 1-based
	Column int    // byte column the reason is about, 1-based
	Reason string // what is wrong with the line, the same for all its pieces
	// Piece is valid during the call only. With the other pieces it is the
	// line as it stood in the input, its line end included. The last piece of
	// several may be empty.
	Piece []byte
	First bool // the line's first piece
	Last  bool // the line's last piece
}
