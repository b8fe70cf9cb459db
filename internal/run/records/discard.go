package records

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// PageFile is the file of a run directory that has what the page of the run showed last.
const PageFile = "page.json"

// PaceFile is the file of a run directory that tells how fast its run is, or was. It is written
// under its name with PartEnding, and renamed.
const (
	PaceFile   = ".pace.json"
	PartEnding = ".part"
)

// Discard removes the run directory of a run that has nothing left to tell: what the
// journal put there, what was shown of it, and the folder when nothing else is in it.
func Discard(dir string) error {
	for _, name := range []string{PageFile, PaceFile, PaceFile + PartEnding} {
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
	// It stays, empty, where it cannot be removed: a mount point, say.
	_ = os.Remove(dir)
	return nil
}
