package records

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// completedPiece is the record of a completed piece.
type completedPiece struct {
	Input   int           `json:"input"`
	Offset  int64         `json:"offset"`
	Tally   ingest.Tally  `json:"tally"`
	Rejects *reject.State `json:"rejects,omitempty"` // of changed files, or of all; nil: no rejects
}

// goneOn is the record of a resume.
type goneOn struct {
	// Undone is the number of pieces with rejects, counted from the last completed one, that count
	// as begun again.
	Undone int    `json:"undone,omitempty"`
	Boot   string `json:"boot,omitempty"` // see Boot
	// Mended has the inputs that other files replaced before the load took anything from them.
	Mended []mendedInput `json:"mended,omitempty"`
}

// mendedInput is an input as it is now.
type mendedInput struct {
	Index int `json:"input"` // among the job's inputs
	Input
}

// Changed has settings of how text is read, by name, in the format of run.json.
type Changed map[string][]string

// reread is the record of a change in how text is read.
type reread struct {
	Settings Changed `json:"settings"` // those that changed
}

// maxReadings is far above any realistic number of changes, and fits into the field of a piece.
const maxReadings = 1000

// retried is the record of a load of rejects.
type retried struct {
	Files []string `json:"files"` // their names
	Retry
}

// Retry is a load of rejects that has begun or ended.
type Retry struct {
	Run string `json:"run"` // of its manifest
	Dir string `json:"dir"` // the name of its run directory, which is in that of the first load
	// Reading has its settings of how text is read that differ from those at the first load's end.
	Reading Changed `json:"reading,omitempty"`
	Done    bool    `json:"done,omitempty"` // all of it was loaded, and its run directory removed
	// AsOfNow reports whether the rows got timestamps of the time of the retry.
	AsOfNow bool      `json:"as_of_now,omitempty"`
	From    int       `json:"from,omitempty"` // of a record: the index of its first row
	Rows    TriedRows `json:"rows,omitempty"` // of one file; nil: they are not known
}

// Loaded is the content of a load's journal.
type Loaded struct {
	Tally   ingest.Tally     // of the completed pieces
	Bytes   int64            // of the completed pieces
	Pieces  int              // number of completed pieces
	Open    []ingest.Piece   // begun and not completed
	Rejects reject.State     // of the completed pieces
	Retried map[string]Retry // by the name of a file of rejects
	Step    uint16           // the largest Tried.Step of all retries
	// Readings has the changes that resumes made in how text is read, the oldest first.
	Readings []Changed
	End      *End // of the last run; nil if it was stopped before it could record one

	pieces   pieces
	unsynced []completedPiece // completed, with rejects that may not be on the disk
	stamped  int64            // above the timestamps of all records
	boot     string           // see Boot; of the last run, if it was a resume
	mended   map[int]Input
}

// apply adds one record.
func (l *Loaded) apply(r journal.Record) error {
	switch r.Kind {
	case kindBegin:
		var p ingest.Piece
		if err := r.Decode(&p); err != nil {
			return err
		}
		if err := place(p.Input, p.Offset); err != nil {
			return err
		}
		l.begin(p)
		l.End = nil
	case kindBegun:
		var b begun
		if err := r.Decode(&b); err != nil {
			return err
		}
		l.End = nil
		return b.each(func(p ingest.Piece) error {
			if err := place(p.Input, p.Offset); err != nil {
				return err
			}
			l.begin(p)
			return nil
		})
	case kindCompleted:
		var c completed
		if err := r.Decode(&c); err != nil {
			return err
		}
		l.End = nil
		l.Tally.Add(c.Tally)
		return c.each(func(input int, offset int64) error {
			s := completedPiece{Input: input, Offset: offset}
			if err := place(input, offset); err != nil {
				return err
			}
			l.count(s)
			return l.setState(s, ingest.PieceCompleted)
		})
	case kindComplete, kindRejects:
		var s completedPiece
		if err := r.Decode(&s); err != nil {
			return err
		}
		if err := place(s.Input, s.Offset); err != nil {
			return err
		}
		if s.Rejects != nil {
			l.unsynced = append(l.unsynced, s)
		} else {
			l.count(s)
		}
		l.End = nil
		return l.setState(s, ingest.PieceCompleted)
	case kindSynced:
		l.confirm(len(l.unsynced))
	case kindAgain:
		var g goneOn
		if err := r.Decode(&g); err != nil {
			return err
		}
		l.End, l.boot = nil, g.Boot
		for _, m := range g.Mended {
			if l.mended == nil {
				l.mended = make(map[int]Input)
			}
			l.mended[m.Index] = m.Input
		}
		return l.takeBack(g.Undone)
	case kindRetry:
		var retry retried
		if err := r.Decode(&retry); err != nil {
			return err
		}
		if l.Retried == nil {
			l.Retried = make(map[string]Retry)
		}
		for _, name := range retry.Files {
			l.Retried[name] = retry.after(l.Retried[name])
		}
		for _, row := range retry.Rows {
			l.Step = max(l.Step, row.Step)
		}
	case kindReading:
		var change reread
		if err := r.Decode(&change); err != nil {
			return err
		}
		if len(l.Readings) >= maxReadings {
			return fmt.Errorf(
				"record %d: more than %d changes of how text is read",
				r.Seq,
				maxReadings,
			)
		}
		l.Readings = append(l.Readings, change.Settings)
	case kindEnd:
		l.confirm(len(l.unsynced))
		l.End = new(End)
		return r.Decode(l.End)
	default:
		return fmt.Errorf("a record of kind %q is none of a load", r.Kind)
	}
	return nil
}

