package write

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Row is a row of an input, typed and ready to be written. It belongs to package ingest first, and
// then to the target.
type Row struct {
	row.Row           // with its token
	More    []row.Row // further statements of the same key, if its columns have times of their own
	// Replicas are the nodes that it belongs to.
	Replicas *Replicas
	// MutationSize is an upper bound of what the servers count for the row, in bytes.
	MutationSize int
	Sum          rowsum.Sum
	Tracker      Tracker
	Source
}

// Statements returns the number of statements that write the row.
func (r *Row) Statements() int { return 1 + len(r.More) }

// Source is where a row stood in its input.
type Source struct {
	Raw    []byte
	Line   int64 // physical, 1-based
	Column int   // of its first byte in that line, in bytes, 1-based
	Offset int64 // of its first byte
	// timestamp, by its place in the input or that of all rows; microseconds since the epoch
	Stamp int64
	Place int64 // timestamp by its place in any case: no other row of the load has it
}
