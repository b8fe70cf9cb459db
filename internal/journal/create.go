package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Create begins a run in the folder dir, which is made (mode 0700) if it is
// missing, and has to be empty if not. It takes the lock, writes run.json and an
// empty journal, and has all that on the disk before it returns. Version, Run and
// Checksum of the manifest are set by Create; Options and Extra have to be JSON.
//
// Files are further files of the folder that never change; they make the run one of version [VersionListed].
//
// run.json comes last, so a folder without it was left before anything was done.
// When Create fails, what it made is removed again. A folder that is in use is an
// error like any other that is not empty.
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
	case len(entries) > 0:
		return false, fmt.Errorf("run directory %s is not empty: it holds %s", dir, entries[0].Name())
	}
	return false, nil
}

// begin fills an empty folder.
func begin(dir string, m Manifest, text []byte, files []File) (*Journal, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	f, err := root.OpenFile(journalName, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run directory %s: %w", dir, err), root.Close())
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

// fill takes the lock and writes the journal's first line, the further files, and run.json.
func fill(dir string, root *os.Root, f *os.File, header string, text []byte, files []File) error {
	if err := take(dir, root, f, pause); err != nil {
		return err
	}
	_, err := f.WriteString(header)
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
