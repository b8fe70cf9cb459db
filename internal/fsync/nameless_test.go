package fsync

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A nameless file is written and read, and nothing of it is in its folder.
func TestNameless(t *testing.T) {
	dir := t.TempDir()
	f, err := Nameless(dir, ".x-*")
	require.NoError(t, err)
	_, err = f.WriteString("kept")
	require.NoError(t, err)
	got := make([]byte, 4)
	_, err = f.ReadAt(got, 0)
	require.NoError(t, err)
	require.Equal(t, "kept", string(got))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, f.Close())

	_, err = Nameless(filepath.Join(dir, "none"), ".x-*")
	require.ErrorIs(t, err, os.ErrNotExist)
}
