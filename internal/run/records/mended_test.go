package records

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// If a load has read nothing of an input, the input may be corrected before the load is resumed.
// From the first piece on, it must not change any more.
func TestInputMayBeMendedBeforeItIsTaken(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "run")
	var inputs []Input
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, name := range []string{"none.csv", "first.csv", "second.csv"} {
		in, err := LookAt(nil, write(name, "k\n1\n"))
		require.NoError(t, err)
		inputs = append(inputs, in)
	}
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	// Of the one before the first, nothing is left: it was empty.
	require.NoError(t, l.Begin(ingest.Piece{Input: 1, Offset: 2, Bytes: 2, Stamp: 1}))
	require.NoError(t, l.Abandon())

	reopen := func() (*Load, []string, error) {
		t.Helper()
		l, err := OpenLoad(dir)
		require.NoError(t, err)
		_, mended, err := l.CheckInputs(nil, listOf(t, inputs...))
		if err == nil {
			require.NoError(t, l.Resume(func(reject.State) error { return nil }))
		}
		return l, mended, err
	}
	l, mended, err := reopen()
	require.NoError(t, err)
	require.Empty(t, mended)
	require.NoError(t, l.Abandon())

	path := write("second.csv", "k\n1\n2\n3\n")
	l, mended, err = reopen()
	require.NoError(t, err)
	require.Equal(t, []string{path}, mended)
	require.NoError(t, l.Begin(ingest.Piece{Input: 2, Offset: 2, Bytes: 2, Stamp: 2}))
	require.NoError(t, l.Abandon())

	l, mended, err = reopen()
	require.NoError(t, err, "it is as it was when something was taken of it")
	require.Empty(t, mended)
	require.NoError(t, l.Abandon())

	write("second.csv", "k\n1\n2\n")
	l, _, err = reopen()
	require.ErrorContains(
		t,
		err,
		"second.csv has 6 bytes instead of 8: it was changed since the run began",
	)
	require.NoError(t, l.Abandon())

	write("second.csv", "k\n1\n2\n3\n")
	write("none.csv", "k\n7\n8\n")
	l, _, err = reopen()
	require.ErrorContains(t, err, "was changed", "the run is past it")
	require.NoError(t, l.Abandon())
}

// What takes the place of an input must be a file like it.
func TestInputMayNotBecomeAnotherKind(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "in.csv")
	require.NoError(t, os.WriteFile(path, []byte("k\n"), 0o600))
	in, err := LookAt(nil, path)
	require.NoError(t, err)
	l, err := NewLoad(filepath.Join(folder, "run"), journal.Manifest{Command: "load"})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Abandon()) }()
	require.NoError(t, os.Remove(path))
	_, _, err = l.CheckInputs(nil, listOf(t, in))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(path, 0o700))
	_, _, err = l.CheckInputs(nil, listOf(t, in))
	require.ErrorContains(t, err, "is no longer the same kind of file")
}

// listOf makes a list of inputs.
func listOf(t *testing.T, inputs ...Input) *Inputs {
	t.Helper()
	l := &Inputs{}
	for _, in := range inputs {
		require.NoError(t, l.Add(in))
	}
	return l
}
