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
	kindBegin = "begin"  // of a load: ingest.Piece
	kindPiece = "settle" // of a load: completedPiece; older: with the state of all rejects
	// kindRejects is a completed piece with the changed part of the rejects' state. It has its own
	// name so that an older program does not read that part as the entire state.
	kindRejects = "settle-rejects"
	kindSynced  = "synced" // of a load: the rejects of all completed pieces are on the disk
	kindResumed = "again"  // of both: the run resumes; of a load: resumed
	kindRetry   = "retry"  // of a load: retried
	// kindReading is a change of a load's settings of how text is read: reread. A program that does
	// not know it refuses to resume, instead of reading the rest with the old settings.
	kindReading = "reading"
	kindEnd     = "end" // of both: End

	// A load of many inputs (journal.VersionListed) puts several pieces into one record.
	kindBegun     = "begun"     // begun
	kindCompleted = "completed" // completed; all without rejects
)

// Rejects writes the rejects of a load. The journal records the changes of their state.
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
	mended  []mendedInput // for Resume to record
	packed  bool          // whether a record may have several pieces

	mu       sync.Mutex   // keeps the rejects of a piece and its record together
	unsynced bool         // rejects were added since they were last synced; guarded by mu
	recorded ingest.Tally // of pieces that this process recorded as completed; guarded by mu
	done     doneList     // completed pieces that are not in the journal yet; guarded by mu
	// lost is the first error of syncing rejects; guarded by mu. It stays, since a later sync that
	// succeeds proves nothing.
	lost error
}

// NewLoad starts the journal of a load in a new run directory.
func NewLoad(dir string, m journal.Manifest, files ...journal.File) (*Load, error) {
	j, err := journal.Create(dir, m, files...)
	if err != nil {
		return nil, err
	}
	return &Load{j: j, earlier: &Loaded{}, packed: isPacked(j)}, nil
}

// OpenLoad opens the journal of a load that was stopped. To resume the load, call Resume next.
// Until then, the result of Loaded is not final.
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

// isPacked reports whether a record of the journal may have several pieces.
func isPacked(j *journal.Journal) bool { return j.Manifest().Version >= journal.VersionListed }

// Resume records that the load resumes. missing returns an error if a state of the rejects is not
// on the disk. If the machine went down, the last rejects may be lost although the journal has
// their pieces. Resume then takes these pieces back: they count as begun. If more is missing,
// Resume returns an error and records nothing.
func (l *Load) Resume(missing func(reject.State) error) error {
	e, boot := l.earlier, Boot()
	// Each state includes the one before.
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
		// The machine has not gone down: another program changed the rejects.
		return missing(e.rejectsAfter(kept))
	}
	if err := l.j.Append(kindResumed, resumed{undone, boot, l.mended}); err != nil {
		return err
	}
	if err := e.takeBack(undone); err != nil {
		return err
	}
	return l.j.Sync()
}

// Loaded returns what the journal says of earlier runs.
func (l *Load) Loaded() *Loaded { return l.earlier }

// Manifest returns the manifest of the run.
func (l *Load) Manifest() journal.Manifest { return l.j.Manifest() }

// Use sets where rejects go. If careful, Begin has the record of a piece on the disk before the
// load sends the piece's rows. Rows that must not be written twice, even after a power failure,
// need that.
func (l *Load) Use(r Rejects, careful bool) { l.rejects, l.careful = r, careful }

// EarlierTotals implements ingest.Journal. Before Resume it includes pieces whose rejects Resume
// may find lost.
func (l *Load) EarlierTotals() ingest.Tally { return l.earlier.Known() }

// EarlierPiece implements ingest.Journal.
func (l *Load) EarlierPiece(input int, offset int64) (ingest.Piece, ingest.PieceState) {
	p := l.earlier.pieces.find(input, offset)
	return p.of(input), p.state
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
	// Inputs are read in order.
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
	kind, s := kindPiece, completedPiece{Input: p.Input, Offset: p.Offset, Tally: t}
	rejected := len(rejects) > 0
	if l.packed && !rejected {
		l.done.add(p.Input, p.Offset, t)
		// If careful, rows without a record of completion are in doubt after a kill: do not delay
		// it.
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
	l.recorded.Add(t)
	return nil
}

// appendDoneLocked appends the record of the completed pieces that are not in the journal yet.
func (l *Load) appendDoneLocked() error {
	if len(l.done.places) == 0 {
		return nil
	}
	if err := l.j.Append(kindCompleted, l.done.pack()); err != nil {
		return err
	}
	l.recorded.Add(l.done.tally)
	l.done = doneList{places: l.done.places[:0]}
	return nil
}

// Recorded returns the tally of the pieces that the journal records as completed. A resume writes
// the rows of all other pieces again.
func (l *Load) Recorded() ingest.Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.earlier.Known()
	all.Add(l.recorded)
	return all
}

// SyncEvery calls Sync once per d until stop is called. The next call that writes a record returns
// an error of Sync.
func (l *Load) SyncEvery(d time.Duration) (stop func()) { return every(d, func() { _ = l.Sync() }) }

// Sync writes all records so far to the disk, and the rejects before them.
func (l *Load) Sync() error {
	if err := l.syncRejects(); err != nil {
		return err
	}
	return l.j.Sync()
}

// syncRejects writes the rejects to the disk and records that. No other record comes between.
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

// Reread records new settings of how text is read, and writes the record to the disk. The caller
// calls it between Resume and the first piece.
func (l *Load) Reread(changed Changed) error {
	if len(l.earlier.Readings) >= maxReadings {
		return fmt.Errorf(
			"how text is read was changed %d times, the most that is allowed; resume the load without a change",
			maxReadings,
		)
	}
	if err := l.j.Append(kindReading, reread{changed}); err != nil {
		return err
	}
	return l.j.Sync()
}

// Retry records that files of rejects are loaded again, or were, and writes the record to the disk.
func (l *Load) Retry(files []string, by Retry) error {
	if err := l.j.Append(kindRetry, retried{files, by}); err != nil {
		return err
	}
	return l.j.Sync()
}

// Close records how the run ended, and closes the journal. The caller closes the rejects first,
// which writes them to the disk. If the rejects may be lost, the journal gets no record of the end.
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

// Abandon closes the journal without a record of the end. After Close it does nothing.
func (l *Load) Abandon() error { return l.j.Close() }
