package sink

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAbortKeepsWhatWasWritten(t *testing.T) {
	for _, compression := range every() {
		t.Run("compression "+compression, func(t *testing.T) {
			folder := t.TempDir()
			o, err := Open(
				Options{
					Path:        folder,
					Dir:         true,
					Base:        "b",
					Compression: compression,
					MaxRows:     100,
					Header:      []byte(header),
				},
			)
			require.NoError(t, err)
			w := o.Writer()
			require.NoError(t, w.Write(90, text(0, 90)))
			require.NoError(t, w.Write(20, text(90, 20)))
			require.NoError(t, o.Abort())
			require.NoError(t, o.Abort(), "a second time does nothing")
			require.Empty(t, o.Files())

			parts := o.Parts()
			require.Len(t, parts, 2)
			wants := []string{header + string(text(0, 90)), header + string(text(90, 20))}
			for i, want := range wants {
				stored, err := os.ReadFile(parts[i])
				require.NoError(t, err)
				plain, err := expand(compression, stored)
				require.NoError(t, err)
				require.Equal(t, want, string(plain))
			}
			require.Len(t, names(t, folder), 2)
			require.ErrorIs(t, w.Write(1, text(0, 1)), errEnded)
			require.ErrorIs(t, o.Writer().Write(1, text(0, 1)), errEnded)
			require.ErrorIs(t, o.Commit(), errEnded)
		})
	}
}

func TestAbortedStreamHasNoEndMark(t *testing.T) {
	for _, compression := range []string{"gzip", "zstd", "lz4"} {
		t.Run(compression, func(t *testing.T) {
			var b bytes.Buffer
			o, err := Open(Options{Stream: &b, Compression: compression})
			require.NoError(t, err)
			require.NoError(t, o.Writer().Write(50, text(0, 50)))
			require.NoError(t, o.Abort())
			plain, err := expand(compression, b.Bytes())
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, string(text(0, 50)), string(plain), "but all the rows")
		})
	}
}

func TestAbortBeforeAnything(t *testing.T) {
	var b bytes.Buffer
	o, err := Open(Options{Stream: &b, Compression: "gzip", Header: []byte(header)})
	require.NoError(t, err)
	require.NoError(t, o.Abort())
	require.Zero(t, b.Len())
	require.Empty(t, o.Parts())
}

func TestAfterCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	o, err := Open(Options{Path: path})
	require.NoError(t, err)
	w := o.Writer()
	require.NoError(t, o.Commit())
	require.ErrorIs(t, w.Write(1, text(0, 1)), errEnded)
	require.ErrorIs(t, o.Commit(), errEnded)
	require.NoError(t, o.Abort())
	require.Len(t, o.Files(), 1)
}

func TestDiskFull(t *testing.T) {
	for _, compression := range every() {
		for _, dir := range []bool{false, true} {
			name := compression + " file"
			if dir {
				name = compression + " folder"
			}
			t.Run(name, func(t *testing.T) {
				folder := t.TempDir()
				options := Options{
					Path:        folder,
					Dir:         true,
					Base:        "b",
					Compression: compression,
					MaxRows:     5000,
				}
				if !dir {
					options = Options{Path: filepath.Join(folder, "out"), Compression: compression}
				}
				d := &disk{room: 100_000}
				o, err := open(options, d)
				require.NoError(t, err)
				w, other := o.Writer(), o.Writer()
				require.NoError(t, other.Write(100, text(0, 100)))
				for i := 0; err == nil; i++ {
					require.Less(t, i, 1000)
					err = w.Write(5000, text(i*5000, 5000))
				}
				require.ErrorIs(t, err, syscall.ENOSPC)
				require.ErrorContains(t, err, "output "+folder)
				require.ErrorIs(t, w.Write(1, text(0, 1)), syscall.ENOSPC, "the error stays")

				require.ErrorIs(t, o.Commit(), syscall.ENOSPC)
				require.NoError(t, o.Abort())
				require.Empty(t, o.Files())
				var parts []string
				for _, name := range names(t, folder) {
					require.Equal(t, ".part", filepath.Ext(name), "nothing is renamed")
					parts = append(parts, filepath.Join(folder, name))
				}
				require.Equal(t, parts, o.Parts())
				require.Equal(t, len(parts), d.closed, "each file is closed once")
			})
		}
	}
}

func TestDiskFullAtCommit(t *testing.T) {
	for _, compression := range every() {
		folder := t.TempDir()
		d := &disk{room: 100}
		o, err := open(Options{Path: folder, Dir: true, Base: "b", Compression: compression}, d)
		require.NoError(t, err)
		for range 3 {
			require.NoError(
				t,
				o.Writer().Write(100, text(0, 100)),
				"the text still waits in the buffer",
			)
		}
		err = o.Commit()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, "more files failed)")
		require.Len(t, o.Parts(), 3)
		require.Equal(t, 3, d.closed)
		require.Equal(t, 3, len(names(t, folder)))
	}
}

