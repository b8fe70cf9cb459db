package records

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// The kinds of records.
const (
	kindBegin  = "begin"  // of a load: ingest.Piece
	kindSettle = "settle" // of a load: settled, in older journals with the state of all rejects
	// kindRejects is a settle with what of the rejects has changed. It has a name of its own
	// lest an older program takes that for all of them.
	kindRejects = "settle-rejects"
	kindSynced  = "synced" // of a load: the rejects of all pieces settled so far are on the disk
	kindAgain   = "again"  // of both: the run goes on; of a load: goneOn
	kindRetry   = "retry"  // of a load: retried
	// kindReading is of a load: what comes now is read otherwise; reread. A program that does not
	// know it refuses to go on, rather than read the rest as before.
	kindReading = "reading"
	kindEnd     = "end" // of both: End

	// A load of many inputs (journal.VersionListed) has pieces begun and settled that come several
	// to a record.
	kindBegun     = "begun"     // begun
	kindCompleted = "completed" // completed; all without rejects
)

// Rejects are the rejects of a load; a journal keeps what changes of their state.
type Rejects interface {
	ingest.Rejects
	Changed() (reject.State, error)
	Sync() error
}

// Load is the journal of a load. It is safe for concurrent use.
type Load struct {
	j       *journal.Journal
	rejects Rejects
	careful bool
	earlier *Loaded
	mended  []mendedInput // that GoOn is to note
	packed  bool          // records may stand for several pieces

	mu       sync.Mutex   // a piece's rejects and its record go together
	unsynced bool         // rejects were added since they were last synced; guarded by mu
	settled  ingest.Tally // of the pieces that this process settled; guarded by mu
	done     doneList     // settled and not in the journal yet; guarded by mu
	// from syncing rejects; it stays, since a later sync proves nothing; guarded by mu
	lost error
}

// NewLoad begins the journal of a load in a new run directory.
func NewLoad(dir string, m journal.Manifest, files ...journal.File) (*Load, error) {
	j, err := journal.Create(dir, m, files...)
	if err != nil {
		return nil, err
	}
	return &Load{j: j, earlier: &Loaded{}, packed: isPacked(j)}, nil
}

// OpenLoad opens the journal of a load that was stopped. To go on with it, call GoOn
// next; what Loaded tells is settled only then.
func OpenLoad(dir string) (*Load, error) {
	l := &Loaded{}
	j, err := journal.Open(dir, l.apply)
	if err != nil {
		return nil, err
	}
	extra, err := ExtraOf(j.Manifest())
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if l.boot == "" {
		l.boot = extra.Boot
	}
	return &Load{j: j, earlier: l, packed: isPacked(j)}, nil
}

// isPacked reports whether records of a journal may stand for several pieces.
func isPacked(j *journal.Journal) bool { return j.Manifest().Version >= journal.VersionListed }

// GoOn notes that the load goes on. missing says what is not on the disk of a state of
// the rejects. When the machine went down, and not just the process, the last rejects may
// be lost although the journal has their pieces: those count as begun again. That more
// is missing is an error, and then nothing is noted.
func (l *Load) GoOn(missing func(reject.State) error) error {
	e, boot := l.earlier, Boot()
	// Each state holds the one before.
	kept := sort.Search(
		len(e.unsynced),
		func(i int) bool { return missing(e.rejectsAfter(i)) != nil },
	)
	undone := len(e.unsynced) - kept
	if kept == 0 {
		if err := missing(e.Rejects); err != nil {
			return err
		}
	}
	if undone > 0 && boot != "" && boot == e.boot {
		// The machine has not gone down: somebody else changed them.
		return missing(e.rejectsAfter(kept))
	}
	if err := l.j.Append(kindAgain, goneOn{undone, boot, l.mended}); err != nil {
		return err
	}
	if err := e.takeBack(undone); err != nil {
		return err
	}
	return l.j.Sync()
}

// Loaded tells what earlier runs did.
func (l *Load) Loaded() *Loaded { return l.earlier }

// Manifest says what the run is.
func (l *Load) Manifest() journal.Manifest { return l.j.Manifest() }

// Use says where rejects go, and whether a piece must be known to have begun, even
// after a power failure, before its rows are sent: those that must not be written
// twice.
func (l *Load) Use(r Rejects, careful bool) { l.rejects, l.careful = r, careful }

// EarlierTotals implements ingest.Journal. Before GoOn it has the pieces whose rejects may turn out
// to be lost.
func (l *Load) EarlierTotals() ingest.Tally { return l.earlier.Known() }

// EarlierPiece implements ingest.Journal.
func (l *Load) EarlierPiece(input int, offset int64) (ingest.Piece, ingest.PieceState) {
	p := l.earlier.pieces.find(input, offset)
	return p.of(input), p.standing
}

