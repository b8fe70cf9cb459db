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

// Create begins a run in the folder dir, which is made (mode 0700) if it is
// missing, and has to be [Unused] if not. It takes the lock, writes run.json and an
// empty journal, and has all that on the disk before it returns. Version, Run and
// Checksum of the manifest are set by Create; Options and Extra have to be JSON.
//
// Files are further files of the folder that never change; they make the run one of version
// [VersionListed].
//
// run.json comes last, so a folder without it was left before anything was done, and
// Create takes it over. When Create fails, what it made is removed again. A folder that is in use
// is an InUseError, or an error like that of any other that is not empty.
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
		_ = os.Remove(dir) // which it does only if the folder is empty
	}
	return j, err
}

// makeEmpty has an empty folder at dir, and says whether it made it.
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

// Unused reports whether a folder with these entries holds nothing but what a process that was
// killed in Create left there.
func Unused(entries []fs.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || !slices.Contains(unfinished, e.Name())
	})
}

// unfinished are the files that may be in the folder before run.json is.
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

// claim takes the lock. It refuses a folder where another process has begun a run meanwhile.
func claim(dir string, root *os.Root, f *os.File) error {
	if err := take(dir, root, f, pause); err != nil {
		return err
	}
	if _, err := root.Lstat(manifestName); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run directory %s is not empty: it holds %s", dir, manifestName)
	}
	return nil
}

// fill removes what a process that was killed in Create left, and writes the journal's first line,
// the further files, and run.json.
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
