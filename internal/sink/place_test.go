package sink

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptionsRefused(t *testing.T) {
	var b bytes.Buffer
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"nowhere":             {Options{}, "output has neither a path nor a stream"},
		"folder without name": {Options{Dir: true, Stream: &b}, "output folder has no name"},
		"folder without base": {Options{Path: "x", Dir: true}, `output folder x: "" is no name for its files`},
		"base with folder":    {Options{Path: "x", Dir: true, Base: "../b"}, `output folder x: "../b" is no name for its files`},
		"negative rows":       {Options{Path: "x", Dir: true, Base: "b", MaxRows: -1}, "limits of an output file cannot be negative: -1 rows, 0 bytes"},
		"limit on one file":   {Options{Path: "x", MaxBytes: 1}, "a limit on bytes of a file needs a folder as output"},
		"limit on a stream":   {Options{Stream: &b, MaxRows: 1}, "a limit on rows of a file needs a file or a folder as output"},
		"unknown compression": {Options{Stream: &b, Compression: "rar"}, `unknown compression "rar": one of gzip, zstd, lz4, snappy`},
		"level of nothing":    {Options{Stream: &b, Level: 1}, "compression level 1 without a compression"},
		"level of snappy":     {Options{Stream: &b, Compression: "snappy", Level: 1}, "compression level 1: snappy has no levels"},
		"level too high":      {Options{Stream: &b, Compression: "zstd", Level: 10}, "compression level 10: zstd has 1 to 9"},
		"level too low":       {Options{Stream: &b, Compression: "gzip", Level: -1}, "compression level -1: gzip has 1 to 9"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(c.options)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestOneFileExists(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	_, err := Open(Options{Path: path})
	require.EqualError(
		t,
		err,
		"output "+path+" exists already: name another file, or write over it with --force",
	)
	require.Equal(t, []string{"out"}, names(t, folder))

	o, err := Open(Options{Path: path, Force: true})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(1, 1)))
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(old), "what is there stays until the new file is whole")
	require.NoError(t, o.Commit())
	require.Equal(t, string(text(1, 1)), contents(t, folder, "", o.Files()[0]))
}

func TestLeftoverPartOfOneFileIsWrittenOverByForce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	require.NoError(t, os.WriteFile(path+".part", []byte("much older and longer text"), 0o644))
	_, err := Open(Options{Path: path})
	require.ErrorContains(t, err, "output "+path+".part exists already")
	o, err := Open(Options{Path: path, Force: true})
	require.NoError(t, err)
	require.NoError(t, o.Commit())
	require.Equal(t, "", contents(t, folder, "", o.Files()[0]))
	require.Equal(t, []string{"out"}, names(t, folder))
}

func TestOneFileInABadPlace(t *testing.T) {
	folder := t.TempDir()
	_, err := Open(Options{Path: folder, Force: true})
	require.EqualError(
		t,
		err,
		"output "+folder+" is a folder: --dir "+folder+" writes files into it",
	)

	missing := filepath.Join(folder, "missing", "out")
	_, err = Open(Options{Path: missing})
	require.EqualError(
		t,
		err,
		"output "+missing+": folder "+filepath.Dir(missing)+" does not exist",
	)

	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = Open(Options{Path: pipe, Force: true})
	require.EqualError(
		t,
		err,
		"output "+pipe+" is no plain file: send the standard output there instead",
	)

	dangling := filepath.Join(folder, "dangling")
	require.NoError(t, os.Symlink(missing, dangling))
	_, err = Open(Options{Path: dangling})
	require.ErrorContains(t, err, "output "+dangling+": ")
}

func TestLinkLeadsToItsFile(t *testing.T) {
	folder := t.TempDir()
	real, link := filepath.Join(folder, "real"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(real, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(real, link))
	o, err := Open(Options{Path: link, Force: true})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(1, 1)))
	require.Equal(t, []string{real + ".part"}, o.Parts())
	require.NoError(t, o.Commit())
	require.Equal(t, "link", o.Files()[0].Name)
	info, err := os.Lstat(real)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
	require.Equal(t, string(text(1, 1)), contents(t, folder, "", o.Files()[0]))
}

