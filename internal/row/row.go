// Package row holds the values that travel between the database and the pipelines. A scan reads
// pages of raw cells, and a load writes rows of raw cells.
package row

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// State is one of the three kinds of cell.
type State uint8

const (
	// Unset leaves the column as it is: nothing is written.
	Unset State = iota
	// Null deletes the column's value (a tombstone).
	Null
	// Set writes Bytes, which may be empty.
	Set
)

// Cell is one value on its way in, as CQL wire bytes.
type Cell struct {
	Bytes []byte
	State State
}

// Value is a value with its name and type.
type Value struct {
	Name  string
	Type  *cqltype.Type
	Bytes []byte // nil: null
}

// Row is one row on its way in.
type Row struct {
	Cells     []Cell      // in the order of the statement's columns
	Timestamp int64       // client timestamp, microseconds since the epoch; not used for counters
	TTL       int32       // seconds, or Forever; 0: that of the load, or else of the table
	Token     token.Token // of its partition key, zero when that is not known
	// Update writes the cells alone, as UPDATE does: without the marker of a row, which keeps it
	// alive when all of its cells are gone.
	Update bool
}

// Forever is the time to live of what does not expire, whatever the table says.
const Forever = -1

// Size is the number of bytes of the row's cells.
func (r Row) Size() int {
	n := 0
	for i := range r.Cells {
		n += len(r.Cells[i].Bytes)
	}
	return n
}

// Page is one page of rows on its way out. It is not safe for concurrent use,
// but may be handed from one goroutine to another. Close must be called once.
type Page interface {
	// Next moves to the next row; false after the last one.
	Next() bool
	// Cells gives the current row's cells in the order of the selected
	// columns: nil is null, an empty slice is an empty value. The slice and
	// its bytes belong to the page and are valid until the next call of Next;
	// they must not be appended to.
	Cells() [][]byte
	// Rows is the number of rows in the page.
	Rows() int
	// State is the paging state to ask for the next page with; empty after
	// the last page. It stays valid after Close.
	State() []byte
	// Err is the error that ended Next early, if any.
	Err() error
	// Close gives the page's buffer back.
	Close()
}
