package ingest

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Piece is a part of an input that is settled as a whole: a chunk of records, or a
// line that no record can be made of. Where an input is cut depends on nothing but
// its bytes and the job's settings, so a later run of the same job finds the same
// pieces.
type Piece struct {
	Input  int    `json:"input"`  // index among the job's inputs
	Offset int64  `json:"offset"` // of its first byte
	Bytes  int    `json:"bytes"`
	Count  int    `json:"records"`
	Hash   uint64 `json:"hash,string"` // of its bytes, XXH3, seeded by that of the header; 0 of a single line
	Stamp  int64  `json:"stamp"`       // timestamp of its first record by its place, even where all have another one
	// Repeats is how often its rows were sent again with a timestamp that much later.
	Repeats uint8 `json:"repeats,omitempty"`
	// Line is the physical line of its first byte, 1-based; 0 where reading cannot be
	// taken up: at a single line.
	Line int64 `json:"line,omitempty"`
	// Reading is by which of the job's readings it was begun: an index of Job.Former, or behind
	// those for the present one. A journal tells it by where the record of the piece stands.
	Reading int `json:"-"`
}

// Tally is what became of some rows. Existing are those not written since there was one of
// their key already; InDoubt those that may or may not have been applied and must not be
// repeated. Sum is that of a scan of the same columns, when no key comes twice and nulls were
// null before.
type Tally struct {
	Read         int64      `json:"read"`          // records found
	Written      int64      `json:"written"`       // acknowledged
	Existing     int64      `json:"existing"`      // not written: there was one
	ParseErrors  int64      `json:"parse_errors"`  // rejected at stage Parse
	InsertErrors int64      `json:"insert_errors"` // rejected at stage Insert
	InDoubt      int64      `json:"in_doubt"`
	Sum          rowsum.Sum `json:"sum"` // of those acknowledged
}

// Add adds other to t.
func (t *Tally) Add(other Tally) {
	t.Read += other.Read
	t.Written += other.Written
	t.Existing += other.Existing
	t.ParseErrors += other.ParseErrors
	t.InsertErrors += other.InsertErrors
	t.InDoubt += other.InDoubt
	t.Sum = t.Sum.Add(other.Sum)
}

// Rejected is the number of rows in the rejects file.
func (t Tally) Rejected() int64 { return t.ParseErrors + t.InsertErrors }

// forgetRejects is for rows whose rejects could not be kept.
func (t *Tally) forgetRejects() { t.ParseErrors, t.InsertErrors, t.InDoubt = 0, 0, 0 }

// PieceState is what a journal has of a piece.
type PieceState uint8

const (
	// PieceNew pieces have not been seen.
	PieceNew PieceState = iota
	// PieceBegun pieces may have been written in part.
	PieceBegun
	// PieceCompleted pieces are done.
	PieceCompleted
)

// Journal keeps what is settled, for a later run that goes on from there. It must
// be safe for concurrent use. An error ends the run.
type Journal interface {
	// EarlierTotals is what became of the rows of all pieces that an earlier run settled.
	EarlierTotals() Tally
	// EarlierPiece tells how an earlier run left the piece at a place.
	EarlierPiece(input int, offset int64) (Piece, PieceState)
	// Seen is how far an earlier run had read an input, in bytes from its beginning,
	// up to the last piece that it noted.
	Seen(input int) int64
	// ResumePoint tells where an input is to be taken up, when the run goes on: at the first of
	// its pieces that is not settled, or the last. settled says that it was read to its
	// end and nothing of it is left.
	ResumePoint(input int) (from Piece, settled bool)
	// NextTimestamp is a timestamp above all those that rows had in earlier runs.
	NextTimestamp() int64
	// Begin notes pieces, and again when their rows are repeated, before the first of their
	// rows is sent. Pieces are begun in the order of the inputs.
	Begin(pieces ...Piece) error
	// Complete notes a piece none of whose rows is under way any more, and keeps its
	// rejects with it: either both last, or neither.
	Complete(Piece, Tally, []Reject) error
}

// noJournal keeps rejects and nothing else.
type noJournal struct{ rejects Rejects }

func (noJournal) EarlierTotals() Tally                       { return Tally{} }
func (noJournal) EarlierPiece(int, int64) (Piece, PieceState) { return Piece{}, PieceNew }
func (noJournal) Seen(int) int64                       { return 0 }
func (noJournal) ResumePoint(int) (Piece, bool)               { return Piece{}, false }
func (noJournal) NextTimestamp() int64                       { return 0 }
func (noJournal) Begin(...Piece) error                 { return nil }

