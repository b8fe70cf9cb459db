package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Create starts a run in the folder dir. If dir is missing, Create makes it with mode 0700;
// otherwise dir has to be [Unused]. Create takes the lock, writes run.json and an empty journal,
// and syncs them to the disk before it returns. It sets Version, Run and Checksum of the manifest.
// Options and Extra have to be JSON.
//
// Each of files is another file of the folder, which never changes. With them, the version of the
// run is [VersionListed].
//
// run.json comes last. A folder without it has no run, and Create may use it. If Create fails, it
// removes what it made. If another process has the folder, the error is an InUseError. A folder
// with other files in it is an error, too.
func Create(dir string, m Manifest, files ...File) (*Journal, error) {
	m.Run, m.Version = rand.Text(), Version
	if len(files) > 0 {
		m.Version = VersionListed
	}
	text, err := encodeManifest(m)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	if m, err = decodeManifest(text); err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	made, err := makeEmpty(dir)
	if err != nil {
		return nil, err
	}
	j, err := begin(dir, m, text, files)
	if err != nil && made {
		_ = os.Remove(dir) // removes only an empty folder
	}
	return j, err
}

// makeEmpty makes the folder dir, or checks that it is [Unused]. made reports whether it made it.
func makeEmpty(dir string) (made bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = fsync.MkdirAll(dir); err != nil {
			return false, fmt.Errorf("run directory %s: %w", dir, err)
		}
		return true, nil
	case err != nil:
		return false, fmt.Errorf("run directory %s: %w", dir, err)
	case !Unused(entries):
		return false, fmt.Errorf(
			"run directory %s is not empty: it holds %s",
			dir,
			entries[0].Name(),
		)
	}
	return false, nil
}

// Unused reports whether a folder with these entries has only files that a killed Create left.
func Unused(entries []fs.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || !slices.Contains(unfinished, e.Name())
	})
}

// unfinished has the files that may be in the folder before run.json is.
var unfinished = []string{journalName, lockName, temporary, syncedName, InputsFile}

// begin fills an unused folder.
func begin(dir string, m Manifest, text []byte, files []File) (*Journal, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	f, err := root.OpenFile(journalName, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run directory %s: %w", dir, err), root.Close())
	}
	if err := claim(dir, root, f); err != nil {
		return nil, errors.Join(err, f.Close(), root.Close()) // the files may be another process's
	}
	header := headerOf(m)
	size := int64(len(header))
	j := &Journal{dir: dir, manifest: m, root: root, file: f, size: size, synced: size}
	if err = fill(dir, root, f, header, text, files); err == nil {
		j.vouched, err = openSynced(dir, root)
	}
	if err != nil {
		for _, name := range []string{manifestName, temporary, lockName, syncedName, journalName} {
			_ = root.Remove(name)
		}
		for _, file := range files {
			_ = root.Remove(file.Name)
		}
		return nil, errors.Join(err, f.Close(), root.Close())
	}
	return j, nil
}

// claim takes the lock. It refuses a folder in which another process has started a run meanwhile.
func claim(dir string, root *os.Root, f *os.File) error {
	if err := take(dir, root, f, pause); err != nil {
		return err
	}
	if _, err := root.Lstat(manifestName); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run directory %s is not empty: it holds %s", dir, manifestName)
	}
	return nil
}

// fill removes what a killed Create left. Then it writes the journal's first line, the further
// files, and run.json.
func fill(dir string, root *os.Root, f *os.File, header string, text []byte, files []File) error {
	err := f.Truncate(0)
	for _, name := range []string{temporary, syncedName, InputsFile} {
		if removeErr := root.Remove(
			name,
		); removeErr != nil &&
			!errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	if err == nil {
		_, err = f.WriteString(header)
	}
	if err == nil {
		err = f.Sync()
	}
	for _, file := range files {
		if err == nil {
			err = writeNew(root, file.Name, file.Text)
		}
	}
	if err == nil {
		err = writeWhole(root, manifestName, text)
	}
	if err != nil {
		return fmt.Errorf("run directory %s: %w", dir, err)
	}
	return nil
}