func TestAbortOnAFullDisk(t *testing.T) {
	folder := t.TempDir()
	d := &disk{room: 100}
	o, err := open(Options{Path: filepath.Join(folder, "out")}, d)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(100, text(0, 100)))
	require.ErrorIs(t, o.Abort(), syscall.ENOSPC)
	require.Equal(t, 1, d.closed)
	stored, err := os.ReadFile(o.Parts()[0])
	require.NoError(t, err)
	require.Len(t, stored, 100)
}

func TestSyncAndCloseFail(t *testing.T) {
	for _, d := range []*disk{{room: 1 << 20, failSync: true}, {room: 1 << 20, failClose: true}} {
		folder := t.TempDir()
		o, err := open(Options{Path: folder, Dir: true, Base: "b"}, d)
		require.NoError(t, err)
		require.NoError(t, o.Writer().Write(1, text(0, 1)))
		require.ErrorContains(t, o.Commit(), "output "+filepath.Join(folder, "b-0001-0001")+": ")
		require.Equal(t, []string{"b-0001-0001.part"}, names(t, folder))
	}
}

func TestHeaderDoesNotFit(t *testing.T) {
	folder := t.TempDir()
	d := &disk{room: 100}
	options := Options{
		Path:   filepath.Join(folder, "out"),
		Header: bytes.Repeat([]byte("x"), 2*bufferSize),
	}
	_, err := open(options, d)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, 1, d.closed)

	d = &disk{room: 100}
	o, err := open(
		Options{Path: filepath.Join(folder, "dir"), Dir: true, Base: "b", Header: options.Header},
		d,
	)
	require.NoError(t, err)
	require.ErrorIs(t, o.Commit(), syscall.ENOSPC)
	require.Equal(t, 1, d.closed)
}

func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	o, err := Open(Options{Stream: full})
	require.NoError(t, err)
	err = o.Writer().Write(1, text(0, 1))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "output stream: ")
	require.ErrorIs(t, o.Commit(), syscall.ENOSPC)
}

// miser takes less than it is given, and does not say so.
type miser struct{}

func (miser) Write(b []byte) (int, error) { return len(b) / 2, nil }

func TestStreamThatTakesLess(t *testing.T) {
	o, err := Open(Options{Stream: miser{}})
	require.NoError(t, err)
	require.ErrorIs(t, o.Writer().Write(1, text(0, 1)), io.ErrShortWrite)
	require.Error(t, o.Commit())
}

func TestNameIsTakenMeanwhile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	o, err := Open(Options{Path: path})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("somebody else's"), 0o600))
	require.ErrorContains(t, o.Ready(), "output "+path+" exists now")
	require.ErrorContains(t, o.Commit(), "output "+path+" exists now")
	require.Equal(t, []string{path + ".part"}, o.Parts())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "somebody else's", string(got))
}

func TestTwoRunsOfOneFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	first, err := Open(Options{Path: path})
	require.NoError(t, err)
	require.NoError(t, first.Writer().Write(3, text(0, 3)))
	_, err = Open(Options{Path: path})
	require.ErrorContains(
		t,
		err,
		"out.part exists already, of a scan that was stopped or is under way",
	)
	second, err := Open(Options{Path: path, Force: true})
	require.NoError(t, err)
	require.NoError(t, second.Writer().Write(4, text(4, 4)))
	require.ErrorContains(t, first.Commit(), "another run may be writing it")
	require.NoError(t, second.Commit())
	require.Equal(t, string(text(4, 4)), contents(t, folder, "", second.Files()[0]))
}

func TestTwoRunsOfOneFolder(t *testing.T) {
	folder := t.TempDir()
	options := Options{Path: folder, Dir: true, Base: "b"}
	first, err := Open(options)
	require.NoError(t, err)
	second, err := Open(options)
	require.NoError(t, err)
	require.NoError(t, first.Writer().Write(3, text(0, 3)))
	w := second.Writer()
	err = w.Write(4, text(4, 4))
	require.ErrorIs(t, err, os.ErrExist)
	require.Equal(t, err, w.Write(4, text(4, 4)), "the error stays")
	require.ErrorIs(t, second.Commit(), os.ErrExist)
	require.Empty(t, second.Parts())
	require.NoError(t, first.Commit())
	require.Equal(t, string(text(0, 3)), contents(t, folder, "", first.Files()[0]))
}

func TestPartIsGone(t *testing.T) {
	folder := t.TempDir()
	o, err := Open(Options{Path: folder, Dir: true, Base: "b", MaxRows: 1})
	require.NoError(t, err)
	w := o.Writer()
	require.NoError(t, w.Write(1, text(0, 1)))
	require.NoError(t, w.Write(1, text(1, 1)))
	require.NoError(t, os.Remove(o.Parts()[1]))
	require.ErrorIs(t, o.Commit(), os.ErrNotExist)
	require.Equal(
		t,
		[]string{"b-0001-0001.part"},
		names(t, folder),
		"the other one is not renamed either",
	)
}
