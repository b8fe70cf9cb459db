// Package resume keeps, in a run directory, what scans and loads have done, and
// reads it when they go on after they were stopped, in whatever way.
//
// It gives the records of a journal (package journal) their meaning. A load notes
// the pieces of its inputs that it has begun and settled; a scan notes the token
// ranges whose rows are in its output, and how far the output's files are.
package resume

import (
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/reject"
)

// The kinds of records.
const (
	kindBegin  = "begin"  // of a load: load.Piece
	kindSettle = "settle" // of a load: settled
	kindRetry  = "retry"  // of a load: what was rejected is loaded again
	kindEnd    = "end"    // of both: End
)

// Rejects are the rejects of a load whose state can be kept.
type Rejects interface {
	load.Rejects
	State() (reject.State, error)
	Sync() error
}

// place is where a piece begins.
type place struct {
	input  int
	offset int64
}

// settled is the record of a piece that is done.
type settled struct {
	Input   int           `json:"input"`
	Offset  int64         `json:"offset"`
	Tally   load.Tally    `json:"tally"`
	Rejects *reject.State `json:"rejects,omitempty"` // where it has changed
}

// Loaded is what the journal of a load says.
type Loaded struct {
	Tally   load.Tally   // of the pieces settled
	Bytes   int64        // of those
	Pieces  int          // settled
	Open    []load.Piece // begun and not settled
	Rejects reject.State
	Retried bool // what was rejected was loaded again, or begun to be
	End     *End // of the last run; nil when it did not come to one

	pieces map[place]known
}

type known struct {
	load.Piece
	standing load.Standing
}

func newLoaded() *Loaded { return &Loaded{pieces: make(map[place]known)} }

// take reads one record.
func (l *Loaded) take(r journal.Record) error {
	switch r.Kind {
	case kindBegin:
		var p load.Piece
		if err := r.Decode(&p); err != nil {
			return err
		}
		at := place{p.Input, p.Offset}
		if _, ok := l.pieces[at]; !ok {
			l.pieces[at] = known{p, load.Begun}
		}
		l.End = nil
	case kindSettle:
		var s settled
		if err := r.Decode(&s); err != nil {
			return err
		}
		at := place{s.Input, s.Offset}
		p := l.pieces[at]
		if p.standing == load.Settled {
			return fmt.Errorf("the piece of input %d at byte %d is settled twice", s.Input, s.Offset)
		}
		p.standing = load.Settled
		l.pieces[at] = p
		l.Tally.Add(s.Tally)
		l.Bytes += int64(p.Bytes)
		l.Pieces++
		if s.Rejects != nil {
			l.Rejects = *s.Rejects
		}
		l.End = nil
	case kindRetry:
		l.Retried = true
	case kindEnd:
		l.End = new(End)
		return r.Decode(l.End)
	default:
		return fmt.Errorf("a record of kind %q is none of a load", r.Kind)
	}
	return nil
}

// open lists what is begun and not settled.
func (l *Loaded) open() {
	for _, p := range l.pieces {
		if p.standing == load.Begun {
			l.Open = append(l.Open, p.Piece)
		}
	}
}

// ReadLoad reads the journal of a load, which may be under way.
func ReadLoad(dir string) (journal.Status, *Loaded, error) {
	l := newLoaded()
	status, err := journal.Read(dir, l.take)
	l.open()
	return status, l, err
}

// Load is the journal of a load. It is safe for concurrent use.
type Load struct {
	j       *journal.Journal
	rejects Rejects
	careful bool
	earlier *Loaded

	mu sync.Mutex // a piece's rejects and its record go together
}

// NewLoad begins the journal of a load in a new run directory.
func NewLoad(dir string, m journal.Manifest) (*Load, error) {
	j, err := journal.Create(dir, m)
	if err != nil {
		return nil, err
	}
	return &Load{j: j, earlier: newLoaded()}, nil
}

// OpenLoad goes on with the journal of a load that was stopped.
func OpenLoad(dir string) (*Load, error) {
	l := newLoaded()
	j, err := journal.Open(dir, l.take)
	if err != nil {
		return nil, err
	}
	l.open()
	return &Load{j: j, earlier: l}, nil
}

// Loaded tells what earlier runs did.
func (l *Load) Loaded() *Loaded { return l.earlier }

// Manifest says what the run is.
func (l *Load) Manifest() journal.Manifest { return l.j.Manifest() }

// Use says where rejects go, and whether a piece must be known to have begun, even
// after a power failure, before its rows are sent: those that must not be written
// twice.
func (l *Load) Use(r Rejects, careful bool) { l.rejects, l.careful = r, careful }

// Carried implements load.Journal.
func (l *Load) Carried() load.Tally { return l.earlier.Tally }

// Earlier implements load.Journal.
func (l *Load) Earlier(input int, offset int64) (load.Piece, load.Standing) {
	p := l.earlier.pieces[place{input, offset}]
	return p.Piece, p.standing
}

// Seen implements load.Journal.
func (l *Load) Seen(input int) int64 {
	var end int64
	for at, p := range l.earlier.pieces {
		if at.input == input {
			end = max(end, at.offset+int64(p.Bytes), at.offset+1)
		}
	}
	return end
}

// Begin implements load.Journal.
func (l *Load) Begin(p load.Piece) error {
	if err := l.j.Append(kindBegin, p); err != nil || !l.careful {
		return err
	}
	return l.j.Sync()
}

// Settle implements load.Journal.
func (l *Load) Settle(p load.Piece, t load.Tally, rejects []load.Reject) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := settled{Input: p.Input, Offset: p.Offset, Tally: t}
	if t.ParseErrors+t.InsertErrors+t.InDoubt > 0 {
		if err := l.rejects.Add(rejects); err != nil {
			return err
		}
		state, err := l.rejects.State()
		if err != nil {
			return err
		}
		s.Rejects = &state
	}
	return l.j.Append(kindSettle, s)
}

// SyncEvery syncs again and again until stop is called. Its errors come up with
// whatever is noted next.
func (l *Load) SyncEvery(d time.Duration) (stop func()) { return every(d, func() { _ = l.Sync() }) }

// Sync has everything noted so far on the disk, rejects first.
func (l *Load) Sync() error {
	// No record may come between: it would be on the disk before its rejects.
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.rejects.Sync(); err != nil {
		return err
	}
	return l.j.Sync()
}

// Retry notes that what was rejected is loaded again.
func (l *Load) Retry() error {
	if err := l.j.Append(kindRetry, struct{}{}); err != nil {
		return err
	}
	return l.j.Sync()
}

// Close ends the journal with how the run ended.
func (l *Load) Close(e End) error { return closeJournal(l.j, e) }

// Abandon lets go of a run without a word about it. It does nothing after Close.
func (l *Load) Abandon() error { return l.j.Close() }
