package sink

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/stretchr/testify/require"
)

// begun writes an output in a folder: one worker has a finished and an unfinished file, another one
// an unfinished file. It closes the output, and returns its mark.
func begun(t *testing.T, compression string) (Options, Mark) {
	t.Helper()
	options := Options{
		Path:        t.TempDir(),
		Dir:         true,
		Base:        "b",
		Compression: compression,
		MaxRows:     10,
		Header:      []byte(header),
	}
	o, err := Open(options)
	require.NoError(t, err)
	first, second := o.Writer(), o.Writer()
	require.NoError(t, first.Write(10, text(0, 10)))
	require.NoError(t, first.Write(4, text(10, 4)))
	require.NoError(t, second.Write(5, text(20, 5)))
	m, err := o.Mark()
	require.NoError(t, err)
	require.NoError(t, o.Sync())
	require.NoError(t, o.Abort())
	return options, reread(t, m)
}

func TestResumeRefuses(t *testing.T) {
	const done, open = "b-0001-0001.part", "b-0001-0002.part"
	for name, c := range map[string]struct {
		spoil func(t *testing.T, o *Options)
		want  string
	}{
		"finished file is gone": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Remove(filepath.Join(o.Path, done)))
		}, done + ": is gone, the journal vouches for 146 bytes: it was changed or removed since"},
		"open file is gone": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Remove(filepath.Join(o.Path, open)))
		}, open + ": is gone, the journal vouches for 67 bytes: it was changed or removed since"},
		"finished file is shorter": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Truncate(filepath.Join(o.Path, done), 145))
		}, done + ": has 145 bytes, the journal vouches for 146: it was changed or removed since"},
		"finished file is longer": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Truncate(filepath.Join(o.Path, done), 147))
		}, done + ": has 147 bytes, the journal vouches for 146: it was changed or removed since"},
		"open file is shorter": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Truncate(filepath.Join(o.Path, open), 66))
		}, open + ": has 66 bytes, the journal vouches for 67: it was changed or removed since"},
		"a link": {func(t *testing.T, o *Options) {
			path, elsewhere := filepath.Join(o.Path, open), filepath.Join(t.TempDir(), "x")
			require.NoError(t, os.Rename(path, elsewhere))
			require.NoError(t, os.Symlink(elsewhere, path))
		}, open + ": is no plain file: it was changed or removed since"},
		"final name is another file": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Remove(filepath.Join(o.Path, done)))
			require.NoError(t, os.WriteFile(filepath.Join(o.Path, "b-0001-0001"), []byte("x"), 0o600))
		}, done + ": is gone, and b-0001-0001 (1 bytes) is not what the journal vouches for (146 bytes)"},
		"final name has other content": {func(t *testing.T, o *Options) {
			require.NoError(t, os.Remove(filepath.Join(o.Path, done)))
			require.NoError(t, os.WriteFile(filepath.Join(o.Path, "b-0001-0001"), make([]byte, 146), 0o600))
		}, "b-0001-0001: the first 146 bytes have XXH64 "},
		"final name is taken": {func(t *testing.T, o *Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Path, "b-0001-0001"), []byte("x"), 0o600))
		}, "b-0001-0001 exists now"},
		"finished content": {func(t *testing.T, o *Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Path, done), make([]byte, 146), 0o600))
			o.Verify = true
		}, done + ": the first 146 bytes have XXH64 "},
		"open content": {func(t *testing.T, o *Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Path, open), make([]byte, 100), 0o600))
			o.Verify = true
		}, open + ": the first 67 bytes have XXH64 "},
		"folder is gone": {func(t *testing.T, o *Options) {
			require.NoError(t, os.RemoveAll(o.Path))
		}, done + ": is gone"},
		"other compression": {func(t *testing.T, o *Options) { o.Compression = "gzip" },
			`it was begun with compression "", not "gzip"`},
		"other base": {func(t *testing.T, o *Options) { o.Base = "c" },
			`the journal has a file "b-0001-0001" where "c-0001-0001" would come`},
		"a stream": {func(t *testing.T, o *Options) { *o = Options{Stream: os.Stdout} },
			"a stream cannot be resumed"},
		"wrong options": {func(t *testing.T, o *Options) { o.Level = 3 },
			"compression level 3 without a compression"},
	} {
		t.Run(name, func(t *testing.T) {
			options, m := begun(t, "")
			stray := filepath.Join(options.Path, "b-0003-0001.part")
			require.NoError(t, os.WriteFile(stray, []byte("later"), 0o600))
			folder := options.Path
			c.spoil(t, &options)
			before := []string{}
			if _, err := os.Stat(folder); err == nil {
				before = names(t, folder)
			}
			_, err := Resume(options, m)
			require.ErrorContains(t, err, c.want)
			if len(before) > 0 {
				require.Equal(t, before, names(t, folder), "nothing is changed")
			}
		})
	}
}

