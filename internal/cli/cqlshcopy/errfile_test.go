package cqlshcopy

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMoveAside(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rows.err")
	now := time.Date(2026, 2, 3, 4, 5, 6, 7, time.Local)
	require.NoError(t, MoveAside(name, now), "there is none")
	for _, want := range []string{
		"rows.err.20260203_040506", "rows.err.20260203_040506-2", "rows.err.20260203_040506-3",
	} {
		require.NoError(t, WriteErrorFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, want)
			return err
		}))
		require.NoError(t, MoveAside(name, now))
		text, err := os.ReadFile(filepath.Join(dir, want))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		require.NoFileExists(t, name)
	}
	require.EqualError(t, MoveAside(dir, now), dir+" is no plain file")
}

func TestWriteErrorFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.err")
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "1,x\n")
		return err
	}
	require.NoError(t, WriteErrorFile(name, write))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.ErrorIs(t, WriteErrorFile(name, write), os.ErrExist)
	require.ErrorIs(t,
		WriteErrorFile(name+"2", func(io.Writer) error { return io.ErrClosedPipe }), io.ErrClosedPipe)
}
