package loadtest

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// Recorder keeps the rejects of a load.
type Recorder struct {
	mu sync.Mutex

	Rejects []ingest.Reject
	Long    []int // those of them that came in pieces
	Fail    error // what Add and AddPiece return
}

// Add keeps rejects, and returns Fail.
func (r *Recorder) Add(rejects []ingest.Reject) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rej := range rejects {
		if rej.Long {
			continue // its bytes have come
		}
		rej.Raw = bytes.Clone(rej.Raw)
		r.Rejects = append(r.Rejects, rej)
	}
	return r.Fail
}

// AddPiece keeps a part of a reject that is too long for memory, and returns Fail.
func (r *Recorder) AddPiece(rej ingest.Reject, first, _ bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first {
		r.Long = append(r.Long, len(r.Rejects))
		r.Rejects = append(r.Rejects, rej)
		r.Rejects[len(r.Rejects)-1].Raw = nil
	}
	whole := &r.Rejects[r.Long[len(r.Long)-1]]
	whole.Raw = append(whole.Raw, rej.Raw...)
	return r.Fail
}

// Sorted returns the rejects in the order of the input.
func (r *Recorder) Sorted() []ingest.Reject {
	slices.SortFunc(r.Rejects, func(a, b ingest.Reject) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return int(a.Offset - b.Offset)
	})
	return r.Rejects
}

// ForgetfulJournal is a journal that keeps rejects and nothing else: every piece is new to it.
type ForgetfulJournal struct{ Rejects ingest.Rejects }

// EarlierTotals returns an empty tally.
func (ForgetfulJournal) EarlierTotals() ingest.Tally { return ingest.Tally{} }

// EarlierPiece reports that a piece is new.
func (ForgetfulJournal) EarlierPiece(int, int64) (ingest.Piece, ingest.PieceState) {
	return ingest.Piece{}, ingest.PieceNew
}

// Seen returns 0: no input was read before.
func (ForgetfulJournal) Seen(int) int64 { return 0 }

// ResumePoint reports that no piece remains.
func (ForgetfulJournal) ResumePoint(int) (ingest.Piece, bool) { return ingest.Piece{}, false }

// NextTimestamp returns 0: no row has a timestamp.
func (ForgetfulJournal) NextTimestamp() int64 { return 0 }

// Begin records nothing.
func (ForgetfulJournal) Begin(...ingest.Piece) error { return nil }

// Complete passes the rejects on.
func (j ForgetfulJournal) Complete(_ ingest.Piece, _ ingest.Tally, rejects []ingest.Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	return j.Rejects.Add(rejects)
}

// PieceJournal is a journal in memory: it knows what an earlier run did with its one input.
type PieceJournal struct {
	ForgetfulJournal
	Pieces   map[int64]ingest.Piece      // by offset
	Standing map[int64]ingest.PieceState // by offset

	mu sync.Mutex
}

// NewPieceJournal returns a journal without pieces.
func NewPieceJournal(rejects ingest.Rejects) *PieceJournal {
	return &PieceJournal{
		ForgetfulJournal: ForgetfulJournal{rejects},
		Pieces:           make(map[int64]ingest.Piece),
		Standing:         make(map[int64]ingest.PieceState),
	}
}

// EarlierPiece returns the piece at an offset, as it was recorded.
func (j *PieceJournal) EarlierPiece(_ int, offset int64) (ingest.Piece, ingest.PieceState) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Pieces[offset], j.Standing[offset]
}

// Seen returns where the last recorded piece ends.
func (j *PieceJournal) Seen(int) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	var end int64
	for offset, p := range j.Pieces {
		end = max(end, offset+max(int64(p.Bytes), 1))
	}
	return end
}

// Begin records pieces as begun.
func (j *PieceJournal) Begin(pieces ...ingest.Piece) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range pieces {
		j.Pieces[p.Offset], j.Standing[p.Offset] = p, ingest.PieceBegun
	}
	return nil
}

// Complete records a piece as completed.
func (j *PieceJournal) Complete(p ingest.Piece, t ingest.Tally, rejects []ingest.Reject) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Pieces[p.Offset], j.Standing[p.Offset] = p, ingest.PieceCompleted
	return j.ForgetfulJournal.Complete(p, t, rejects)
}
