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
	truncate, stat, write, sync error
	closed                      *int
}

func (f failingFile) Write(b []byte) (int, error) {
	if f.write != nil {
		return 0, f.write
	}
	return f.file.Write(b)
}

func (f failingFile) Sync() error { return errors.Join(f.sync, f.file.Sync()) }

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
				return failingFile{
					file:     f,
					truncate: failing.truncate,
					stat:     failing.stat,
					closed:   &closed,
				}, err
			})
			require.ErrorIs(t, err, syscall.EIO)
			require.Equal(t, 1, closed)
		})
	}
}
