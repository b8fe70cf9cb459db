package operation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// Retry tries again what failed in a run, and nothing else: a scan that goes on, or a load
// of rejects in a run directory inside the first.
type Retry struct {
	Scan        *Scan // nil of a load
	Load        *Load // nil of a scan
	RunDir      string
	LeftInDoubt int // rows in doubt that are left alone
}

// PrepareRetry reads a run directory, and prepares what tries its failures again. The
// rows in doubt of a load are among them when the changes have repeat-in-doubt.
func PrepareRetry(ctx context.Context, env Environment, spec ResumeSpec) (*Retry, error) {
	status, err := journal.Read(spec.RunDir, func(journal.Record) error { return nil })
	if err != nil {
		return nil, err
	}
	if err := refuseUnderWay(spec.RunDir, status); err != nil {
		return nil, err
	}
	r := &Retry{RunDir: spec.RunDir}
	if status.Manifest.Command != commandLoad {
		resumed, err := PrepareResume(ctx, env, spec)
		if err != nil {
			return nil, err
		}
		r.Scan = resumed.Scan
		return r, nil
	}
	outer, err := resume.OpenLoad(spec.RunDir) // nobody else may take it up meanwhile
	if err != nil {
		return nil, err
	}
	inner, again, err := r.rejects(spec, outer, status.Manifest)
	if err != nil {
		_ = outer.Abandon()
		return nil, err
	}
	if r.Load, err = prepareLoad(ctx, env, inner, again, nil, outer); err != nil {
		return nil, err
	}
	return r, nil
}

// rejects is the spec of a load of the rejects of outer.
func (r *Retry) rejects(spec ResumeSpec, outer *resume.Load, m journal.Manifest) (inner LoadSpec, again rereading, err error) {
	if err := refuseUnfinished(r.RunDir, outer.Loaded().End); err != nil {
		return inner, again, err
	}
	options, err := recordedIn(m)
	if err != nil {
		return inner, again, err
	}
	if inner, again, err = options.reread(outer.Loaded().Readings, spec.Changes); err != nil {
		return inner, again, err
	}
	again.former = nil // it has begun no piece of these inputs
	inner.SkipRows, inner.MaxRows = 0, -1
	if r.RunDir, err = filepath.Abs(r.RunDir); err != nil {
		return inner, again, err
	}
	if err := r.find(&inner, outer.Loaded().Retried); err != nil {
		return inner, again, err
	}
	inner.RejectsOf = r.RunDir
	if inner.RunDir, err = nextTry(filepath.Join(r.RunDir, tryPrefix)); err == nil && inner.Via == viaFiles {
		inner.Dir, err = nextTry(inner.Dir + "-" + tryPrefix)
	}
	return inner, again, err
}

// find finds the files of rejected rows in the run directory, and how many rows in doubt
// are left alone; without any it refuses. Rows in doubt are of tables where a row that is
// written twice counts twice; with them, files that were loaded again before are passed
// over.
func (r *Retry) find(inner *LoadSpec, retried map[string]resume.Retry) error {
	kept, err := reject.Find(r.RunDir)
	if err != nil {
		return err
	}
	inner.Inputs = nil
	passed := "" // the folder of a load of files that are passed over
	for _, k := range kept {
		by, taken := retried[filepath.Base(k.Path)]
		switch {
		case taken && (inner.RepeatInDoubt || k.Doubt):
			passed = by.Dir
		case k.Doubt && !inner.RepeatInDoubt:
			r.LeftInDoubt += len(k.Stamps)
		default:
			inner.Inputs = append(inner.Inputs, k.Path)
		}
	}
	if len(inner.Inputs) == 0 {
		return refuseNothing(r.RunDir, r.LeftInDoubt, passed)
	}
	return nil
}

// Tries are the run directories that tries left in that of the run.
func (r *Retry) Tries() []string { return tries(r.RunDir) }

// tryPrefix begins the names of the folders of tries.
const tryPrefix = "retry-"

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
