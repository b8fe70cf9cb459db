package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Retry tries only what failed in a run again. It is a resumed scan, or a load of rejects whose run
// directory is inside that of the first load.
type Retry struct {
	Scan        *Scan // nil of a load
	Load        *Load // nil of a scan
	RunDir      string
	LeftInDoubt int       // rows in doubt that are not written
	Before      []Retried // earlier loads of the rejects that this one loads
}

// Retried is an earlier load of rejects.
type Retried struct {
	Files   []string          // names of the files of rejects
	Run     string            // name of the load, which its journal had
	Dir     string            // its run directory, which is removed once all of it is loaded
	Done    bool              // all of it was loaded; false: the load was begun
	Reading []recorded.Change // how it read the rejects otherwise than the first load
}

// PrepareRetry reads a run directory, and prepares what tries its failures again. The
// rows in doubt of a load are among them when the changes have repeat-in-doubt.
func PrepareRetry(ctx context.Context, env spec.Environment, settings spec.Resume) (*Retry, error) {
	status, err := journal.Read(settings.RunDir, func(journal.Record) error { return nil })
	if err != nil {
		return nil, refusedRun(settings.RunDir, err)
	}
	if status.Live {
		return nil, run.Refused(&journal.InUseError{Dir: settings.RunDir, Holder: status.Holder})
	}
	r := &Retry{RunDir: settings.RunDir}
	if status.Manifest.Command != run.CommandLoad {
		resumed, err := PrepareResume(ctx, env, settings)
		if err != nil {
			return nil, err
		}
		r.Scan = resumed.Scan
		return r, nil
	}
	retriedRun, err := records.OpenLoad(settings.RunDir) // no other process may take it meanwhile
	if err != nil {
		return nil, run.Refused(err)
	}
	inner, again, err := r.rejects(settings, retriedRun, status.Manifest)
	if err != nil {
		_ = retriedRun.Abandon()
		return nil, err
	}
	if r.Load, err = prepareLoad(ctx, env, inner, again, nil, retriedRun); err != nil {
		return nil, err
	}
	return r, nil
}

// rejects is the spec of a load of the rejects of outer.
func (r *Retry) rejects(
	settings spec.Resume,
	retriedRun *records.Load,
	m journal.Manifest,
) (inner spec.Load, again recorded.Readings, err error) {
	if err := refuseUnfinished(r.RunDir, retriedRun.Loaded().End); err != nil {
		return inner, again, err
	}
	options, err := recorded.Read(m)
	if err != nil {
		return inner, again, err
	}
	loaded := retriedRun.Loaded()
	if inner, again, err = options.Reread(loaded.Readings, settings.Changes); err != nil {
		return inner, again, err
	}
	if r.RunDir, err = filepath.Abs(r.RunDir); err != nil {
		return inner, again, err
	}
	inputs, err := r.find(inner.RepeatInDoubt, loaded.Retried)
	if err != nil {
		return inner, again, err
	}
	if inner, again, err = options.Reread(
		loaded.Readings,
		r.inherit(inputs, loaded.Retried, settings.Changes),
	); err != nil {
		return inner, again, err
	}
	again.Former = nil // it has begun no piece of these inputs
	inner.Inputs, inner.Named, inner.SkipRows, inner.MaxRows = inputs, nil, 0, -1
	inner.RejectsOf = r.RunDir
	if inner.RunDir, err = nextTry(
		filepath.Join(r.RunDir, status.RetryPrefix),
	); err == nil &&
		inner.Via == spec.ViaFiles {
		inner.Dir, err = nextTry(inner.Dir + "-" + status.RetryPrefix)
	}
	return inner, again, err
}

// find returns the files of rejected rows in the run directory, and counts the rows in doubt that
// the retry does not write. Without any file it refuses. Rows in doubt are of tables where a row
// that is written twice counts twice. Files that were loaded again before are skipped if
// repeatInDoubt is true, or if their rows are in doubt.
func (r *Retry) find(
	repeatInDoubt bool,
	retried map[string]records.Retry,
) (inputs []string, err error) {
	kept, err := reject.Find(r.RunDir)
	if err != nil {
		return nil, err
	}
	passed := "" // the folder of a load of files that are passed over
	for _, k := range kept {
		by, taken := retried[filepath.Base(k.Path)]
		switch {
		case taken && (repeatInDoubt || k.Doubt):
			passed = by.Dir
		case k.Doubt && !repeatInDoubt:
			r.LeftInDoubt += len(k.Stamps)
		default:
			inputs = append(inputs, k.Path)
		}
	}
	if len(inputs) == 0 {
		return nil, refuseNothing(r.RunDir, r.LeftInDoubt, passed)
	}
	return inputs, nil
}

// inherit returns the changes with the settings by which an earlier load read the same rejects,
// except where the user typed others. It lists these loads in r.Before.
func (r *Retry) inherit(
	inputs []string,
	retried map[string]records.Retry,
	changes setting.Changes,
) setting.Changes {
	all := setting.Changes{Values: setting.Values{}, Typed: setting.Given{}}
	for _, path := range inputs {
		name := filepath.Base(path)
		by, taken := retried[name]
		if !taken {
			continue
		}
		if i := slices.IndexFunc(
			r.Before,
			func(b Retried) bool { return b.Run == by.Run },
		); i >= 0 {
			r.Before[i].Files = append(r.Before[i].Files, name)
			continue
		}
		before := Retried{
			Files: []string{name},
			Run:   by.Run,
			Dir:   filepath.Join(r.RunDir, by.Dir),
			Done:  by.Done,
		}
		for _, name := range recorded.TextSettings {
			if texts, ok := by.Reading[name]; ok {
				before.Reading = append(before.Reading, recorded.Change{Name: name, Now: texts})
				all.Values[name], all.Typed[name] = texts, true
			}
		}
		r.Before = append(r.Before, before)
	}
	maps.Copy(all.Typed, changes.Typed)
	for name, texts := range changes.Values {
		if _, inherited := all.Values[name]; !inherited || changes.Typed[name] {
			all.Values[name] = texts
		}
	}
	return all
}

// Removed is the number of rows that were rejected and are no longer in the files of rejects.
func (r *Retry) Removed() int64 { return r.Load.removed }

// LeftOver returns the run directories of earlier tries that have rows which no later try has
// loaded.
func (r *Retry) LeftOver() ([]string, error) {
	status, err := status.Read(r.RunDir)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, next := range status.Load.Next {
		if next.Command == run.CommandStatus {
			left = append(left, next.RunDir)
		}
	}
	return left, nil
}

// nextTry names the folder of the next try, which begins with prefix.
func nextTry(prefix string) (string, error) {
	for n := 1; ; n++ {
		path := fmt.Sprint(prefix, n)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
}
