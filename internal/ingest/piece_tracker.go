package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// pieceTracker counts what becomes of the rows of a piece, and keeps its rejects. When the last row
// was written or rejected, it completes the piece in the journal. It is a write.Tracker.
type pieceTracker struct {
	run     *run
	piece   Piece
	place   format.Chunk // that it was made from, without the text
	file    *file
	views   []*view // that its records are read by
	repeats uint8   // how often its rows were written again, this time included
	begun   bool    // an earlier run had begun it
	begins  bool    // the journal is to note it before its rows are sent
	// its rows may have been written before, and writing them again may count twice
	inDoubt bool
	text    int64        // bytes of its text
	stored  int64        // of the input, as it is stored
	slice   int64        // of those, what counts as read before it is dealt with
	rows    atomic.Int64 // that were made of it, once all were; 0 before
	shown   atomic.Int64 // of those, rows whose share of the text was counted
	open    atomic.Int64 // rows that are not completed, and one for the parser

	mu    sync.Mutex
	chunk *chunk // that it was made from; nil when all of its rows are released
	// bytes of memory for rejects that outlast the chunk, and for their other bad fields
	copied  int64
	tally   Tally
	rejects []Reject // in no order
}

// Begun is a method of write.Piece.
func (p *pieceTracker) Begun() bool { return p.begun }

// Ready is a method of write.Piece.
func (p *pieceTracker) Ready(rows int) {
	p.run.countTaken(rows)
	p.run.job.Counters.Ready.Add(int64(rows))
	if p.slice == 0 { // the rows of a second view are counted separately
		p.slice = p.stored
		p.run.job.Counters.Slice.Add(p.slice)
	}
}

// Written is a method of write.Piece.
func (p *pieceTracker) Written(rows int, sum rowsum.Sum) error {
	p.run.job.Counters.Rows.Add(int64(rows))
	p.run.countTaken(rows)
	p.add(Tally{Written: int64(rows), Sum: sum})
	p.showProgress(rows)
	return p.completeRows(rows)
}

// NotApplied is a method of write.Piece.
func (p *pieceTracker) NotApplied(r *write.Row, reason error) error {
	p.run.countTaken(1)
	rej := p.rejected(r, NotApplied, reason)
	var found interface{ Found() []row.Value }
	if errors.As(reason, &found) {
		rej.Found = found.Found()
	}
	return errors.Join(p.keepReject(rej), p.completeRows(1))
}

// rejected returns a row as a reject.
func (p *pieceTracker) rejected(r *write.Row, stage Stage, reason error) Reject {
	return Reject{
		File: p.file.name, Header: p.file.header, Raw: r.Raw, Line: r.Line, Field: r.Column,
		Offset: r.Offset, Stamp: r.Stamp, Repeats: p.repeats, Reason: reason.Error(), Stage: stage,
	}
}

// Reject is a method of write.Piece.
func (p *pieceTracker) Reject(r *write.Row, why write.Outcome, reason error) error {
	stage := Insert
	if why == write.InDoubt {
		stage = InDoubt
	}
	enough := p.keepReject(p.rejected(r, stage, reason))
	if why == write.Refused && enough == nil {
		enough = p.run.countRefused(1)
	}
	if err := p.completeRows(1); err != nil {
		return errors.Join(enough, err)
	}
	return enough
}

// Release is a method of write.Piece.
func (p *pieceTracker) Release(rows int) { p.run.free(p.chunk, rows) }

// add counts rows.
func (p *pieceTracker) add(t Tally) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.Add(t)
}

// keepReject keeps a row that is not written. Its error may be a *LimitError.
func (p *pieceTracker) keepReject(rej Reject) error {
	p.mu.Lock()
	p.rejects = append(p.rejects, rej)
	more := int64(len(rej.More)+len(rej.Found)) * rejectMemory
	for _, v := range rej.Found {
		more += int64(len(v.Bytes))
	}
	if more > 0 {
		p.run.memory.Resize(p.copied, p.copied+more)
		p.copied += more
	}
	if p.chunk == nil {
		p.copyLocked(len(p.rejects) - 1)
	}
	switch rej.Stage {
	case Parse:
		p.tally.ParseErrors++
	case Insert:
		p.tally.InsertErrors++
	case InDoubt:
		p.tally.InDoubt++
	case NotApplied:
		p.tally.Existing++
	}
	p.mu.Unlock()
	return p.run.countReject(rej.Stage)
}

