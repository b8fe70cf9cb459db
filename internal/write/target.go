// Package write says what a load's rows are given to: a [Target], which brings them
// somewhere and tells of each what became of it. It declares what lies between package
// ingest, which makes rows of an input, and the targets, each in a package of its own
// below this one, so that neither knows the other.
//
// A row is one of a [Tracker] of the input, and a piece is settled as a whole: a later run
// takes up all pieces that are not. A target owns the rows that it was given, and must in
// the end do two things with each, at any time and in any order: tell its piece what became
// of it, when that is known for good, and free it, when its bytes are no longer read.
// Until a row is freed it keeps memory that the reading of the input waits for, so that a
// target that is long in settling copies what it needs, and frees the row before that.
package write

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Target brings rows to where they go. It serves one run.
type Target interface {
	// Intake prepares for rows of the given columns, in the order of their cells. It is
	// called once for each list of columns, by one goroutine.
	Intake(columns []schema.Column) Intake
	// Run works until Finish was called and all rows are settled and freed. An error ends
	// the load, with rows that are not settled.
	Run(ctx context.Context) error
	// MemoryLow, called with true, says that memory is short: rows that only wait for later
	// ones are to go on now, and no others are to wait until it is called with false.
	MemoryLow(on bool)
	// Finish says that no more rows will come: all have come that there are. When reading fails it
	// is not called, and Run's context ends.
	Finish()
	// PiecesHeld is how many pieces may be taken in while a row waits for later ones:
	// without Yield it waits no longer. There is memory for so many more.
	PiecesHeld() int
}

// Intake takes rows of one list of columns. It is safe for concurrent use.
type Intake interface {
	// Put takes the rows of one piece, in the order of the input, and the slice with
	// them until the last of them is freed. It may wait until there is room. An error ends
	// the load.
	Put(ctx context.Context, rows []*Row) error
	// PutGroup is Put with the rows of several small pieces, one after the other. For Lookahead
	// they count as one piece.
	PutGroup(ctx context.Context, rows []*Row) error
	// Idempotent says whether a row may be given once more in a later run, with the same
	// timestamps, and do no harm.
	Idempotent() bool
}

// Tracker is the part of an input that a row is of. It is safe for concurrent use. An error
// of any method ends the load.
type Tracker interface {
	// Begun says that an earlier run had begun the piece, and may have written its rows.
	Begun() bool
	// Ready says of so many rows, which are not settled yet, that they will be written unless the
	// load fails. A target that settles rows at once has no need to say so.
	Ready(rows int)
	// Written settles so many rows of the piece, with the sum of their checksums: they are
	// safe where they should be.
	Written(rows int, sum rowsum.Sum) error
	// Existing settles so many rows that were not to be written, since there is one of
	// their key.
	Existing(rows int) error
	// Reject settles a row that is not written, and keeps it for the user. The row's bytes
	// must still be there. When the error is ErrEnough the row was kept.
	Reject(r *Row, why Outcome, reason error) error
	// Find reads the row again that has a timestamp by its place in the input, nil if the piece has
	// none, or cannot be read again. Its bytes are its own, and it is not freed.
	Find(ctx context.Context, stamp int64) (*Row, error)
	// Release says that the bytes of so many rows are no longer read.
	Release(rows int)
}

// ErrEnough says that so many rows were rejected that the load ends.
var ErrEnough = errors.New("too many rows were rejected")

// Outcome is why a row is not written.
type Outcome uint8

const (
	// Refused is a row that the target does not take, for what is in it.
	Refused Outcome = iota
	// Unreached is a row that could not be brought to where it goes, whatever is in it.
	Unreached
	// InDoubt is a row that may or may not have been written, and must not be once more.
	InDoubt
)
