package resume

import (
	"os"

	"github.com/cqlbulk/cqlbulk/internal/journal"
)

// Discard removes the run directory of a run that has nothing left to tell: what the
// journal put there, and the folder when nothing else is in it.
func Discard(dir string) error {
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