// Seen implements ingest.Journal.
func (l *Load) Seen(input int) int64 {
	if input >= len(l.earlier.pieces) || len(l.earlier.pieces[input]) == 0 {
		return 0
	}
	all := l.earlier.pieces[input]
	last := all[len(all)-1]
	return last.offset + max(int64(last.bytes), 1)
}

// ResumePoint implements ingest.Journal.
func (l *Load) ResumePoint(input int) (ingest.Piece, bool) {
	all := l.earlier.pieces
	if input >= len(all) {
		return ingest.Piece{}, false
	}
	from, open := left(all[input])
	// Inputs are read one after the other.
	return from.of(input), !open && input < len(all)-1
}

// NextTimestamp implements ingest.Journal.
func (l *Load) NextTimestamp() int64 { return l.earlier.stamped }

// Begin implements ingest.Journal.
func (l *Load) Begin(pieces ...ingest.Piece) error {
	if l.packed {
		if err := l.j.Append(kindBegun, packBegun(pieces)); err != nil {
			return err
		}
	} else {
		for _, p := range pieces {
			if err := l.j.Append(kindBegin, p); err != nil {
				return err
			}
		}
	}
	if !l.careful {
		return nil
	}
	return l.j.Sync()
}

// Complete implements ingest.Journal.
func (l *Load) Complete(p ingest.Piece, t ingest.Tally, rejects []ingest.Reject) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	kind, s := kindSettle, settled{Input: p.Input, Offset: p.Offset, Tally: t}
	rejected := t.ParseErrors+t.InsertErrors+t.InDoubt > 0
	if l.packed && !rejected {
		l.done.add(p.Input, p.Offset, t)
		// What must not be written twice is in doubt after a kill until its record is written.
		if !l.careful && len(l.done.places) < mostPacked {
			return nil
		}
		return l.appendDoneLocked()
	}
	if rejected {
		if err := l.rejects.Add(rejects); err != nil {
			return err
		}
		changed, err := l.rejects.Changed()
		if err != nil {
			return err
		}
		kind, s.Rejects = kindRejects, &changed
		l.unsynced = true
	}
	if err := l.j.Append(kind, s); err != nil {
		return err
	}
	l.settled.Add(t)
	return nil
}

// appendDoneLocked appends the record of the pieces that are settled and not in the journal yet.
func (l *Load) appendDoneLocked() error {
	if len(l.done.places) == 0 {
		return nil
	}
	if err := l.j.Append(kindCompleted, l.done.pack()); err != nil {
		return err
	}
	l.settled.Add(l.done.tally)
	l.done = doneList{places: l.done.places[:0]}
	return nil
}

// Recorded returns the tally of the pieces that the journal records as completed. A resume writes
// the rows of all other pieces again.
func (l *Load) Recorded() ingest.Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.earlier.Known()
	all.Add(l.settled)
	return all
}

// SyncEvery syncs again and again until stop is called. Its errors come up with
// whatever is noted next.
func (l *Load) SyncEvery(d time.Duration) (stop func()) { return every(d, func() { _ = l.Sync() }) }

// Sync has everything noted so far on the disk, rejects first.
func (l *Load) Sync() error {
	if err := l.syncRejects(); err != nil {
		return err
	}
	return l.j.Sync()
}

// syncRejects has the rejects on the disk, and notes it: no other record comes between.
func (l *Load) syncRejects() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	if err := l.appendDoneLocked(); err != nil || !l.unsynced {
		return err
	}
	if l.lost = l.rejects.Sync(); l.lost != nil {
		return l.lost
	}
	l.unsynced = false
	return l.j.Append(kindSynced, struct{}{})
}

// Reread notes that text is read otherwise from now on, and has it on the disk. It comes
// between GoOn and the first piece.
func (l *Load) Reread(changed Changed) error {
	if len(l.earlier.Readings) >= maxReadings {
		return fmt.Errorf(
			"how text is read was changed %d times: it is enough; the load goes on without a change",
			maxReadings,
		)
	}
	if err := l.j.Append(kindReading, reread{changed}); err != nil {
		return err
	}
	return l.j.Sync()
}

// Retry notes that files of rejects are loaded again, or have been, and has it on the disk.
func (l *Load) Retry(files []string, by Retry) error {
	if err := l.j.Append(kindRetry, retried{files, by}); err != nil {
		return err
	}
	return l.j.Sync()
}

// Close ends the journal with how the run ended, once the rejects are closed, which
// has them on the disk. When they may not be, it is left without an end.
func (l *Load) Close(e End) error {
	l.mu.Lock()
	lost := l.lost
	if lost == nil {
		lost = l.appendDoneLocked()
	}
	l.mu.Unlock()
	if lost != nil {
		return errors.Join(lost, l.j.Close())
	}
	return closeJournal(l.j, e)
}

// Abandon lets go of a run without a word about it. It does nothing after Close.
func (l *Load) Abandon() error { return l.j.Close() }
