package records

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// PageFile is the file of a run directory with the last state that the page of the run showed.
const PageFile = "page.json"

// PaceFile is the file of a run directory with the speed of its run. It is written under its name
// with PartEnding, then renamed.
const (
	PaceFile   = ".pace.json"
	PartEnding = ".part"
)

// Discard removes the run directory of a run that is no longer needed. That is the files of the
// journal, the files of the page, and the folder if nothing else is in it.
func Discard(dir string) error {
	for _, name := range []string{
		PageFile, PaceFile, PaceFile + PartEnding, KeysFile, MissingFile,
	} {
		if err := os.Remove(
			filepath.Join(dir, name),
		); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := journal.Remove(dir); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return err
	}
	// The folder stays, empty, if it cannot be removed: a mount point, say.
	_ = os.Remove(dir)
	return nil
}
