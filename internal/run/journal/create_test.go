package journal

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	j, err := Create(dir, sample())
	require.NoError(t, err, "an empty folder is taken")
	require.NoError(t, j.Close())
	_, err = Create(dir, sample())
	require.ErrorContains(t, err, "run directory "+dir+" is not empty: it holds journal")

	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = Create(path, sample())
	require.ErrorContains(t, err, path)

	bad := sample()
	bad.Extra = json.RawMessage("{")
	path = filepath.Join(t.TempDir(), "run")
	_, err = Create(path, bad)
	require.ErrorContains(t, err, "run directory "+path+": ")
	require.NoDirExists(t, path)
}

func TestCreateRemovesWhatItMade(t *testing.T) {
	dir := t.TempDir()
	m := sample()
	text, err := encodeManifest(m)
	require.NoError(t, err)
	_, err = begin(filepath.Join(dir, "missing"), m, text, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)

	// A folder under the name that run.json is written under cannot be replaced.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, temporary, "x"), 0o700))
	_, err = begin(dir, m, text, nil)
	require.ErrorContains(t, err, "run directory "+dir+": ")
	require.Equal(t, []string{temporary}, names(t, dir))
}

func TestOpenWhereNothingIs(t *testing.T) {
	for _, open := range []func(string) error{
		func(dir string) error { _, err := Open(dir, nothing); return err },
		func(dir string) error { _, err := Read(dir, nothing); return err },
	} {
		dir := t.TempDir()
		require.ErrorIs(t, open(filepath.Join(dir, "missing")), fs.ErrNotExist)
		err := open(dir)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "run directory "+dir+" has no run.json")
		require.ErrorContains(t, err, "may be removed")
		// What a scan or a user put there must not be removed.
		require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), nil, 0o600))
		err = open(dir)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "it is no run directory")
		require.NotContains(t, err.Error(), "may be removed")

		j := create(t)
		require.NoError(t, j.Close())
		require.NoError(t, os.Remove(j.path()))
		require.ErrorContains(t, open(j.dir), "has no journal")
		require.NoError(t, os.Symlink("run.json", j.path()))
		require.ErrorContains(t, open(j.dir), "journal is not a regular file")
	}
}

// A folder that a process left when it was killed in Create is taken over. One that another process
// is filling, or that holds anything else, is not.
func TestCreateTakesOverWhatWasLeft(t *testing.T) {
	for _, left := range [][]string{
		{journalName},
		{journalName, lockName},
		{journalName, lockName, temporary},
		{journalName, lockName, syncedName},
		{journalName, lockName, InputsFile},
	} {
		dir := t.TempDir()
		for _, name := range left {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("99999\n"), 0o600))
		}
		j, err := Create(dir, sample())
		require.NoError(t, err)
		require.NoError(t, j.Append("one", 1))
		require.NoError(t, j.Close())
		var records int
		_, err = Read(dir, func(Record) error { records++; return nil })
		require.NoError(t, err)
		require.Equal(t, 1, records)
	}

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, journalName), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rejects.csv"), nil, 0o600))
	_, err := Create(dir, sample())
	require.ErrorContains(t, err, "is not empty")

	dir = t.TempDir()
	f, err := os.Create(filepath.Join(dir, journalName))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	taken, err := try(f, unix.LOCK_EX)
	require.NoError(t, err)
	require.True(t, taken)
	_, err = Create(dir, sample())
	require.ErrorAs(t, err, new(*InUseError))
	require.FileExists(t, filepath.Join(dir, journalName), "it is the other process's")
}
