package store

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarks(t *testing.T) {
	require.Equal(t, MarkBytes, Disk{}.Can().Marks())
	require.Equal(t, NoMarks, Stream{}.Can().Marks())
	bucket := Abilities{Atomic: true, Ranged: true, Multipart: true}
	require.Equal(t, MarkObjects, bucket.Marks())
}

// A named pipe is opened for reading, has neither size nor version, and a Read that waits ends.
func TestOpenPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	w, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer w.Close()
	r, err := Disk{}.Open(t.Context(), name)
	require.NoError(t, err)
	require.Equal(t, Info{Name: name, Kind: Pipe, Size: -1}, r.Info())
	require.False(t, r.Info().Ranged())
	changed, err := r.Changed()
	require.NoError(t, err)
	require.False(t, changed)

	_, err = w.WriteString("abc")
	require.NoError(t, err)
	got := make([]byte, 10)
	n, err := r.Read(got)
	require.NoError(t, err)
	require.Equal(t, "abc", string(got[:n]))
	ended := make(chan error)
	go func() {
		_, err := r.Read(got)
		ended <- err
	}()
	require.True(t, r.Interrupt())
	require.ErrorIs(t, <-ended, os.ErrDeadlineExceeded)
	require.NoError(t, r.Close())
}

// A file that is changed in place is another version, also for those that have it open.
func TestChangedInPlace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("abc"), 0o600))
	r, err := Disk{}.Open(t.Context(), name)
	require.NoError(t, err)
	defer r.Close()
	changed, err := r.Changed()
	require.NoError(t, err)
	require.False(t, changed)
	require.NoError(t, os.WriteFile(name, []byte("abcd"), 0o600))
	changed, err = r.Changed()
	require.NoError(t, err)
	require.True(t, changed)
}

func TestListAndLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(base string) string { return filepath.Join(dir, base) }
	require.NoError(t, os.WriteFile(in("file"), []byte("abc"), 0o600))
	require.NoError(t, os.Mkdir(in("folder"), 0o700))
	require.NoError(t, os.WriteFile(in("folder/below"), nil, 0o600))
	require.NoError(t, os.Symlink("file", in("link")))
	require.NoError(t, os.Symlink("nothing", in("dangling")))
	require.NoError(t, syscall.Mkfifo(in("pipe"), 0o600))
	all, err := Disk{}.List(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []Info{
		{Name: in("dangling"), Kind: Link, Size: -1},
		{Name: in("file"), Kind: Object, Size: -1},
		{Name: in("folder"), Kind: Folder, Size: -1},
		{Name: in("link"), Kind: Link, Size: -1},
		{Name: in("pipe"), Kind: Pipe, Size: -1},
	}, all)
	require.Equal(t, "link", all[3].Base())

	info, err := Disk{}.Stat(t.Context(), in("link"))
	require.NoError(t, err)
	require.Equal(t, Object, info.Kind)
	require.EqualValues(t, 3, info.Size)
	info, err = Disk{}.Lstat(t.Context(), in("link"))
	require.NoError(t, err)
	require.Equal(t, Info{Name: in("link"), Kind: Link, Size: -1}, info)
	_, err = Disk{}.Stat(t.Context(), in("dangling"))
	require.ErrorIs(t, err, fs.ErrNotExist)

	for base, want := range map[string]error{
		"folder": ErrFolder, "pipe": ErrNotPlain, "file": fs.ErrExist,
	} {
		_, err := Disk{}.Claim(t.Context(), in(base), false)
		require.ErrorIs(t, err, want, base)
	}
	claimed, err := Disk{}.Claim(t.Context(), in("link"), true)
	require.NoError(t, err)
	require.Equal(t, in("file"), claimed)
}

// After a failed write or sync, Commit gives no name. After Abort, the file of another run stays.
func TestDiskWriterFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, failing := range []failingFile{{write: syscall.EIO}, {sync: syscall.EIO}} {
		w, err := Disk{}.Stage(t.Context(), name, CreateOptions{Over: true})
		require.NoError(t, err)
		disk, closed := w.(*diskWriter), 0
		failing.file, failing.closed = disk.file, &closed
		disk.file = failing
		_, err = w.Write([]byte("abc"))
		require.ErrorIs(t, err, failing.write)
		require.ErrorIs(t, w.Commit(t.Context()), syscall.EIO)
		require.Equal(t, 1, closed)
		require.NoFileExists(t, name)
		require.FileExists(t, name+PartSuffix)
	}
	first, err := Disk{}.Stage(t.Context(), name, CreateOptions{Over: true})
	require.NoError(t, err)
	second, err := Disk{}.Stage(t.Context(), name, CreateOptions{Over: true})
	require.NoError(t, err)
	require.NoError(t, first.Abort(t.Context()))
	_, err = second.Write([]byte("abc"))
	require.NoError(t, err)
	require.NoError(t, second.Commit(t.Context()))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "abc", string(got))
}

func TestStream(t *testing.T) {
	in, out := io.Pipe()
	s := Stream{In: in, Out: out}
	r, err := s.Open(t.Context(), Stdio)
	require.NoError(t, err)
	require.Equal(t, Pipe, r.Info().Kind)
	require.False(t, r.Interrupt(), "it may be silent forever")
	_, err = r.Seek(1, io.SeekStart)
	require.ErrorIs(t, err, errNoRange)
	_, err = r.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, errNoRange)

	w, err := s.Create(t.Context(), Stdio, CreateOptions{})
	require.NoError(t, err)
	go func() { _, _ = w.Write([]byte("abc")) }()
	got := make([]byte, 3)
	_, err = io.ReadFull(r, got)
	require.NoError(t, err)
	require.Equal(t, "abc", string(got), "before Commit")
	require.NoError(t, w.Commit(t.Context()))
	require.NoError(t, r.Close())
	go func() { _, _ = out.Write([]byte("d")) }()
	_, err = in.Read(got)
	require.NoError(t, err, "the streams are open")

	for _, s := range []Stream{{}, s} {
		_, err = s.Open(t.Context(), "file")
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, err = s.Create(t.Context(), "file", CreateOptions{})
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, err = s.Stat(t.Context(), "file")
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorIs(t, s.Remove(t.Context(), Stdio), fs.ErrNotExist)
	}
	info, err := s.Stat(t.Context(), Stdio)
	require.NoError(t, err)
	require.EqualValues(t, -1, info.Size)
}
