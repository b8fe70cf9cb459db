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

// A pipe is what cannot be synced on every system: fsync says EINVAL.
func TestOpened(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, Opened(w))
	require.ErrorIs(t, w.Close(), fs.ErrClosed)
	require.ErrorIs(t, Opened(w), fs.ErrClosed)
}
