package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// temporary is the name under which run.json is written.
const temporary = manifestName + ".part"

func openRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return root, nil
}

// openFile opens a regular file of the folder. Any other kind of file is an error.
func openFile(dir string, root *os.Root, name string, flag int) (*os.File, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("run directory %s has no %s: %w", dir, name, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("run directory %s: %s is not a regular file", dir, name)
	}
	f, err := root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return f, nil
}

// readFile returns the content of a regular file of the folder.
func readFile(dir string, root *os.Root, name string) ([]byte, error) {
	f, err := openFile(dir, root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return text, nil
}

// File is a file of a run directory that is written once, when the run begins.
type File struct {
	Name string
	Text []byte
}

// ReadFile returns the content of a file of the run directory dir.
func ReadFile(dir, name string) ([]byte, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	text, err := readFile(dir, root, name)
	return text, errors.Join(err, root.Close())
}

// writeWhole writes a file that appears complete or not at all, and syncs its content and name.
func writeWhole(root *os.Root, name string, text []byte) error {
	if err := writeNew(root, temporary, text); err != nil {
		return err
	}
	if err := root.Rename(temporary, name); err != nil {
		return err
	}
	return syncFolder(root)
}

// writeNew writes and syncs a file that does not exist yet.
func writeNew(root *os.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder syncs the names in the folder to the disk.
func syncFolder(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	return fsync.Opened(f)
}

// IsRun reports whether the folder dir is a run directory: whether its journal begins like one. It
// returns false if the journal cannot be read.
func IsRun(dir string) bool {
	root, err := openRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	f, err := openFile(dir, root, journalName, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	begin := make([]byte, len(headerMark))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == headerMark
}

// Path returns the path of the journal of the run directory dir.
func Path(dir string) string { return filepath.Join(dir, journalName) }

// HasManifest reports whether a folder has a manifest, readable or not.
func HasManifest(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, manifestName))
	return err == nil
}

// Remove removes this package's files from a run directory. No process may have the directory open.
func Remove(dir string) error {
	// The manifest goes first: without it the folder has no run, even if a later step fails.
	for _, name := range []string{manifestName, journalName, syncedName, lockName, InputsFile} {
		if err := os.Remove(
			filepath.Join(dir, name),
		); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("run directory: %w", err)
		}
	}
	return nil
}

// Keeps reports whether a file of that name in a run directory belongs to this package.
func Keeps(name string) bool {
	return name == manifestName || name == journalName || name == lockName || name == syncedName ||
		name == temporary ||
		name == InputsFile
}