func TestResumeLeavesOtherFiles(t *testing.T) {
	options, m := begun(t, "gzip")
	others := []string{
		"notes.txt",
		"b-0009-0001.part",
		"b-0009-0001.zst.part",
		"b-0009.gz.part",
		"xb-0009-0001.gz.part",
		"b-0009-0001.gz",
	}
	for _, name := range append(others, "b-0009-0001.gz.part", "b-0001-0003.gz.part") {
		require.NoError(t, os.WriteFile(filepath.Join(options.Path, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(options.Path, "b-0010-0001.gz.part"), 0o700))
	o, err := Resume(options, m)
	require.NoError(t, err)
	own := []string{
		"b-0001-0001.gz.part",
		"b-0001-0002.gz.part",
		"b-0002-0001.gz.part",
		"b-0010-0001.gz.part",
	}
	require.ElementsMatch(t, append(own, others...), names(t, options.Path))
	require.NoError(t, o.Abort())
}

func TestResumedWriters(t *testing.T) {
	options, m := begun(t, "")
	m.Series[0].Done = append(m.Series[0].Done, *m.Series[0].Open) // nothing open in worker 1
	m.Series[0].Open = nil
	last := &m.Series[0].Done[1]
	last.Sum, _ = stateSum(last.State)
	last.State = nil
	o, err := Resume(options, m)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(5, text(30, 5)), "the open file of worker 2 first")
	require.NoError(t, o.Writer().Write(1, text(40, 1)), "the next file of worker 1")
	require.NoError(t, o.Writer().Write(1, text(50, 1)), "a new worker")
	require.NoError(t, o.Commit())
	got := map[string]int64{}
	for _, f := range o.Files() {
		got[f.Name] = f.Rows
		require.NotEmpty(t, contents(t, options.Path, "", f))
	}
	require.Equal(
		t,
		map[string]int64{
			"b-0001-0001": 10,
			"b-0001-0002": 4,
			"b-0001-0003": 1,
			"b-0002-0001": 10,
			"b-0003-0001": 1,
		},
		got,
	)
}

func TestLimitsGoOnCounting(t *testing.T) {
	options, m := begun(t, "zstd")
	o, err := Resume(options, m)
	require.NoError(t, err)
	w := o.Writer()
	require.NoError(t, w.Write(6, text(14, 6)), "4 and 6 rows are the limit")
	require.NoError(t, w.Write(1, text(30, 1)))
	require.NoError(t, o.Commit())
	var rows []int64
	for _, f := range o.Files() {
		rows = append(rows, f.Rows)
	}
	require.Equal(t, []int64{10, 10, 1, 5}, rows)
}

func TestAbortAfterResumeKeepsParts(t *testing.T) {
	options, m := begun(t, "lz4")
	before := names(t, options.Path)
	o, err := Resume(options, m)
	require.NoError(t, err)
	require.NoError(t, o.Abort())
	require.Equal(t, before, names(t, options.Path))
	require.Len(t, o.Parts(), 3)
	_, err = Resume(options, m)
	require.NoError(t, err, "as often as need be")
}

func TestResumeWithoutRows(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	options := Options{Path: folder, Dir: true, Base: "b", Header: []byte(header)}
	o, err := Open(options)
	require.NoError(t, err)
	m, err := o.Mark()
	require.NoError(t, err)
	require.Equal(t, Mark{Series: []SeriesMark{}}, *m)
	require.NoError(t, o.Abort())
	require.NoError(t, os.Remove(folder), "a folder whose name was not on the disk yet")
	o, err = Resume(options, reread(t, m))
	require.NoError(t, err)
	require.NoError(t, o.Commit())
	require.Equal(t, header, contents(t, folder, "", o.Files()[0]))
}

func TestResumeWithForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	options := Options{Path: path, Force: true}
	o, err := Open(options)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(0, 1)))
	m, err := o.Mark()
	require.NoError(t, err)
	require.NoError(t, o.Abort())
	o, err = Resume(options, reread(t, m))
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(1, 1)))
	require.NoError(t, o.Commit())
	require.Equal(t, string(text(0, 2)), contents(t, filepath.Dir(path), "", o.Files()[0]))
}

// failingDisk fails when an unfinished file is opened again for the second time.
type failingDisk struct {
	store.Disk
	opened, closed int
}

type closing struct {
	store.StagedWriter
	disk *failingDisk
}

func (c closing) Close() error {
	c.disk.closed++
	return c.StagedWriter.Close()
}

func (d *failingDisk) Restage(
	ctx context.Context,
	name string,
	size int64,
) (store.StagedWriter, error) {
	if d.opened == 1 {
		return nil, syscall.EIO
	}
	d.opened++
	w, err := d.Disk.Restage(ctx, name, size)
	return closing{w, d}, err
}

func TestResumeFails(t *testing.T) {
	options, m := begun(t, "gzip")
	d := &failingDisk{}
	_, err := resume(options, m, d)
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorContains(t, err, "output "+filepath.Join(options.Path, "b-0002-0001.gz: "))
	require.Equal(t, 1, d.opened)
	require.Equal(t, d.opened, d.closed, "every file is closed")
	o, err := Resume(options, m)
	require.NoError(t, err, "another time")
	require.NoError(t, o.Commit())
}
