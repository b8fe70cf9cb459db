package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// openSynced opens the file with the number of synced bytes of the journal.
func openSynced(dir string, root *os.Root) (*os.File, error) {
	f, err := root.OpenFile(syncedName, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return f, nil
}

// vouch records that size bytes of the journal are on the disk. The record itself may be lost if
// the machine goes down. Then an older, smaller number remains, which is still true.
func (j *Journal) vouch(size int64) error {
	if _, err := j.root.Lstat(journalName); errors.Is(err, fs.ErrNotExist) {
		return errors.New("it was removed")
	} else if err != nil {
		return err
	}
	_, err := j.vouched.WriteAt(fmt.Appendf(nil, "%20d\n", size), 0)
	return err
}

// syncedSize returns the number of bytes of the journal known to have been on the disk. 0: not
// known.
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