func TestFolderIsNotEmpty(t *testing.T) {
	folder := t.TempDir()
	options := Options{Path: folder, Dir: true, Base: "b", Ext: "csv", Compression: "gzip"}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "sub"), 0o700))
	o, err := Open(options)
	require.NoError(t, err, "folders are no files")
	require.NoError(t, o.Abort())

	stale := []string{
		"b-0001-0001.csv.gz", "b-0001-0002.csv", "b-0007-0001.csv.zst", "b-0007-0002.csv.zst.part",
		"b-10000-12345.csv.gz", "b-0001-0001.csv.gz.part",
	}
	foreign := []string{
		"b-0001-0001.txt.gz", "b-0001.csv", "b-1-1.csv", "bb-0001-0001.csv", "b-0001-0001xcsv",
		"b-0002-0001.csv.bak", "manifest.json",
	}
	for _, name := range append(stale, foreign...) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o600))
	}
	_, err = Open(options)
	require.EqualError(
		t,
		err,
		"output folder "+folder+" is not empty (13 files): name another folder, or write over it with --force",
	)

	options.Force = true
	o, err = Open(options)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(1, 1)))
	require.Len(t, names(t, folder), 14, "nothing goes before the new output is whole")
	_, err = o.Complete()
	require.NoError(t, err)
	found, err := o.RemoveEarlier(func(name string) bool { return name != "b-10000-12345.csv.gz" })
	require.NoError(t, err)
	require.Equal(t, 3, found.Removed)
	require.Equal(t, []string{"b-10000-12345.csv.gz"}, found.Left, "it is not of an earlier output")
	require.Empty(t, found.Replaced)
	require.NoError(t, o.Commit())
	require.ElementsMatch(
		t,
		append(foreign, "sub", "b-0001-0001.csv.gz", "b-10000-12345.csv.gz"),
		names(t, folder),
	)
	require.Equal(t, string(text(1, 1)), contents(t, folder, "gzip", o.Files()[0]))
}

// TestFolderReplacesAForeignFile: Commit writes over a file that is of no earlier output if it
// needs the name, and RemoveEarlier names that file.
func TestFolderReplacesAForeignFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "b-0001-0001.csv")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	o, err := Open(Options{Path: folder, Dir: true, Base: "b", Ext: "csv", Force: true})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, text(1, 1)))
	_, err = o.Complete()
	require.NoError(t, err)
	found, err := o.RemoveEarlier(func(string) bool { return false })
	require.NoError(t, err)
	require.Equal(t, Earlier{Replaced: []string{"b-0001-0001.csv"}}, found)
	require.NoError(t, o.Commit())
	require.Equal(t, []string{"b-0001-0001.csv"}, names(t, folder))
}

func TestFolderInABadPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, filepath.Join(file, "under")} {
		_, err := Open(Options{Path: path, Dir: true, Base: "b", Force: true})
		require.ErrorIs(t, err, syscall.ENOTDIR)
		require.ErrorContains(t, err, "output folder "+path+": ")
	}
}

// Check refuses what Open would, and makes nothing.
func TestCheckMakesNothing(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.csv")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	folder := Options{Dir: true, Base: "part", Ext: ".csv", Exts: []string{".csv"}}
	for _, tc := range []struct {
		name string
		path string
		dir  bool
		want string
	}{
		{"a stream", "", false, ""},
		{"a new file", filepath.Join(dir, "new.csv"), false, ""},
		{"one that is there", there, false, "exists already"},
		{"no folder for it", filepath.Join(dir, "none", "new.csv"), false, "nothing can be written in"},
		{"a new folder", filepath.Join(dir, "a", "b"), true, ""},
		{"one with files", dir, true, "is not empty"},
	} {
		o := folder
		if !tc.dir {
			o = Options{}
		}
		o.Path = tc.path
		if tc.path == "" {
			o.Stream = io.Discard
		}
		if err := Check(o); tc.want == "" {
			require.NoError(t, err, tc.name)
		} else {
			require.ErrorContains(t, err, tc.want, tc.name)
		}
	}
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// The files of an output have the mode that was asked for, whatever the umask is, and so has a
// folder that is made.
func TestMode(t *testing.T) {
	t.Chdir(t.TempDir())
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	out, err := Open(Options{Path: "a.csv", Mode: 0o664})
	require.NoError(t, err)
	require.NoError(t, out.Commit())
	require.Equal(t, fs.FileMode(0o664), mode("a.csv"))

	out, err = Open(
		Options{Path: "dir", Dir: true, Base: "part", Ext: ".csv", Mode: 0o640, FolderMode: 0o750},
	)
	require.NoError(t, err)
	require.NoError(t, out.Writer().Write(1, []byte("x\n")))
	require.NoError(t, out.Commit())
	require.Equal(t, fs.FileMode(0o750), mode("dir"))
	require.Equal(t, fs.FileMode(0o640), mode("dir/part-0001-0001.csv"))
}
