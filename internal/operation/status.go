package operation

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/notes"

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"

	"github.com/cqlbulk/cqlbulk/internal/run/advice"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// StatusReport is what a run directory tells of its run, while it runs or after.
type StatusReport struct {
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
	Load           *LoadStatus // of a load
	Scan           *ScanStatus // of a scan
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

// LoadStatus is how far a load is.
type LoadStatus struct {
	Inputs  int
	Stored  int64 // bytes of them, as they are stored
	Piped   bool  // some are pipes, of unknown size
	Settled int64 // bytes of text
	Pieces  int   // of them
	Tally   ingest.Tally
	// Rejected is the number of rows in the files of rejects. Of a run that came to an end, these
	// are also rows of pieces that the journal does not record: a resume rejects them again.
	Rejected int64
	Begun    []OpenPiece // and not settled
	// CountsTwice reports whether a row that is written twice counts twice, so that a resume does
	// not write rows again.
	CountsTwice bool
	Changed     []recorded.Change // how text is read otherwise than the load was begun with
	Retried     []string          // files of rejects that were loaded again, or begun to be
	Reread      []recorded.Change // how those were read otherwise
	Tries       int               // run directories of such loads with something left to do
	Edited      []string          // of Retried, those in which rows had been added or removed
	Later       []string          // run directories of such loads whose rows a later one has loaded
	// of Retried, those whose retry may not have loaded all: its run directory was removed
	Lost    []string
	Next    []advice.Step
	Streams []progress.Streamed // of a load by streaming that is under way
}

// OpenPiece is a part of an input that was begun and not settled.
type OpenPiece struct {
	Path     string
	From, To int64 // bytes of text
}

// ScanStatus is how far a scan is, up to its last mark.
type ScanStatus struct {
	Share     float64 // of the tokens, 0 to 1
	Rows      int64
	TextBytes int64
	Sum       rowsum.Sum
	Anew      bool // it was stopped before its output was begun, and cannot go on
	Next      advice.Step
}

// ReadStatus looks at a run directory. Nothing is changed, and no cluster is asked.
func ReadStatus(dir string) (StatusReport, error) {
	status, err := journal.Read(dir, func(journal.Record) error { return nil })
	if err != nil {
		return StatusReport{}, err
	}
	m := status.Manifest
	r := StatusReport{
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
func (r *StatusReport) Next() []advice.Step {
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
func (r *StatusReport) Share() *float64 {
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

func (r *StatusReport) readLoad() error {
	status, l, err := records.ReadLoad(r.RunDir)
	if err != nil {
		return err
	}
	extra, err := records.ExtraOf(status.Manifest)
	if err != nil {
		return err
	}
	r.Live, r.Holder, r.End = status.Live, status.Holder, endOf(l.End)
	inputs, err := records.InputsOf(r.RunDir, extra)
	if err != nil {
		return err
	}
	out := &LoadStatus{
		Inputs:      inputs.Len(),
		Stored:      inputs.Stored(),
		Piped:       inputs.Piped(),
		Settled:     l.Bytes,
		Pieces:      l.Pieces,
		Tally:       l.Tally,
		Rejected:    l.Tally.Rejected(),
		CountsTwice: extra.CountsTwice,
	}
	r.Load = out
	if r.Live {
		out.Streams = notes.ReadStreams(r.RunDir)
	}
	open := l.Open // in the order of the inputs
	for i, in := range inputs.All() {
		for ; len(open) > 0 && open[0].Input == i; open = open[1:] {
			out.Begun = append(
				out.Begun,
				OpenPiece{in.Path, open[0].Offset, open[0].Offset + int64(open[0].Bytes)},
			)
		}
		if len(open) == 0 {
			break
		}
	}
	if len(open) > 0 {
		return fmt.Errorf(
			"journal: there is no input %d, but only %d",
			open[0].Input+1,
			inputs.Len(),
		)
	}
	if err := out.readChanges(status.Manifest, l); err != nil {
		return err
	}
	doubtful := advice.Step{Command: run.CommandRetry, RunDir: r.RunDir, RepeatInDoubt: true}
	rejected := advice.Step{Command: run.CommandRetry, RunDir: r.RunDir}
	again := advice.Step{Command: run.CommandResume, RunDir: r.RunDir, Piped: inputs.Standard()}
	anew, err := r.beginsAnew(status.Manifest, l)
	if err != nil {
		return err
	}
	if l.End != nil {
		rejected.Settings, rejected.Edit = advice.RecordedSettings(
			l.End.Reread,
		), advice.Paths(
			r.RunDir,
			l.End.Edit,
		)
		again.Settings, again.KeepLoaded = rejected.Settings, recorded.ChangeText(l.End.Reread)
	}
	switch t := l.Tally; {
	case r.Live || r.End != nil && r.End.Refused:
	case anew != nil:
		out.Next = []advice.Step{*anew}
	case r.End == nil || r.End.Outcome == run.Interrupted || r.End.Outcome == run.Failed:
		out.Next = []advice.Step{again}
	case len(l.Retried) > 0:
		out.readRetried(r.RunDir, l.Retried)
		if slices.ContainsFunc(
			l.Rejects.Files,
			func(f reject.FileState) bool { return !f.InDoubt() && slices.Contains(out.Lost, f.Name) },
		) {
			out.Next = append(out.Next, rejected)
		}
		if slices.ContainsFunc(
			l.Rejects.Files,
			func(f reject.FileState) bool { _, taken := l.Retried[f.Name]; return f.InDoubt() && !taken },
		) {
			out.Next = append(out.Next, doubtful)
		}
	case t.ParseErrors+t.InsertErrors > 0:
		out.Next = []advice.Step{rejected}
	case t.InDoubt > 0:
		out.Next = []advice.Step{doubtful}
	}
	return nil
}

// readRetried reads what came of the loads of rejects of a run directory.
func (s *LoadStatus) readRetried(dir string, retried map[string]records.Retry) {
	s.Retried = slices.Sorted(maps.Keys(retried))
	later := true // whatever a try left over
	for _, name := range s.Retried {
		if retried[name].AsOfNow {
			s.Edited = append(s.Edited, name)
		}
		later = later && retried[name].Done && !retried[name].AsOfNow
	}
	for _, try := range tries(dir) {
		if later {
			s.Later = append(s.Later, try)
			continue
		}
		status, err := ReadStatus(try)
		if err == nil && runOf(status).State == RunComplete {
			continue
		}
		s.Tries++
		s.Next = append(s.Next, advice.Step{Command: run.CommandStatus, RunDir: try})
	}
	for _, name := range s.Retried {
		by := retried[name]
		if _, err := os.Lstat(
			filepath.Join(dir, by.Dir),
		); errors.Is(err, fs.ErrNotExist) &&
			!by.Done {
			s.Lost = append(s.Lost, name)
		}
	}
}

// readChanges reads how text was read otherwise than the load was begun with.
func (s *LoadStatus) readChanges(m journal.Manifest, l *records.Loaded) error {
	if len(l.Readings) > 0 {
		options, err := recorded.Read(m)
		if err != nil {
			return err
		}
		_, again, err := options.Reread(l.Readings, setting.Changes{})
		if err != nil {
			return err
		}
		s.Changed = again.All
	}
	reread := records.Changed{}
	for _, by := range l.Retried {
		maps.Copy(reread, by.Reading)
	}
	for _, name := range recorded.TextSettings {
		if texts, ok := reread[name]; ok {
			s.Reread = append(s.Reread, recorded.Change{Name: name, Now: texts})
		}
	}
	return nil
}

func (r *StatusReport) readScan(m journal.Manifest) error {
	status, scanned, err := records.ReadScan(r.RunDir, m)
	if err != nil {
		return err
	}
	r.Live, r.Holder, r.End = status.Live, status.Holder, endOf(scanned.End)
	r.Scan = &ScanStatus{
		Share:     scanned.Share(),
		Rows:      scanned.Rows,
		TextBytes: scanned.TextBytes,
		Sum:       scanned.Sum,
	}
	if status.Live || r.End != nil && r.End.Refused {
		return nil
	}
	if _, begun := scanned.Output(); !begun {
		r.Scan.Anew = true
		return nil
	}
	r.Scan.Next = advice.Step{Command: run.CommandResume, RunDir: r.RunDir}
	if r.End != nil && len(r.End.Failed) > 0 {
		r.Scan.Next.Command = run.CommandRetry
	}
	return nil
}
