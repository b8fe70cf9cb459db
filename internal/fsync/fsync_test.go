package fsync

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Folder(dir))
	require.ErrorIs(t, Folder(filepath.Join(dir, "none")), fs.ErrNotExist)
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, path := range []string{dir, filepath.Join(dir, "a", "b", "c"), "d/e/", "d/e/f"} {
		require.NoError(t, MkdirAll(path))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.True(t, info.IsDir())
	}
	info, err := os.Stat("d")
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
	require.NoError(t, os.WriteFile("g", nil, 0o600))
	require.Error(t, MkdirAll("g/h"))
}

// A pipe is what cannot be synced on every system: fsync says EINVAL.
func TestOpened(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, Opened(w))
	require.ErrorIs(t, w.Close(), fs.ErrClosed)
	require.ErrorIs(t, Opened(w), fs.ErrClosed)
}
