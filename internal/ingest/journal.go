package ingest

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Piece is a part of an input that is completed as a whole: a chunk of records, or a line that is
// no record. Where an input is cut depends only on its bytes and the job's settings. So a later run
// of the same job finds the same pieces.
type Piece struct {
	Input  int    `json:"input"`  // index among the job's inputs
	Offset int64  `json:"offset"` // of its first byte
	Bytes  int    `json:"bytes"`
	Count  int    `json:"records"`
	Hash   uint64 `json:"hash,string"` // of its bytes, XXH3, seeded by that of the header; 0 of a single line
	Stamp  int64  `json:"stamp"`       // timestamp of its first record by its place, even where all have another one
	// Repeats is how often its rows were sent again, each time with a timestamp that is later by
	// one.
	Repeats uint8 `json:"repeats,omitempty"`
	// Line is the physical line of its first byte, 1-based. It is 0 for a single line, and in an
	// array of JSON, where reading cannot resume.
	Line int64 `json:"line,omitempty"`
	// Reading is the reading that the piece was begun with: an index of Job.Former, or behind those
	// for the present one. A journal derives it from where the record of the piece stands.
	Reading int `json:"-"`
}

// Tally counts what became of some rows. Existing rows were not written because a row of their key
// existed, or because another condition did not hold. Rows InDoubt may or may not have been
// applied, and must not be repeated. Sum is that of a scan of the same columns, if no key comes
// twice and nulls were null before.
type Tally struct {
	Read         int64      `json:"read"`          // records found
	Written      int64      `json:"written"`       // acknowledged
	Existing     int64      `json:"existing"`      // not written: their condition did not hold
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

// forgetRejects removes rejects from the count. They could not be written.
func (t *Tally) forgetRejects() {
	t.ParseErrors, t.InsertErrors, t.InDoubt, t.Existing = 0, 0, 0, 0
}

// PieceState is what a journal has of a piece.
type PieceState uint8

const (
	// PieceNew is a piece that the journal does not have.
	PieceNew PieceState = iota
	// PieceBegun is a piece that may have been written in part.
	PieceBegun
	// PieceCompleted is a piece whose rows were all written or rejected.
	PieceCompleted
)

// Journal records the pieces that are complete, so that a later run can resume. It must be safe for
// concurrent use. An error ends the run.
type Journal interface {
	// EarlierTotals returns what became of the rows of all pieces that earlier runs completed.
	EarlierTotals() Tally
	// EarlierPiece returns the piece at a place of an input, as an earlier run left it.
	EarlierPiece(input int, offset int64) (Piece, PieceState)
	// Seen returns how far an earlier run had read an input: the bytes up to the end of the last
	// piece that it recorded.
	Seen(input int) int64
	// ResumePoint returns where a resumed run starts to read an input: at its first piece that is
	// not complete, or at the last one. The result completed means that the input was read to its
	// end and nothing of it is left.
	ResumePoint(input int) (from Piece, completed bool)
	// NextTimestamp returns a timestamp above all those that rows had in earlier runs.
	NextTimestamp() int64
	// Begin records pieces before the first of their rows is sent, and again if their rows are
	// repeated. Pieces are begun in the order of the inputs.
	Begin(pieces ...Piece) error
	// Complete records a piece that has no more rows in flight, and its rejects: either both last,
	// or neither.
	Complete(Piece, Tally, []Reject) error
}

// noJournal keeps rejects and nothing else.
type noJournal struct{ rejects Rejects }

func (noJournal) EarlierTotals() Tally                        { return Tally{} }
func (noJournal) EarlierPiece(int, int64) (Piece, PieceState) { return Piece{}, PieceNew }
func (noJournal) Seen(int) int64                              { return 0 }
func (noJournal) ResumePoint(int) (Piece, bool)               { return Piece{}, false }
func (noJournal) NextTimestamp() int64                        { return 0 }
func (noJournal) Begin(...Piece) error                        { return nil }

func (j noJournal) Complete(_ Piece, _ Tally, rejects []Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	return j.rejects.Add(rejects)
}

// resumePiece applies what an earlier run recorded of a chunk. completed means that nothing is left
// to do. It leaves it to [run.addToGroup] to record the beginning of the piece.
func (r *run) resumePiece(c *chunk) (completed bool, err error) {
	p := c.tracker
	p.piece = Piece{
		Input:  c.file.index,
		Offset: c.Offset,
		Bytes:  len(c.Data),
		Count:  c.Records,
	}
	p.place = c.Chunk
	if p.place.Data = nil; c.Column == 0 { // an array cannot be read from its middle
		p.piece.Line = c.Line
	}
	earlier, standing := r.job.Journal.EarlierPiece(c.file.index, c.Offset)
	if r.journaled {
		p.piece.Hash = xxh3.HashSeed(c.Data, c.file.seed)
	}
	if standing == PieceNew && c.Offset < r.job.Journal.Seen(c.file.index) {
		return false, changed(c.file, c.Offset, c.Offset+int64(len(c.Data)))
	}
	if standing == PieceNew {
		c.stamps = r.clock.reserve(c.skip, c.count)
		p.piece.Stamp = c.stamps.first
		p.begins = true
		return false, nil
	}
	if earlier.Bytes != p.piece.Bytes || earlier.Hash != p.piece.Hash {
		return false, changed(c.file, c.Offset, c.Offset+int64(max(earlier.Bytes, p.piece.Bytes)))
	}
	c.stamps = r.clock.resume(earlier.Stamp, c.skip, c.count)
	p.piece.Stamp = earlier.Stamp
	if standing == PieceCompleted {
		return true, nil
	}
	p.begun = true
	if c.views, err = c.file.viewsSince(r, earlier.Reading); err != nil {
		return false, err
	}
	if idempotent(c.views) {
		return false, nil
	}
	p.inDoubt = !r.job.RepeatInDoubt
	if !r.job.Table.MayRepeatLater() {
		return false, nil
	}
	// If a list is written again with a later timestamp, no element of the first time remains
	// (CASSANDRA-11368). StampStep leaves room before the next row's timestamp.
	p.repeats += earlier.Repeats
	p.piece.Repeats = earlier.Repeats
	if !p.inDoubt {
		if int64(p.repeats)+1 >= r.job.StampStep-1 {
			return false, noRoom(p)
		}
		p.repeats++
		p.piece.Repeats++
	}
	c.stamps.late = int64(p.piece.Repeats)
	p.begins = !p.inDoubt
	return false, nil
}

// noRoom returns the error of a piece that cannot be written again. One step before the next row's
// timestamp stays free for a retry.
func noRoom(p *pieceTracker) error {
	return fmt.Errorf(
		"%s: bytes %d to %d were written again %d times: once more, their rows could get the timestamps of the rows after them; "+
			"resume without --repeat-in-doubt, and retry them when the load has ended",
		p.file.name,
		p.piece.Offset,
		p.piece.Offset+p.text,
		p.repeats,
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

// rejectInDoubt rejects the rows of a chunk that was being written when an earlier run was stopped.
func (r *run) rejectInDoubt(c *chunk) {
	c.tracker.open.Add(int64(len(c.rows)))
	for i := range c.rows {
		// Rows in doubt have no limit, and the parser keeps the piece open.
		_ = c.tracker.Reject(&c.rows[i], write.InDoubt, errStopped)
	}
	c.rows = c.rows[:0]
}

var errStopped = errors.New(
	"the run was stopped while this row may have been written, and writing it again may count it twice",
)

// addEarlierTotals counts what became of rows in earlier runs. It returns an error if a limit was
// passed then.
func (r *run) addEarlierTotals(t Tally) error {
	r.total(t)
	r.job.CountEarlier()
	r.earlierRead = t.Read
	// Earlier runs have completed some of the rows that they read. The share of errors among those
	// may be above that of all, so limits in percent are not checked here.
	if err := r.parseErrors.add(t.ParseErrors, 0); err != nil {
		return err
	}
	return r.insertErrors.add(t.InsertErrors, 0)
}

// total adds to the tally of all rows.
func (r *run) total(t Tally) {
	r.totals.Lock()
	defer r.totals.Unlock()
	r.totals.Add(t)
}
