package status

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/owner"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
)

// State is how a run of a folder stands.
type State string

// The states.
const (
	Running  State = "running"
	Stopped  State = "stopped"  // before its end
	Partly   State = "partly"   // at its end, and some of it failed
	Retried  State = "retried"  // so, but what failed was tried again by another run
	Complete State = "complete" // nothing is left to do
	Damaged  State = "damaged"  // it cannot be read

	Unreadable State = "unreadable" // this user may not read it
)

// Run is a run that left something in a folder.
type Run struct {
	Path           string // of its run directory, or of the manifest of its output
	Command, Table string // empty of a damaged one
	Target         recorded.Target
	State          State
	Started        time.Time // of a damaged one when its folder was last changed
	Seen           time.Time // when it ended, or was last heard of
	Share          *float64  // of the work that is done, 0 to 1; nil: not known
	Rows           int64     // written to the output, or into the table
	Failed         int64     // rows rejected or in doubt, or token ranges that failed
	RowsPerSecond  float64   // of now, or else of the whole; 0: not known
	Left           time.Duration
	Next           []advice.Step // what can be done with it
	Err            error         // why it is damaged, or ended so that a resume would be refused
	Past           bool          // the history alone has it, and Path is its first input
}

// runOf is a run as its run directory has it.
func runOf(s Report) Run {
	r := Run{
		Path:          s.RunDir,
		Command:       s.Command,
		Table:         s.Table,
		Target:        s.Target,
		Started:       s.Started,
		Seen:          s.Seen,
		State:         Stopped,
		Share:         s.Share(),
		RowsPerSecond: s.Pace.RowsPerSecond,
		Left:          s.Pace.Left,
		Next:          s.Next(),
	}
	if l := s.Load; l != nil {
		r.Rows, r.Failed = l.Tally.Written+l.Tally.Existing, l.failed()
	}
	if s.Scan != nil {
		r.Rows = s.Scan.Rows
	}
	if s.End != nil {
		r.Failed += int64(len(s.End.Failed))
		if s.End.Refused {
			r.Err = errors.New(s.End.Error)
		}
	}
	switch {
	case s.Live:
		r.State = Running
		if now := s.Pace.Now; now != nil { // which is further than the journal
			r.Rows, r.Failed = now.Rows, now.Rejected+now.Failed
		}
	case s.End == nil || s.End.Outcome == run.Interrupted || s.End.Outcome == run.Failed:
	case s.Load != nil && len(s.Load.Retried) > 0 && s.Load.Tries > 0:
		r.State, r.Failed = Retried, 0 // the tries have it
	case len(r.Next) > 0 || s.Load != nil && len(s.Load.Lost) > 0:
		r.State = Partly
	default:
		r.State, r.Failed = Complete, 0
	}
	return r
}

// complete makes a run complete whose rows another one has loaded.
func (r *Run) complete() {
	if r.State == Partly || r.State == Retried {
		r.State, r.Failed, r.Next = Complete, 0, nil
	}
}

// damaged is a run that cannot be read.
func damaged(path string, err error) Run {
	r := Run{Path: path, State: Damaged, Err: err}
	if errors.Is(err, fs.ErrPermission) {
		r.State, r.Err = Unreadable, unreadable(path, err)
	}
	if info, err := os.Lstat(path); err == nil {
		r.Started, r.Seen = info.ModTime(), info.ModTime()
	}
	return r
}

// unreadable says who can read a folder that this user may not read.
func unreadable(path string, err error) error {
	if other := Owner(path); other != "" {
		return fmt.Errorf(
			"%s belongs to user %s: only that user and root can read it; whether a run in it is under way is not known",
			path,
			other,
		)
	}
	return fmt.Errorf(
		"%s cannot be read: %w; whether a run in it is under way is not known",
		path,
		fs.ErrPermission,
	)
}

// otherOwner is [owner.Other]. Tests replace it.
var otherOwner = owner.Other

// Owner returns the name of another user to whom a run directory belongs. That user wrote the
// hosts, files and settings that a resume would use. It is empty if the owner is this user or root.
func Owner(dir string) string {
	return otherOwner(dir, filepath.Join(dir, journal.ManifestFile))
}
