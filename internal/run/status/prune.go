package status

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/history"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// Pruned is what a prune removed, or would remove.
type Pruned struct {
	Past int      // loads of the history
	Runs []string // run directories
	Left []string // of those, folders that hold files which are none of ours
}

// Prune removes what is left of runs that are complete and ended before a moment: lines of the
// history, and run directories. Outputs of scans and their manifests stay. So do all runs with
// something left to do.
func Prune(folder string, before time.Time, dryRun bool) (Pruned, error) {
	var out Pruned
	if IsRun(folder) { // the runs in it are its retries, and say what became of its rejects
		return out, fmt.Errorf(
			"%s: is a run directory: it is pruned with the runs of the folder that it is in",
			folder,
		)
	}
	runs, err := Runs(folder)
	if err != nil {
		return out, err
	}
	for _, r := range runs {
		if r.State != Complete || r.Past || !IsRun(r.Path) || !r.Seen.Before(before) ||
			filepath.Dir(r.Path) != filepath.Clean(folder) {
			continue
		}
		if !prunable(r.Path, Owner) {
			continue
		}
		if !dryRun {
			if err := removeRun(r.Path); err != nil {
				return out, err
			}
			if _, err := os.Lstat(r.Path); err == nil {
				out.Left = append(out.Left, r.Path)
			}
		}
		out.Runs = append(out.Runs, r.Path)
	}
	out.Past, err = history.Prune(folder, before, dryRun)
	return out, err
}

// prunable reports whether a run directory may be removed. A link leads to a folder elsewhere, and
// what a run of another user names is not to be trusted.
func prunable(dir string, owner func(dir string) string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && owner(dir) == ""
}

// removeRun removes the run directory of a complete run. It has the journal, rejected rows that
// were loaded since, and the run directories of the retries that loaded them.
func removeRun(dir string) error {
	_, loaded, err := records.ReadLoad(dir)
	for _, try := range Retries(dir) {
		if !prunable(try, Owner) {
			continue
		}
		if err := removeRun(try); err != nil {
			return err
		}
	}
	names := []string{journal.ErrorsFile, notes.StreamsFile}
	if err == nil {
		for _, f := range loaded.Rejects.Files {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		if filepath.Base(name) != name {
			continue
		}
		if err := os.Remove(
			filepath.Join(dir, name),
		); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return records.Discard(dir)
}
