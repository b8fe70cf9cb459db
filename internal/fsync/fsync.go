// Package fsync has the names of files on the disk, which syncing the files alone does
// not do.
package fsync

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Folder has the names in the folder at path on the disk.
func Folder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return Opened(f)
}

// Opened has the names in an open folder on the disk, and closes it. Some file
// systems cannot, and say so with EINVAL or ENOTSUP, which is no error here: their
// names are as safe as they get.
func Opened(folder *os.File) error {
	err := folder.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
