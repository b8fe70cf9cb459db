package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// openSynced opens the file that says how much of the journal has been synced.
func openSynced(dir string, root *os.Root) (*os.File, error) {
	f, err := root.OpenFile(syncedName, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return f, nil
}

// vouch notes that so many bytes of the journal are on the disk. The note itself may get
// lost when the machine goes down: then it tells of less, and no more is wanted.
func (j *Journal) vouch(size int64) error {
	if _, err := j.root.Lstat(journalName); errors.Is(err, fs.ErrNotExist) {
		return errors.New("it was removed")
	} else if err != nil {
		return err
	}
	_, err := j.vouched.WriteAt(fmt.Appendf(nil, "%20d\n", size), 0)
	return err
}

// syncedSize is how much of the journal is known to have been on the disk; 0 when that
// cannot be told.
func syncedSize(dir string, root *os.Root) int64 {
	text, err := readFile(dir, root, syncedName)
	if err != nil {
		return 0
	}
	size, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return size
}