func (j noJournal) Complete(_ Piece, _ Tally, rejects []Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	return j.rejects.Add(rejects)
}

// resumePiece takes over what an earlier run noted of a chunk. settled says that there
// is nothing left to do. It leaves to [run.hand] to note that the piece begins.
func (r *run) resumePiece(c *chunk) (settled bool, err error) {
	a := c.tracker
	a.piece = Piece{
		Input:  c.file.index,
		Offset: c.Offset,
		Bytes:  len(c.Data),
		Count:  c.Records,
		Line:   c.Line,
	}
	earlier, standing := r.job.Journal.EarlierPiece(c.file.index, c.Offset)
	if r.journaled {
		a.piece.Hash = xxh3.HashSeed(c.Data, c.file.seed)
	}
	if standing == PieceNew && c.Offset < r.job.Journal.Seen(c.file.index) {
		return false, changed(c.file, c.Offset, c.Offset+int64(len(c.Data)))
	}
	if standing == PieceNew {
		c.stamps = r.clock.reserve(c.skip, c.count)
		a.piece.Stamp = c.stamps.first
		a.begins = true
		return false, nil
	}
	if earlier.Bytes != a.piece.Bytes || earlier.Hash != a.piece.Hash {
		return false, changed(c.file, c.Offset, c.Offset+int64(max(earlier.Bytes, a.piece.Bytes)))
	}
	c.stamps = r.clock.resume(earlier.Stamp, c.skip, c.count)
	a.piece.Stamp = earlier.Stamp
	if standing == PieceCompleted {
		return true, nil
	}
	a.begun = true
	if c.views, err = c.file.since(r, earlier.Reading); err != nil {
		return false, err
	}
	if idempotent(c.views) {
		return false, nil
	}
	a.inDoubt = !r.job.RepeatInDoubt
	if r.job.Table.IsCounter() {
		return false, nil
	}
	// Of a list that is written again with a later timestamp no element of the first
	// time is left (CASSANDRA-11368). StampStep makes room before the next row's.
	a.repeats += earlier.Repeats
	a.piece.Repeats = earlier.Repeats
	if !a.inDoubt {
		if int64(a.repeats)+1 >= r.job.StampStep-1 {
			return false, noRoom(a)
		}
		a.repeats++
		a.piece.Repeats++
	}
	c.stamps.late = int64(a.piece.Repeats)
	a.begins = !a.inDoubt
	return false, nil
}

// noRoom says that a piece cannot be written again. One step before the next row's
// timestamp is left for a retry.
func noRoom(a *pieceTracker) error {
	return fmt.Errorf(
		"%s: bytes %d to %d were written again %d times: once more, their rows could get the timestamps of the rows after them; "+
			"go on without --repeat-in-doubt, and retry them when the load has come to its end",
		a.file.name,
		a.piece.Offset,
		a.piece.Offset+a.text,
		a.repeats,
	)
}

// changed says that an input is not what an earlier run had read.
func changed(f *file, from, to int64) error {
	return fmt.Errorf(
		"%s: bytes %d to %d are not those that the run had read: the input was changed",
		f.name,
		from,
		to,
	)
}

// rejectInDoubt rejects the rows of a chunk that was being written when an earlier
// run was stopped.
func (r *run) rejectInDoubt(c *chunk) {
	c.tracker.open.Add(int64(len(c.rows)))
	for i := range c.rows {
		// Rows in doubt come under no limit, and the parser keeps the account open.
		_ = c.tracker.Reject(&c.rows[i], write.InDoubt, errStopped)
	}
	c.rows = c.rows[:0]
}

var errStopped = errors.New(
	"the run was stopped while this row may have been written, and writing it again may count it twice",
)

// addEarlierTotals takes over what became of rows in an earlier run, and says whether a limit was
// passed then.
func (r *run) addEarlierTotals(t Tally) error {
	r.total(t)
	r.job.CountEarlier()
	if err := r.parseErrors.add(t.ParseErrors); err != nil {
		return err
	}
	return r.insertErrors.add(t.InsertErrors)
}

// total adds to what became of all rows.
func (r *run) total(t Tally) {
	r.totals.Lock()
	defer r.totals.Unlock()
	r.totals.Add(t)
}
