// Package status reads what run directories, manifests and the history of a folder have of runs. It
// finds how far a run is, how it ended, and what can be done next. Only Prune changes anything. No
// cluster is asked.
package status

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// Report is what a run directory has of its run, while it runs or after.
type Report struct {
	RunDir         string
	Command, Table string
	Target         recorded.Target
	Tool           string // that began it
	Started        time.Time
	Live           bool           // it is under way
	Holder         journal.Holder // in this process, then
	End            *End           // of the last process that had it; nil: it came to no end
	Seen           time.Time      // when its journal was last written
	Pace           notes.Pace
	Load           *Load // of a load
	Scan           *Scan // of a scan
}

// End is how a run ended.
type End struct {
	Outcome run.Outcome
	Error   string          // why it failed
	Refused bool            // a resume would be refused: the error says what to do instead
	Failed  []records.Range // token ranges of a scan that could not be read
}

// endOf reads the end that a journal has; nil stays nil.
func endOf(e *records.End) *End {
	if e == nil {
		return nil
	}
	end := &End{Error: e.Error, Refused: e.Refused, Failed: e.Failed}
	for outcome, name := range records.Outcomes {
		if name == e.Outcome {
			end.Outcome = outcome
		}
	}
	return end
}

// Read looks at a run directory. Nothing is changed, and no cluster is asked.
func Read(dir string) (Report, error) {
	status, err := journal.Read(dir, func(journal.Record) error { return nil })
	if err != nil {
		return Report{}, err
	}
	m := status.Manifest
	r := Report{
		RunDir:  dir,
		Command: m.Command,
		Table:   m.Table,
		Tool:    m.Tool,
		Started: m.Started,
		Live:    status.Live,
		Holder:  status.Holder,
	}
	if options, optionsErr := recorded.Read(m); optionsErr == nil { // else its readers say so
		extra, _ := records.ExtraOf(m)
		r.Target = options.Target(extra.Cluster)
	}
	switch m.Command {
	case run.CommandLoad:
		err = r.readLoad()
	case run.CommandScan:
		err = r.readScan(m)
	default:
		err = fmt.Errorf("run.json: a run of %q is not known", m.Command)
	}
	r.Pace = notes.ReadPace(dir, r.Live)
	if r.Load != nil && (r.End != nil || r.Live) {
		r.Load.Rejected = max(r.Load.Rejected, r.Pace.Rejected)
	}
	if info, statErr := os.Stat(filepath.Join(dir, records.PaceFile)); statErr == nil {
		r.Seen = info.ModTime()
	}
	if info, statErr := os.Stat(journal.Path(dir)); statErr == nil && info.ModTime().After(r.Seen) {
		r.Seen = info.ModTime()
	}
	return r, err
}

// Next is what can be done with the run, most likely first; empty: nothing, or it is under way.
func (r *Report) Next() []advice.Step {
	switch {
	case r.Load != nil:
		return r.Load.Next
	case r.Scan != nil && r.Scan.Next.Command != "":
		return []advice.Step{r.Scan.Next}
	default:
		return nil
	}
}

// Share is how much of the work is done, 0 to 1; nil: it is not known.
func (r *Report) Share() *float64 {
	all := 1.0
	switch {
	case r.Pace.Now != nil:
		return r.Pace.Share
	case r.Scan != nil:
		return &r.Scan.Share
	case r.End != nil && (r.End.Outcome == run.Done || r.End.Outcome == run.Partly):
		return &all
	default:
		return r.Pace.Share
	}
}
