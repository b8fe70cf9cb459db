package status

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Load is how far a load is.
type Load struct {
	Inputs  int
	Stored  int64 // bytes of them, as they are stored
	Piped   bool  // some are pipes, of unknown size
	Settled int64 // bytes of text in completed pieces
	Pieces  int   // that are completed
	Tally   ingest.Tally
	// Rejected is the number of rows in the files of rejects. Of a run that came to an end, these
	// are also rows of pieces that the journal does not record: a resume rejects them again.
	Rejected int64
	Begun    []OpenPiece // and not completed
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

// OpenPiece is a part of an input that was begun and not completed.
type OpenPiece struct {
	Path     string
	From, To int64 // bytes of text
}

func (r *Report) readLoad() error {
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
	out := &Load{
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
	fromStart, err := r.startsOver(status.Manifest, l)
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
	case fromStart != nil:
		out.Next = []advice.Step{*fromStart}
	case r.End == nil || r.End.Outcome == run.Interrupted || r.End.Outcome == run.Failed:
		out.Next = []advice.Step{again}
	case len(l.Retried) > 0:
		out.readRetried(r.RunDir, l.Retried)
		if slices.ContainsFunc(
			l.Rejects.Files,
			func(f reject.FileState) bool {
				return !f.InDoubt() && slices.Contains(out.Lost, f.Name)
			},
		) {
			out.Next = append(out.Next, rejected)
		}
		if slices.ContainsFunc(
			l.Rejects.Files,
			func(f reject.FileState) bool {
				_, taken := l.Retried[f.Name]
				return f.InDoubt() && !taken
			},
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
func (s *Load) readRetried(dir string, retried map[string]records.Retry) {
	s.Retried = slices.Sorted(maps.Keys(retried))
	later := true // whatever a try left over
	for _, name := range s.Retried {
		if retried[name].AsOfNow {
			s.Edited = append(s.Edited, name)
		}
		later = later && retried[name].Done && !retried[name].AsOfNow
	}
	for _, try := range Retries(dir) {
		if later {
			s.Later = append(s.Later, try)
			continue
		}
		status, err := Read(try)
		if err == nil && runOf(status).State == Complete {
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
func (s *Load) readChanges(m journal.Manifest, l *records.Loaded) error {
	if len(l.Readings) > 0 {
		options, err := recorded.Read(m)
		if err != nil {
			return err
		}
		_, readings, err := options.Reread(l.Readings, setting.Changes{})
		if err != nil {
			return err
		}
		s.Changed = readings.All
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

// startsOver returns the command that loads all inputs of a run from the start, with the settings
// that the end of the run has. It is nil if the end has none.
func (r *Report) startsOver(m journal.Manifest, l *records.Loaded) (*advice.Step, error) {
	if l.End == nil || len(l.End.FromStart) == 0 {
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
	next, err := advice.LoadFromStart(settings, r.RunDir, r.Table, l.End.FromStart)
	return &next, err
}

// RetryPrefix begins the names of the folders of tries.
const RetryPrefix = "retry-"

// Retries lists what the tries left in a run directory.
func Retries(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), RetryPrefix) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// failed is the number of rows that are rejected or in doubt and that no retry took over. What a
// retry could not load is counted by the retry's own run directory.
func (s *Load) failed() int64 {
	left := func(all int64, inDoubt bool) int64 {
		ofKind := func(name string) bool { return reject.InDoubt(name) == inDoubt }
		if slices.ContainsFunc(s.Retried, ofKind) && !slices.ContainsFunc(s.Lost, ofKind) {
			return 0
		}
		return all
	}
	return left(s.Rejected, false) + left(s.Tally.InDoubt, true)
}
