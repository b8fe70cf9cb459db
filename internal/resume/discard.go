package resume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Discard removes the run directory of a run that has nothing left to tell: what the
// journal put there, and the folder when nothing else is in it.
func Discard(dir string) error {
	// Without run.json the folder is no run any more, whatever happens next.
	for _, name := range []string{"run.json", "journal", "synced", "lock"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("run directory: %w", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return err
	}
	// It stays, empty, where it cannot be removed: a mount point, say.
	_ = os.Remove(dir)
	return nil
}
