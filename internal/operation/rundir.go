package operation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// runName is what a run directory is called.
func runName(command string, t *schema.Table) string {
	// The process ID distinguishes runs on one table that start in the same second.
	return fmt.Sprintf(
		"%s-%s-%s.%s-%s-%d",
		version.Tool,
		command,
		t.Keyspace,
		t.Name,
		time.Now().UTC().Format("20060102T150405Z"),
		os.Getpid(),
	)
}

// runDirectory is the run directory of a scan or a load. The zero value is that of a run
// that keeps none.
type runDirectory struct {
	path      string
	journal   runJournal          // nil: none is kept
	continued bool                // the run resumes an earlier one
	reread    map[string][]string // of records.End
	edit      []string            // of records.End
	startOver map[string][]string // of records.End
}

// runJournal is what the journals of scans and loads have in common.
type runJournal interface {
	Manifest() journal.Manifest
	Close(records.End) error
	Abandon() error
}

// continuedIn is the run directory of an earlier run.
func continuedIn(path string, journal runJournal) runDirectory {
	return runDirectory{path: path, journal: journal, continued: true}
}

// isIdle reports whether a run that did nothing can be started again as well as resumed. A resumed
// run keeps its directory, which the user has named.
func (d *runDirectory) isIdle(nothingDone bool) bool { return nothingDone && !d.continued }

// lost reports whether the directory was removed during the run. Then nothing can resume the run.
func (d *runDirectory) lost() bool {
	_, err := os.Stat(d.path)
	return d.journal != nil && errors.Is(err, fs.ErrNotExist)
}

// end records how the run ended, and removes the directory if remove is true.
func (d *runDirectory) end(
	outcome run.Outcome,
	runErr error,
	failed []records.Range,
	remove bool,
) error {
	if d.journal == nil {
		return nil
	}
	end := records.End{
		Outcome:   records.Outcomes[outcome],
		Failed:    failed,
		Reread:    d.reread,
		Edit:      d.edit,
		StartOver: d.startOver,
	}
	if outcome == run.Failed {
		end.Error, end.Refused = runErr.Error(), errors.As(runErr, new(*run.RefusedError))
	}
	err := d.journal.Close(end)
	if remove {
		err = errors.Join(err, records.Discard(d.path))
	}
	return err
}

// discard removes the directory of a run that did nothing.
func (d *runDirectory) discard() error {
	if d.journal == nil {
		return nil
	}
	return errors.Join(d.journal.Abandon(), records.Discard(d.path))
}

// abandon lets go of the directory, without a word about the run. It does nothing after
// end.
func (d *runDirectory) abandon() {
	if d.journal != nil {
		_ = d.journal.Abandon()
	}
}

// notePace notes the pace of the run for others to see, until stop is called.
func (d *runDirectory) notePace(c *progress.Counters, warn func(string, ...any)) (stop func()) {
	if d.journal == nil {
		return func() {}
	}
	return notes.KeepPace(d.path, d.continued, c, warn)
}
