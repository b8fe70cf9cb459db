// Package retry loads the rejected rows of a load again. A [Plan] says which files of the run
// directory are loaded, and how they are read. [Rejects] are these files as the inputs of a load.
// They have the timestamps of the rows. They also record in the journal of the first load what
// becomes of its rejects.
//
// The first load is the one whose run directory has the rejects. It may be a retry itself.
package retry

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Plan is a load of the rejects in a run directory.
type Plan struct {
	Spec        spec.Load         // its run directory is inside that of the first load
	Readings    recorded.Readings // how the rejects are read otherwise than by the first load
	RunDir      string            // of the first load, absolute
	LeftInDoubt int               // rows in doubt that are not written
	DoubtDir    string            // the run directory that has them: RunDir, or one above it
	Before      []Earlier         // earlier loads of the same rejects
}

// Earlier is an earlier load of rejects.
type Earlier struct {
	Files   []string          // names of the files of rejects
	Run     string            // name of the load, which its journal had
	Dir     string            // its run directory, which is removed once all of it is loaded
	Done    bool              // all of it was loaded; false: the load was begun
	Reading []recorded.Change // how it read the rejects otherwise than the first load
}

// NewPlan plans a load of the rejects of a load that has come to its end, with changed settings.
// The rows in doubt are among the rejects if the changes have repeat-in-doubt. Its errors are
// reasons why nothing can be retried. It changes neither the run directory nor first, its journal.
func NewPlan(settings spec.Resume, first *records.Load) (*Plan, error) {
	loaded := first.Loaded()
	if err := refuseUnfinished(settings.RunDir, loaded.End); err != nil {
		return nil, err
	}
	options, err := recorded.Read(first.Manifest())
	if err != nil {
		return nil, err
	}
	asked, _, err := options.Reread(loaded.Readings, settings.Changes)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if p.RunDir, err = filepath.Abs(settings.RunDir); err != nil {
		return nil, err
	}
	inputs, err := p.find(asked.RepeatInDoubt, loaded.Retried)
	if err != nil {
		return nil, err
	}
	p.findAbove()
	changes := p.inherit(inputs, loaded.Retried, settings.Changes)
	if p.Spec, p.Readings, err = options.Reread(loaded.Readings, changes); err != nil {
		return nil, err
	}
	p.Readings.Former = nil // it has begun no piece of these inputs
	o := &p.Spec
	o.Inputs, o.Named, o.SkipRows, o.MaxRows = inputs, nil, 0, -1
	o.Dialect.SkipLines = 0 // no such lines stand before the rejects
	o.RejectsOf = p.RunDir
	// A share of all rows does not hold for the rejected ones among them.
	typed := settings.Changes.Typed
	if o.MaxParseErrors.Percent > 0 && !typed["maxparseerrors"] {
		o.MaxParseErrors = setting.NoRowLimit
	}
	if o.MaxInsertErrors.Percent > 0 && !typed["maxinserterrors"] {
		o.MaxInsertErrors = setting.NoRowLimit
	}
	if o.RunDir, err = nextFolder(filepath.Join(p.RunDir, status.RetryPrefix)); err != nil {
		return nil, err
	}
	if o.Via == spec.ViaFiles {
		if o.Dir, err = nextFolder(o.Dir + "-" + status.RetryPrefix); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// find returns the files of rejected rows in the run directory, and counts the rows in doubt that
// the retry does not write. Without any file it refuses. Rows in doubt are of tables where a row
// that is written twice counts twice. Files that were loaded again before are skipped if
// repeatInDoubt is true, or if their rows are in doubt.
func (p *Plan) find(
	repeatInDoubt bool,
	retried map[string]records.Retry,
) (inputs []string, err error) {
	kept, err := reject.Find(p.RunDir)
	if err != nil {
		return nil, err
	}
	skipped := "" // the folder of a load of files that are skipped
	for _, k := range kept {
		by, taken := retried[filepath.Base(k.Path)]
		switch {
		case taken && (repeatInDoubt || k.Doubt):
			skipped = by.Dir
		case k.Doubt && !repeatInDoubt:
			p.LeftInDoubt += len(k.Stamps)
		default:
			inputs = append(inputs, k.Path)
		}
	}
	if len(inputs) == 0 {
		return nil, refuseNothing(p.RunDir, p.LeftInDoubt, skipped)
	}
	return inputs, nil
}

// findAbove counts the rows in doubt of the loads that this run directory is a retry of, if it has
// none of its own. What cannot be read above is none of this retry's business.
func (p *Plan) findAbove() {
	p.DoubtDir = p.RunDir
	for p.LeftInDoubt == 0 && strings.HasPrefix(filepath.Base(p.DoubtDir), status.RetryPrefix) {
		above := filepath.Dir(p.DoubtDir)
		_, loaded, err := records.ReadLoad(above)
		if err != nil {
			return
		}
		kept, err := reject.Find(above)
		if err != nil {
			return
		}
		p.DoubtDir = above
		for _, k := range kept {
			if _, taken := loaded.Retried[filepath.Base(k.Path)]; k.Doubt && !taken {
				p.LeftInDoubt += len(k.Stamps)
			}
		}
	}
}

// inherit returns the changes with the settings by which an earlier load read the same rejects,
// except where the user typed others. It lists these loads in p.Before.
func (p *Plan) inherit(
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
			p.Before,
			func(b Earlier) bool { return b.Run == by.Run },
		); i >= 0 {
			p.Before[i].Files = append(p.Before[i].Files, name)
			continue
		}
		before := Earlier{
			Files: []string{name},
			Run:   by.Run,
			Dir:   filepath.Join(p.RunDir, by.Dir),
			Done:  by.Done,
		}
		for _, name := range recorded.TextSettings {
			if texts, ok := by.Reading[name]; ok {
				before.Reading = append(before.Reading, recorded.Change{Name: name, Now: texts})
				all.Values[name], all.Typed[name] = texts, true
			}
		}
		p.Before = append(p.Before, before)
	}
	maps.Copy(all.Typed, changes.Typed)
	for name, texts := range changes.Values {
		if _, inherited := all.Values[name]; !inherited || changes.Typed[name] {
			all.Values[name] = texts
		}
	}
	return all
}

// nextFolder returns the first path of prefix and a number that does not exist.
func nextFolder(prefix string) (string, error) {
	for n := 1; ; n++ {
		path := fmt.Sprint(prefix, n)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
}

// LeftOver returns the run directories of earlier retries in a run directory that have rows which
// no later retry has loaded.
func LeftOver(dir string) ([]string, error) {
	report, err := status.Read(dir)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, next := range report.Load.Next {
		if next.Command == run.CommandStatus {
			left = append(left, next.RunDir)
		}
	}
	return left, nil
}

// NotApplied returns the files in a run directory, and in those of its retries, of rows whose
// condition did not hold. No retry writes these.
func NotApplied(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && reject.NotApplied(d.Name()) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}
