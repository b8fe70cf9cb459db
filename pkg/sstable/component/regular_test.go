package component

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe, which nothing writes to, is not waited for.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "nb-1-big-Data.db")
	file := filepath.Join(folder, "nb-2-big-Data.db")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	link := filepath.Join(folder, "nb-3-big-Data.db")
	require.NoError(t, os.Symlink(file, link))
	for path, want := range map[string]string{
		pipe: pipe + " is no regular file, but of the kind named pipe", folder: folder + " is no regular file, but of the kind folder",
		os.DevNull: os.DevNull + " is no regular file, but of the kind device",
	} {
		_, err := OpenFile(path)
		require.EqualError(t, err, want)
		_, err = ReadFile(path)
		require.EqualError(t, err, want)
	}
	for _, path := range []string{file, link} {
		opened, err := OpenFile(path)
		require.NoError(t, err)
		require.NoError(t, opened.Close())
		text, err := ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "x", string(text))
	}
	_, err := OpenFile(filepath.Join(folder, "nb-4-big-Data.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