// copyLocked copies the bytes of the rejects from the given one on.
func (p *pieceTracker) copyLocked(from int) {
	before := p.copied
	for i := range p.rejects[from:] {
		rej := &p.rejects[from+i]
		rej.Raw = bytes.Clone(rej.Raw)
		p.copied += int64(len(rej.Raw)) + rejectMemory
	}
	p.run.memory.Resize(before, p.copied)
}

// detach copies what the rejects need of the chunk, whose memory is reused.
func (p *pieceTracker) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chunk = nil
	p.copyLocked(0)
}

// completeRows subtracts rows from those that are open. With the last one it completes the piece in
// the journal.
func (p *pieceTracker) completeRows(rows int) error {
	if p.open.Add(-int64(rows)) > 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.run.job.Journal.Complete(p.piece, p.tally, p.rejects)
	p.endLocked(err)
	if err == nil {
		p.run.countCompleted(p)
	}
	return err
}

// abandon writes the rejects of a piece that the run has not completed. A later run loads the whole
// piece again.
func (p *pieceTracker) abandon() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if len(p.rejects) > 0 {
		err = p.run.job.Rejects.Add(p.rejects)
	}
	p.endLocked(err)
	return err
}

// endLocked adds the piece's rows to the totals, and frees its memory. err: its rejects could not
// be written.
func (p *pieceTracker) endLocked(err error) {
	if err != nil {
		p.tally.forgetRejects()
	}
	p.run.total(p.tally)
	p.run.memory.Release(p.copied)
	p.rejects, p.tally, p.copied = nil, Tally{}, 0
	p.run.openPieces.remove(p)
}

// showProgress counts the text of written rows before their piece is completed, so that progress
// follows the rows. The text of a piece is divided evenly among its rows.
func (p *pieceTracker) showProgress(rows int) {
	all := p.rows.Load()
	if all == 0 || p.slice != 0 {
		return
	}
	now := p.shown.Add(int64(rows))
	before := now - int64(rows)
	c := p.run.job.Counters
	c.Bytes.Add(shareOf(p.text, now, all) - shareOf(p.text, before, all))
	c.Done.Add(shareOf(p.stored, now, all) - shareOf(p.stored, before, all))
}

// shareOf returns the share of a number of bytes that some of all rows have.
func shareOf(bytes, rows, all int64) int64 {
	return int64(float64(bytes) * min(float64(rows)/float64(all), 1))
}

// countCompleted counts the bytes of a completed piece that showProgress has not counted.
func (r *run) countCompleted(p *pieceTracker) {
	shown, all := p.shown.Load(), max(p.rows.Load(), 1)
	r.job.Counters.Bytes.Add(p.text - shareOf(p.text, shown, all))
	stored := p.stored - shareOf(p.stored, shown, all)
	r.job.Counters.Slice.Complete(p.slice, &r.job.Counters.Done, stored)
}

// openPieces are the pieces that are read and not completed. It is safe for concurrent use.
type openPieces struct {
	mu   sync.Mutex
	open map[*pieceTracker]bool
}

func (s *openPieces) add(p *pieceTracker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[p] = true
}

func (s *openPieces) remove(p *pieceTracker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, p)
}

// list returns the pieces in the order of the inputs.
func (s *openPieces) list() []*pieceTracker {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*pieceTracker, 0, len(s.open))
	for p := range s.open {
		list = append(list, p)
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
		return r.parseErrors.add(1, r.countRead())
	case Insert:
		r.job.Counters.Rejected.Add(1)
		return r.insertErrors.add(1, r.countRead())
	default:
		return nil
	}
}
