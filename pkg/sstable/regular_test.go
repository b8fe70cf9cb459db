package sstable

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
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
		_, err := component.OpenFile(path)
		require.EqualError(t, err, want)
		_, err = component.ReadFile(path)
		require.EqualError(t, err, want)
	}
	for _, path := range []string{file, link} {
		opened, err := component.OpenFile(path)
		require.NoError(t, err)
		require.NoError(t, opened.Close())
		text, err := component.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "x", string(text))
	}
	_, err := component.OpenFile(filepath.Join(folder, "nb-4-big-Data.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, damaged := range []component.Kind{
		component.DataDB,
		component.StatisticsDB,
		component.CompressionInfoDB,
		component.IndexDB,
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		require.NoError(
			t,
			os.CopyFS(copied, os.DirFS(filepath.Join("testdata", "golden", "files", "nb_lz4"))),
		)
		d := component.Descriptor{Version: component.NB, ID: "1"}
		require.NoError(t, os.Remove(filepath.Join(copied, d.Name(damaged))))
		require.NoError(t, syscall.Mkfifo(filepath.Join(copied, d.Name(damaged)), 0o600))
		r, err := OpenTable(copied, d)
		if err == nil { // the index is read when it is wanted
			_, _, err = r.Bounds()
		}
		require.ErrorContains(t, err, "named pipe", damaged)
	}
}
