package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// failingFile fails at a given call.
type failingFile struct {
	file
	truncate, stat error
	closed         *int
}

func (f failingFile) Truncate(size int64) error {
	return errors.Join(f.truncate, f.file.Truncate(size))
}

func (f failingFile) Stat() (os.FileInfo, error) {
	info, err := f.file.Stat()
	return info, errors.Join(f.stat, err)
}

func (f failingFile) Close() error {
	*f.closed++
	return f.file.Close()
}

func TestCutFileFails(t *testing.T) {
	for name, failing := range map[string]failingFile{
		"truncate": {truncate: syscall.EIO},
		"stat":     {stat: syscall.EIO},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.part")
			require.NoError(t, os.WriteFile(path, []byte("abc"), 0o600))
			closed := 0
			_, err := cutFile(path, 2, func(path string) (file, error) {
				f, err := openFile(path)
				return failingFile{f, failing.truncate, failing.stat, &closed}, err
			})
			require.ErrorIs(t, err, syscall.EIO)
			require.Equal(t, 1, closed)
		})
	}
}
