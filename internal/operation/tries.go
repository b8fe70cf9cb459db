package operation

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

func shownCause(c reject.Cause) board.Cause {
	f := c.First
	return board.Cause{
		Rows:   c.Rows,
		Stage:  string(f.Stage),
		Reason: f.Reason,
		Column: f.Column,
		Value:  f.Value,
		File:   f.File,
		Line:   f.Line,
		Field:  f.Field,
	}
}

// beginsAnew returns the command that loads the inputs of a run anew, with settings that its end
// has; nil: it has none.
func (r *StatusReport) beginsAnew(m journal.Manifest, l *records.Loaded) (*advice.Step, error) {
	if l.End == nil || len(l.End.Anew) == 0 {
		return nil, nil
	}
	options, err := recorded.Read(m)
	if err != nil {
		return nil, err
	}
	if err := options.AddInputs(r.RunDir, m); err != nil {
		return nil, err
	}
	settings, _, err := options.Reread(l.Readings, setting.Changes{})
	if err != nil {
		return nil, err
	}
	next, err := advice.LoadAnew(settings, r.RunDir, r.Table, l.End.Anew)
	return &next, err
}

// tryPrefix begins the names of the folders of tries.
const tryPrefix = "retry-"

// tries lists what the tries left in a run directory.
func tries(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tryPrefix) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}
