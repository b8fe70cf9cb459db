package sink

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/stretchr/testify/require"
)

func TestMarkWithoutNews(t *testing.T) {
	for _, compression := range every() {
		for _, head := range []string{"", header} {
			folder := t.TempDir()
			o, err := Open(
				Options{
					Path:        folder,
					Dir:         true,
					Base:        "b",
					Compression: compression,
					Header:      []byte(head),
					MaxRows:     5,
				},
			)
			require.NoError(t, err)
			w, other := o.Writer(), o.Writer()
			require.NoError(t, w.Write(5, text(0, 5)))
			require.NoError(t, w.Write(1, text(5, 1)))
			require.NoError(t, other.Write(1, text(9, 1)))
			m, err := o.Mark()
			require.NoError(t, err)
			info, err := os.Stat(filepath.Join(folder, m.Series[1].Open.Name+store.PartSuffix))
			require.NoError(t, err)
			require.Equal(t, info.Size(), m.Series[1].Open.Bytes, "it is in the file")
			again, err := o.Mark()
			require.NoError(t, err)
			require.Same(t, m, again)

			before := reread(t, m)
			require.NoError(t, w.Write(5, text(10, 5)))
			again, err = o.Mark()
			require.NoError(t, err)
			require.Equal(t, before, reread(t, m), "a mark stays as it is")
			require.Same(t, m.Series[1].Open, again.Series[1].Open, "of a series without news")
			require.Equal(t, int64(12), rowsOf(again))
			require.NoError(t, o.Commit())
			_, err = o.Mark()
			require.ErrorIs(t, err, errEnded)
		}
	}
}

// Marks without text in between do not show in the file, nor does the end.
func TestMarkAddsNothingTwice(t *testing.T) {
	for _, compression := range every() {
		path := filepath.Join(t.TempDir(), "out")
		o, err := Open(Options{Path: path, Compression: compression})
		require.NoError(t, err)
		m, err := o.Mark()
		require.NoError(t, err)
		require.Zero(t, m.Series[0].Open.Bytes, "not begun yet")
		require.NoError(t, o.Writer().Write(50, text(0, 50)))
		m, err = o.Mark()
		require.NoError(t, err)
		require.NoError(t, o.Commit())
		require.Equal(t, m.Series[0].Open.Bytes, o.Files()[0].Bytes)
	}
}

func TestMarkOfAStream(t *testing.T) {
	var b bytes.Buffer
	o, err := Open(Options{Stream: &b, Compression: "gzip"})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(5, text(0, 5)))
	m, err := o.Mark()
	require.NoError(t, err)
	require.Nil(t, m)
	require.NoError(t, o.Sync())
	m, err = o.Complete()
	require.NoError(t, err)
	require.Nil(t, m)
	require.NoError(t, o.Commit())
	plain, err := expand("gzip", b.Bytes())
	require.NoError(t, err)
	require.Equal(t, string(text(0, 5)), string(plain))
}

func TestMarkOnAFullDisk(t *testing.T) {
	for _, compression := range every() {
		d := &disk{room: 20}
		o, err := open(
			Options{Path: filepath.Join(t.TempDir(), "out"), Compression: compression},
			d,
		)
		require.NoError(t, err)
		w := o.Writer()
		require.NoError(t, w.Write(5, text(0, 5)))
		_, err = o.Mark()
		require.ErrorIs(t, err, syscall.ENOSPC)
		_, err = o.Mark()
		require.ErrorIs(t, err, syscall.ENOSPC, "the error stays")
		require.ErrorIs(t, w.Write(5, text(0, 5)), syscall.ENOSPC)
		_, err = o.Complete()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorIs(t, o.Commit(), syscall.ENOSPC)
		require.Equal(t, 1, d.closed)
	}
}

