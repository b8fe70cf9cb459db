package sink

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireFile checks a file's content and that only its owner can read it.
func requireFile(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(got))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

func write(t *testing.T, s Sink, text string) {
	t.Helper()
	n, err := s.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
}

func TestStream(t *testing.T) {
	var out bytes.Buffer
	for _, end := range []func(Sink) error{Sink.Commit, Sink.Abort} {
		s := Stream(&out)
		write(t, s, "a,b\n")
		require.NoError(t, end(s))
	}
	require.Equal(t, "a,b\na,b\n", out.String())
}

func TestFileCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	s, err := File(path, false)
	require.NoError(t, err)
	write(t, s, "a,b\n")
	write(t, s, "1,2\n")
	require.NoFileExists(t, path, "before it is whole")
	requireFile(t, path+".part", "a,b\n1,2\n")
	require.NoError(t, s.Commit())
	requireFile(t, path, "a,b\n1,2\n")
	require.NoFileExists(t, path+".part")
}

func TestFileAbortKeepsThePart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	s, err := File(path, false)
	require.NoError(t, err)
	write(t, s, "a,b\n")
	require.NoError(t, s.Abort())
	require.NoFileExists(t, path)
	requireFile(t, path+".part", "a,b\n")
	require.ErrorContains(t, s.Abort(), "output "+path)
}

// A leftover part file is written over, and closed to others.
func TestLeftoverPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	require.NoError(t, os.WriteFile(path+".part", []byte("a long leftover"), 0o644))
	s, err := File(path, false)
	require.NoError(t, err)
	write(t, s, "new\n")
	require.NoError(t, s.Commit())
	requireFile(t, path, "new\n")
}

func TestExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	require.NoError(t, os.WriteFile(path, []byte("old\n"), 0o644))
	_, err := File(path, false)
	require.EqualError(t, err, "output "+path+" exists already: name another file, or write over it with --force")
	require.NoFileExists(t, path+".part")

	s, err := File(path, true)
	require.NoError(t, err)
	write(t, s, "new\n")
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old\n", string(old), "until the new one is whole")
	require.NoError(t, s.Commit())
	requireFile(t, path, "new\n")
}

// A file that came to be meanwhile is not lost.
func TestFileThatAppearsMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	s, err := File(path, false)
	require.NoError(t, err)
	write(t, s, "mine\n")
	require.NoError(t, os.WriteFile(path, []byte("theirs\n"), 0o600))
	err = s.Commit()
	require.ErrorContains(t, err, "exists already")
	require.ErrorContains(t, err, "what was written is in "+path+".part")
	requireFile(t, path, "theirs\n")
	requireFile(t, path+".part", "mine\n")
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken.part"), 0o700))
	for _, c := range []struct{ name, path, want string }{
		{"a folder", dir, "is a folder"},
		{"a device", os.DevNull, "is not a regular file"},
		{"no such folder", filepath.Join(dir, "missing", "out.csv"), "no such file or directory"},
		{"below a file", filepath.Join(plain, "out.csv"), "not a directory"},
		{"the part is a folder", filepath.Join(dir, "taken"), "is a directory"},
	} {
		for _, force := range []bool{false, true} {
			_, err := File(c.path, force)
			require.ErrorContains(t, err, "output "+c.path, c.name)
			require.ErrorContains(t, err, c.want, c.name)
		}
	}
}

// The folder is gone when the file should get its name.
func TestCommitError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	require.NoError(t, os.Mkdir(dir, 0o700))
	path := filepath.Join(dir, "out.csv")
	s, err := File(path, false)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.ErrorContains(t, s.Commit(), "output "+path)
	require.ErrorContains(t, s.Commit(), "file already closed")
}
