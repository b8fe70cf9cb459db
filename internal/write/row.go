package write

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Row is a row of an input, typed and ready to be written. Who has it owns it.
type Row struct {
	row.Row           // with its token
	More    []row.Row // the rest of it, where its columns have times of their own: of the same key
	// Replicas are the nodes that it belongs to.
	Replicas *Replicas
	// MutationSize is an upper bound of what the servers will count for the row, in bytes.
	MutationSize int
	Sum          rowsum.Sum
	Tracker      Tracker
	Source
}

// Statements is how many statements write the row.
func (r *Row) Statements() int { return 1 + len(r.More) }

// Source is where a row stood in its input.
type Source struct {
	Raw    []byte
	Line   int64 // physical, 1-based
	Offset int64 // of its first byte
	// its timestamp: by its place in the input, or that of all rows; microseconds since the epoch
	Stamp int64
	Place int64 // the former in either case: no other row of the load has it
}