func TestComplete(t *testing.T) {
	folder := t.TempDir()
	o, err := Open(Options{Path: folder, Dir: true, Base: "b"})
	require.NoError(t, err)
	w := o.Writer()
	require.NoError(t, w.Write(5, text(0, 5)))
	m, err := o.Complete()
	require.NoError(t, err)
	require.Nil(t, m.Series[0].Open)
	require.Equal(t, []string{"b-0001-0001.part"}, names(t, folder))
	require.ErrorIs(t, w.Write(1, text(5, 1)), errEnded)
	require.ErrorIs(t, o.Writer().Write(1, text(5, 1)), errEnded)
	again, err := o.Complete()
	require.NoError(t, err)
	require.Same(t, m, again)
	require.NoError(t, o.Commit())
	require.Equal(t, m.Series[0].Done[0].Sum, o.Files()[0].Sum)
	_, err = o.Complete()
	require.ErrorIs(t, err, errEnded)
}

func TestAbortAfterComplete(t *testing.T) {
	folder := t.TempDir()
	d := &disk{room: 1 << 20}
	o, err := open(Options{Path: folder, Dir: true, Base: "b"}, d)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(5, text(0, 5)))
	_, err = o.Complete()
	require.NoError(t, err)
	require.NoError(t, o.Abort())
	require.Len(t, o.Parts(), 1)
	require.Equal(t, 1, d.closed)
}

func TestSyncFails(t *testing.T) {
	folder := t.TempDir()
	d := &disk{room: 1 << 20, failSync: true}
	o, err := open(Options{Path: folder, Dir: true, Base: "b", MaxRows: 5}, d)
	require.NoError(t, err)
	w := o.Writer()
	require.NoError(t, w.Write(5, text(0, 5)))
	_, err = o.Mark()
	require.NoError(t, err)
	err = o.Sync()
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorContains(t, err, "output "+filepath.Join(folder, "b-0001-0001: "))
	d.failSync = false
	require.ErrorIs(t, o.Sync(), syscall.EIO, "what was lost then is still lost")
	require.ErrorIs(t, w.Write(5, text(5, 5)), syscall.EIO, "that file cannot be finished")
	require.ErrorIs(t, o.Sync(), syscall.EIO)
	require.ErrorIs(t, o.Commit(), syscall.EIO)
}

// A file that is finished between Mark and Sync is on the disk, or Sync says so.
func TestSyncAfterFinish(t *testing.T) {
	for _, fail := range []bool{false, true} {
		d := &disk{room: 1 << 20}
		o, err := open(Options{Path: t.TempDir(), Dir: true, Base: "b", MaxRows: 5}, d)
		require.NoError(t, err)
		w := o.Writer()
		require.NoError(t, w.Write(5, text(0, 5)))
		_, err = o.Mark()
		require.NoError(t, err)
		d.failSync = fail
		err = w.Write(5, text(5, 5))
		d.failSync = false
		if !fail {
			require.NoError(t, err)
			require.NoError(t, o.Sync())
			continue
		}
		require.ErrorIs(t, err, syscall.EIO)
		require.ErrorIs(t, o.Sync(), syscall.EIO)
	}
}

func TestSyncAfterAbort(t *testing.T) {
	for _, synced := range []bool{false, true} {
		o, err := Open(Options{Path: filepath.Join(t.TempDir(), "out")})
		require.NoError(t, err)
		require.NoError(t, o.Writer().Write(5, text(0, 5)))
		_, err = o.Mark()
		require.NoError(t, err)
		if synced {
			require.NoError(t, o.Sync())
		}
		require.NoError(t, o.Abort())
		if synced {
			require.NoError(t, o.Sync())
		} else {
			require.ErrorIs(t, o.Sync(), store.ErrUnsynced)
		}
	}
}

// The names of the files are as much part of it as what is in them.
func TestSyncWithoutAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	o, err := Open(Options{Path: folder, Dir: true, Base: "b"})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(5, text(0, 5)))
	require.NoError(t, os.Rename(folder, folder+".aside"))
	for range 2 {
		err = o.Sync()
		require.ErrorIs(t, err, os.ErrNotExist, "until it is done")
		require.ErrorContains(t, err, "output folder "+folder+": ")
	}
	require.NoError(t, os.Rename(folder+".aside", folder))
	require.NoError(t, o.Sync())
	require.NoError(t, os.Rename(folder, folder+".aside"))
	require.NoError(t, o.Sync(), "no name is due")
	require.NoError(t, o.Abort())
}
