package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reread"
)

// refuseReading refuses to read the rest of the inputs otherwise than the rows that are loaded,
// unless the user wants to keep these.
func (l *Load) refuseReading() error {
	if l.reread.KeepLoaded {
		return nil
	}
	resumed := reread.Resumed{
		Load:        &l.spec,
		Table:       l.t.Schema,
		Changes:     l.reread.Now,
		CountsTwice: l.countsTwice,
		RunDir:      l.run.path,
	}
	known, begun := l.journal.Loaded().Known(), l.journal.Loaded().Begun()
	return resumed.Refuse(known.Written+known.Existing, begun)
}

// Rereading is what a change in how text is read means for the rows of a run.
type Rereading struct {
	Settings []recorded.Change
	Loaded   int64 // rows that are in, and stay as they were read
	Rejected int64 // rows that were rejected before
	Retried  bool  // those are what is read now; else the rest of the inputs is
}

// Rereading says what this run changes in how text is read; nil: nothing.
func (l *Load) Rereading() *Rereading {
	if len(l.reread.Now) == 0 {
		return nil
	}
	r := &Rereading{Settings: l.reread.Now, Retried: l.retried != nil && !l.run.continued}
	count := func(t ingest.Tally) { r.Loaded, r.Rejected = t.Written+t.Existing, t.Rejected() }
	switch {
	case r.Retried:
		count(l.retried.Loaded().Known())
		r.Rejected = l.retried.Rows
	case l.journal != nil:
		count(l.journal.Loaded().Known())
	}
	return r
}
