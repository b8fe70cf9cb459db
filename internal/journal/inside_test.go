package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInside(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Symlink("file", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(dir, "dangling")))
	for _, name := range []string{"file", "new", "a b.csv", "..x", "x..", "é", "-"} {
		path, err := Inside(dir, name)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, name), path)
	}
	for _, name := range []string{"", ".", "..", "/", "/etc/passwd", "../x", "a/b", "a/../b", "./a", "a/", `a\b`, `..\x`, "a\x00b"} {
		_, err := Inside(dir, name)
		require.ErrorContains(t, err, "is not the name of a file in it", "%q", name)
		require.ErrorContains(t, err, "run directory "+dir+": ")
	}
	for _, name := range []string{"link", "dangling"} {
		_, err := Inside(dir, name)
		require.EqualError(t, err, "run directory "+dir+": "+name+" is a symbolic link")
	}
	_, err := Inside(filepath.Join(dir, "file"), "x")
	require.ErrorContains(t, err, "not a directory")
}
