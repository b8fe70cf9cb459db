// Package write declares what package ingest and the targets of a load know of each other. Ingest
// makes rows of an input and puts them into a [Target]. The target writes each row and reports the
// result to the row's [Tracker]. Each target is in a package of its own below this one.
//
// A row belongs to a piece of the input. A piece is complete when each of its rows was written or
// rejected; a resumed run loads all other pieces. A target does two things with each row, at any
// time and in any order. It reports the final result to the row's tracker, and it releases the row
// when its bytes are no longer read. Until then the row occupies memory that the reading of the
// input waits for. So a target that completes rows late copies what it needs and releases the rows
// early.
package write

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Target writes rows. It serves one run.
type Target interface {
	// Intake prepares for rows of the given columns, in the order of their cells. One goroutine
	// calls it once for each list of columns.
	Intake(columns []schema.Column) Intake
	// Run works until Finish was called and all rows are complete and released. An error ends the
	// load, with rows that are not complete.
	Run(ctx context.Context) error
	// MemoryLow(true) means that memory is low. Rows that only wait for later ones are written now,
	// and no rows wait until MemoryLow(false).
	MemoryLow(on bool)
	// Finish means that no more rows will come. If reading fails it is not called, and Run's
	// context ends.
	Finish()
	// PiecesHeld returns the number of pieces that may come while a row waits for later ones. After
	// those it waits no longer, even without MemoryLow. There is memory for that many more pieces.
	PiecesHeld() int
}

// Intake takes rows of one list of columns. It is safe for concurrent use.
type Intake interface {
	// Put takes the rows of one piece, in the order of the input. It keeps the slice until the last
	// row is released. It may wait until there is room. An error ends the load.
	Put(ctx context.Context, rows []*Row) error
	// PutGroup is Put with the rows of several small pieces, one after the other. They count as one
	// piece for PiecesHeld.
	PutGroup(ctx context.Context, rows []*Row) error
	// Idempotent reports whether a row may be put again in a later run, with the same timestamps,
	// without harm.
	Idempotent() bool
}

// Tracker receives the results of the rows of one piece of the input. It is safe for concurrent
// use. An error of any method ends the load.
type Tracker interface {
	// Begun reports whether an earlier run had begun the piece, and may have written its rows.
	Begun() bool
	// Ready counts rows that will be written unless the load fails. A target that completes rows at
	// once need not call it.
	Ready(rows int)
	// Written completes rows of the piece, with the sum of their checksums: they are stored where
	// they belong.
	Written(rows int, sum rowsum.Sum) error
	// NotApplied completes a row that is not written because its condition did not hold, and keeps
	// it for the user. The reason may have the values that were found, as its method Found.
	NotApplied(r *Row, reason error) error
	// Reject completes a row that is not written, and keeps it for the user. The row's bytes must
	// be valid. If the error is ErrEnough the row was kept.
	Reject(r *Row, why Outcome, reason error) error
	// Find reads a row of the piece again, by its timestamp by place. It returns nil if the piece
	// has no such row or cannot be read again. The row's bytes are its own, and it is not released.
	Find(ctx context.Context, stamp int64) (*Row, error)
	// Release means that the bytes of that many rows are no longer read.
	Release(rows int)
}

// ErrEnough is the error of a load that ends because too many rows were rejected.
var ErrEnough = errors.New("too many rows were rejected")

// Outcome is why a row is not written.
type Outcome uint8

const (
	// Refused is a row that the target does not take because of its values.
	Refused Outcome = iota
	// Unreached is a row that could not be brought to its replicas, whatever its values are.
	Unreached
	// InDoubt is a row that may or may not have been written, and must not be written again.
	InDoubt
)
