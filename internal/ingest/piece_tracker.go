package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// pieceTracker is what becomes of the rows of a piece. It is settled when that is known of all
// of them. It is a write.Piece.
type pieceTracker struct {
	run     *run
	piece   Piece
	file    *file
	views   []*view // that its records are read by
	repeats uint8   // how often its rows were written again, this time among them
	begun   bool    // an earlier run had begun it
	begins  bool    // the journal is to note it before its rows are sent
	// its rows may have been written before, and writing them again may count twice
	inDoubt bool
	text    int64        // bytes of its text
	stored  int64        // of the input, as it is stored
	slice   int64        // of those, what counts as read before it is dealt with
	rows    atomic.Int64 // that were made of it, once all were; 0 before
	shown   atomic.Int64 // of those, whose part of the text counts already
	open    atomic.Int64 // rows not settled yet, and one for the parser

	mu    sync.Mutex
	chunk *chunk // that it was made from; nil when all of its rows are freed
	// bytes of rejects that outlast the chunk, and of their further bad fields, of the memory
	copied  int64
	tally   Tally
	rejects []Reject // in no order
}

// Begun is a method of write.Piece.
func (a *pieceTracker) Begun() bool { return a.begun }

// Ready is a method of write.Piece.
func (a *pieceTracker) Ready(rows int) {
	a.run.tookRows(rows)
	a.run.job.Counters.Ready.Add(int64(rows))
	if a.slice == 0 { // the rows of a second view come apart
		a.slice = a.stored
		a.run.job.Counters.Slice.Add(a.slice)
	}
}

// Written is a method of write.Piece.
func (a *pieceTracker) Written(rows int, sum rowsum.Sum) error {
	a.run.job.Counters.Rows.Add(int64(rows))
	a.run.tookRows(rows)
	a.add(Tally{Written: int64(rows), Sum: sum})
	a.showProgress(rows)
	return a.completeRows(rows)
}

// Existing is a method of write.Piece.
func (a *pieceTracker) Existing(rows int) error {
	a.run.tookRows(rows)
	a.add(Tally{Existing: int64(rows)})
	return a.completeRows(rows)
}

// Reject is a method of write.Piece.
func (a *pieceTracker) Reject(r *write.Row, why write.Outcome, reason error) error {
	stage := Insert
	if why == write.InDoubt {
		stage = InDoubt
	}
	enough := a.keepReject(Reject{
		File: a.file.name, Header: a.file.header, Raw: r.Raw, Line: r.Line, Field: 1,
		Offset: r.Offset, Stamp: r.Stamp, Repeats: a.repeats, Reason: reason.Error(), Stage: stage,
	})
	if why == write.Refused && enough == nil {
		enough = a.run.notTaken(1)
	}
	if err := a.completeRows(1); err != nil {
		return errors.Join(enough, err)
	}
	return enough
}

// Release is a method of write.Piece.
func (a *pieceTracker) Release(rows int) { a.run.free(a.chunk, rows) }

// add counts rows.
func (a *pieceTracker) add(t Tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tally.Add(t)
}

// keepReject notes a row that is not written. Its error may be a *LimitError.
func (a *pieceTracker) keepReject(rej Reject) error {
	a.mu.Lock()
	a.rejects = append(a.rejects, rej)
	if more := int64(len(rej.More)) * rejectMemory; more > 0 {
		a.run.memory.Resize(a.copied, a.copied+more)
		a.copied += more
	}
	if a.chunk == nil {
		a.copyLocked(len(a.rejects) - 1)
	}
	switch rej.Stage {
	case Parse:
		a.tally.ParseErrors++
	case Insert:
		a.tally.InsertErrors++
	case InDoubt:
		a.tally.InDoubt++
	}
	a.mu.Unlock()
	return a.run.countReject(rej.Stage)
}

// copyLocked copies the bytes of the rejects from the given one on.
func (a *pieceTracker) copyLocked(from int) {
	before := a.copied
	for i := range a.rejects[from:] {
		rej := &a.rejects[from+i]
		rej.Raw = bytes.Clone(rej.Raw)
		a.copied += int64(len(rej.Raw)) + rejectMemory
	}
	a.run.memory.Resize(before, a.copied)
}

// detach copies what is still needed of the chunk, which is freed.
func (a *pieceTracker) detach() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chunk = nil
	a.copyLocked(0)
}

// completeRows takes so many rows off those that are not settled; with the last one the account
// is closed.
func (a *pieceTracker) completeRows(rows int) error {
	if a.open.Add(-int64(rows)) > 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.run.job.Journal.Complete(a.piece, a.tally, a.rejects)
	a.endLocked(err)
	if err == nil {
		a.run.countCompleted(a)
	}
	return err
}

// abandon notes what is known of an account that the end of the run leaves unsettled: its
// rejects are kept for the user to see, but a later run will take all of it again.
func (a *pieceTracker) abandon() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	if len(a.rejects) > 0 {
		err = a.run.job.Rejects.Add(a.rejects)
	}
	a.endLocked(err)
	return err
}

// endLocked adds the account to those of all rows; err: its rejects were not kept.
func (a *pieceTracker) endLocked(err error) {
	if err != nil {
		a.tally.forgetRejects()
	}
	a.run.total(a.tally)
	a.run.memory.Release(a.copied)
	a.rejects, a.tally, a.copied = nil, Tally{}, 0
	a.run.openPieces.remove(a)
}

// showProgress counts the text of written rows before their piece is completed, so that progress follows
// the rows. The text of a piece is divided evenly among its rows.
func (a *pieceTracker) showProgress(rows int) {
	all := a.rows.Load()
	if all == 0 || a.slice != 0 {
		return
	}
	now := a.shown.Add(int64(rows))
	a.run.job.Counters.Bytes.Add(shareOf(a.text, now, all) - shareOf(a.text, now-int64(rows), all))
	a.run.job.Counters.Done.Add(shareOf(a.stored, now, all) - shareOf(a.stored, now-int64(rows), all))
}

// shareOf is the shareOf of a number of bytes that some of all rows have.
func shareOf(bytes, rows, all int64) int64 {
	return int64(float64(bytes) * min(float64(rows)/float64(all), 1))
}

// countCompleted counts what of the inputs is dealt with.
func (r *run) countCompleted(a *pieceTracker) {
	shown, all := a.shown.Load(), max(a.rows.Load(), 1)
	r.job.Counters.Bytes.Add(a.text - shareOf(a.text, shown, all))
	r.job.Counters.Slice.Settle(a.slice, &r.job.Counters.Done, a.stored-shareOf(a.stored, shown, all))
}

// openPieces are those that are open. It is safe for concurrent use.
type openPieces struct {
	mu   sync.Mutex
	open map[*pieceTracker]bool
}

func (s *openPieces) add(a *pieceTracker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[a] = true
}

func (s *openPieces) remove(a *pieceTracker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, a)
}

// list gives them by their place in the inputs.
func (s *openPieces) list() []*pieceTracker {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*pieceTracker, 0, len(s.open))
	for a := range s.open {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *pieceTracker) int {
		return cmp.Or(
			cmp.Compare(a.piece.Input, b.piece.Input),
			cmp.Compare(a.piece.Offset, b.piece.Offset),
		)
	})
	return list
}

// countReject counts a row that is not written. Its error may be a *LimitError.
func (r *run) countReject(stage Stage) error {
	switch stage {
	case Parse:
		r.job.Counters.Rejected.Add(1)
		return r.parseErrors.add(1)
	case Insert:
		r.job.Counters.Rejected.Add(1)
		return r.insertErrors.add(1)
	default:
		return nil
	}
}