// begin adds a piece that is begun for the first time, or again.
func (l *Loaded) begin(p ingest.Piece) {
	l.stamped = max(l.stamped, p.Stamp+ingest.MaxStampStep*int64(p.Count))
	known := l.pieces.at(p.Input, p.Offset)
	if known.standing != ingest.PieceNew {
		known.repeats = p.Repeats
		return
	}
	*known = piece{
		p.Offset,
		p.Stamp,
		p.Hash,
		p.Line,
		p.Bytes,
		ingest.PieceBegun,
		p.Repeats,
		uint16(len(l.Readings)),
	}
}

// setState sets the state of a piece.
func (l *Loaded) setState(s completedPiece, to ingest.PieceState) error {
	p := l.pieces.at(s.Input, s.Offset)
	if p.standing == to {
		return fmt.Errorf("the piece of input %d at byte %d is completed twice", s.Input, s.Offset)
	}
	p.standing = to
	return nil
}

// count adds a completed piece to the totals.
func (l *Loaded) count(s completedPiece) {
	l.Tally.Add(s.Tally)
	l.Bytes += int64(l.pieces.at(s.Input, s.Offset).bytes)
	l.Pieces++
	if s.Rejects != nil {
		l.Rejects.Update(*s.Rejects)
	}
}

// rejectsAfter returns the state of the rejects after the i-th of the unsynced pieces.
func (l *Loaded) rejectsAfter(i int) reject.State {
	state := l.Rejects.Clone()
	for _, s := range l.unsynced[:i+1] {
		state.Update(*s.Rejects)
	}
	return state
}

// confirm counts the first n of the unsynced pieces. Their rejects are on the disk, or count as if
// they were.
func (l *Loaded) confirm(n int) {
	for _, s := range l.unsynced[:n] {
		l.count(s)
	}
	l.unsynced = append(l.unsynced[:0], l.unsynced[n:]...)
}

// takeBack sets the last n of the unsynced pieces back to begun, since their rejects are lost. It
// confirms all others.
func (l *Loaded) takeBack(n int) error {
	kept := len(l.unsynced) - n
	if n < 0 || kept < 0 {
		return fmt.Errorf("%d pieces cannot be undone, of %d", n, len(l.unsynced))
	}
	for _, s := range l.unsynced[kept:] {
		if err := l.setState(s, ingest.PieceBegun); err != nil {
			return err
		}
	}
	l.unsynced = l.unsynced[:kept]
	l.confirm(kept)
	return nil
}

// Known returns the tally of all completed pieces, with those whose rejects GoOn may find lost.
func (l *Loaded) Known() ingest.Tally {
	t := l.Tally
	for _, s := range l.unsynced {
		t.Add(s.Tally)
	}
	return t
}

// Begun returns the number of pieces that are begun and not completed.
func (l *Loaded) Begun() (n int) {
	for _, all := range l.pieces {
		for _, p := range all {
			if p.standing == ingest.PieceBegun {
				n++
			}
		}
	}
	return n
}

// listOpen sets Open to the pieces that are begun and not completed.
func (l *Loaded) listOpen() {
	l.Open = nil
	for input, all := range l.pieces {
		for _, p := range all {
			if p.standing == ingest.PieceBegun {
				l.Open = append(l.Open, p.of(input))
			}
		}
	}
}

// ReadLoad reads the journal of a load, which may be under way.
func ReadLoad(dir string) (journal.Status, *Loaded, error) {
	l := &Loaded{}
	status, err := journal.Read(dir, l.apply)
	l.confirm(len(l.unsynced))
	l.listOpen()
	return status, l, err
}
