// Package fsync syncs the names of files to the disk, which syncing only the files does not do. It
// also makes files without a name, and knows what is a folder.
package fsync

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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

// MkdirAll makes the folder at path, for its owner alone, and those above that are
// missing, and has their names on the disk.
func MkdirAll(path string) error {
	var above []string
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	for _, folder := range above {
		if err := Folder(folder); err != nil {
			return err
		}
	}
	return nil
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

// Nameless makes a temporary file in a folder, the system's when dir is empty, to be written and
// read by its owner alone. Its name, which pattern says as for [os.CreateTemp], is removed at once,
// so that nothing of it stays behind, however the program ends.
func Nameless(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// IsFolder reports whether the entry at path is a folder, or a symbolic link to one.
func IsFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Replace puts a file with a text at path, whole or not at all. Only its owner can read it. Replace
// writes the file under another name in the same folder, syncs it to the disk, and renames it to
// path, over a file that is there.
func Replace(path string, text []byte) error { return ReplaceMode(path, text, 0o600) }

// ReplaceMode is Replace with a file of that mode.
func ReplaceMode(path string, text []byte, mode fs.FileMode) error {
	return ReplaceBy(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// ReplaceBy is ReplaceMode with a text that write writes.
func ReplaceBy(path string, mode fs.FileMode, write func(io.Writer) error) error {
	folder := filepath.Dir(path)
	name := filepath.Join(folder, "."+filepath.Base(path)+".part")
	_ = os.Remove(name) // of one that was killed
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return Folder(folder)
}
