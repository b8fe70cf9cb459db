package sink

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstLines returns the length of the first lines of a text.
func firstLines(text []byte, rows int) int {
	length := 0
	for range rows {
		length += bytes.IndexByte(text[length:], '\n') + 1
	}
	return length
}

// numberedOptions are those of numbered files of ten rows each.
func numberedOptions(path, compression string) Options {
	return Options{
		Path: path, Compression: compression, Header: []byte(header),
		MaxRows: 10, FirstRows: firstLines,
	}
}

// joined returns the text of numbered files, one behind the other, and the rows of each.
func joined(t *testing.T, path, compression string, files []File) (all []byte, rows []int64) {
	t.Helper()
	for i := range files {
		name := numberedName(filepath.Base(path), i+1)
		stored, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		require.NoError(t, err)
		text, err := expand(compression, stored)
		require.NoError(t, err)
		all = append(all, text...)
		for _, f := range files {
			if f.Name == name {
				rows = append(rows, f.Rows)
				require.EqualValues(t, len(text), f.TextBytes)
				require.EqualValues(t, len(stored), f.Bytes)
			}
		}
	}
	return all, rows
}

// Each numbered file but the last has exactly the rows of the limit, and only the first has the
// header.
func TestNumberedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		pieces []int
		want   []int64
	}{
		"of cqlsh's own test": {[]int{44}, []int64{10, 10, 10, 10, 4}},
		"pieces that cross":   {[]int{3, 9, 1, 20, 4}, []int64{10, 10, 10, 7}},
		"exactly full":        {[]int{10, 5, 5}, []int64{10, 10}},
		"less than a file":    {[]int{4}, []int64{4}},
		"one row more":        {[]int{10, 1}, []int64{10, 1}},
		"no rows":             {nil, []int64{0}},
	} {
		for _, compression := range every() {
			t.Run(name+" "+compression, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.csv")
				o, err := Open(numberedOptions(path, compression))
				require.NoError(t, err)
				workers, total := []Writer{o.Writer(), o.Writer()}, 0
				for i, rows := range c.pieces {
					require.NoError(t, workers[i%2].Write(rows, text(total, rows)))
					total += rows
				}
				require.NoError(t, o.Commit())
				all, rows := joined(t, path, compression, o.Files())
				require.Equal(t, c.want, rows)
				require.Equal(t, header+string(text(0, total)), string(all))
				require.Len(t, names(t, filepath.Dir(path)), len(c.want))
			})
		}
	}
}

// A resumed output continues in the file of the mark. Numbered files that were begun after it are
// gone.
func TestResumeNumberedFiles(t *testing.T) {
	for _, compression := range every() {
		for rows := range 25 {
			path := filepath.Join(t.TempDir(), "f.csv")
			options := numberedOptions(path, compression)
			o, err := Open(options)
			require.NoError(t, err)
			require.NoError(t, o.Writer().Write(rows, text(0, rows)))
			mark, err := o.Mark()
			require.NoError(t, err)
			require.NoError(t, o.Sync())
			require.NoError(t, o.Writer().Write(33, text(900, 33)))
			require.NoError(t, o.Abort())

			options.Verify = true
			o, err = Resume(options, *mark)
			require.NoError(t, err)
			require.Len(t, o.Parts(), max(rows-1, 0)/10+1)
			require.Len(t, names(t, filepath.Dir(path)), len(o.Parts()))
			require.NoError(t, o.Writer().Write(40-rows, text(rows, 40-rows)))
			require.NoError(t, o.Commit())
			all, _ := joined(t, path, compression, o.Files())
			require.Equal(t, header+string(text(0, 40)), string(all))
			require.Len(t, o.Files(), 4)
		}
	}
}

// A numbered file of another output is not written over, and with Force not left beside the new
// files.
func TestNumberedFilesThatExist(t *testing.T) {
	for _, name := range []string{"f.csv", "f.csv.part", "f.csv.3", "f.csv.3.part"} {
		path := filepath.Join(t.TempDir(), "f.csv")
		there := filepath.Join(filepath.Dir(path), name)
		require.NoError(t, os.WriteFile(there, []byte("x"), 0o600))
		options := numberedOptions(path, "")
		_, err := Open(options)
		require.ErrorContains(t, err, "output "+there+" exists already")
		require.ErrorContains(t, Check(options), "output "+there+" exists already")
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	for _, name := range []string{"", ".1", ".2", ".3", ".4.part", ".05", ".gz", ".1.csv"} {
		require.NoError(t, os.WriteFile(path+name, []byte("x"), 0o600))
	}
	options := numberedOptions(path, "")
	options.Force = true
	o, err := Open(options)
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(20, text(0, 20)))
	_, err = o.Complete()
	require.NoError(t, err)
	found, err := o.RemoveEarlier(func(name string) bool { return name == "f.csv.2" })
	require.NoError(t, err)
	require.Equal(t, Earlier{
		Removed: 1, Left: []string{"f.csv.3"}, Replaced: []string{"f.csv.1"},
	}, found)
	require.NoError(t, o.Commit())
	require.Equal(t,
		[]string{"f.csv", "f.csv.05", "f.csv.1", "f.csv.1.csv", "f.csv.3", "f.csv.gz"},
		names(t, filepath.Dir(path)))

	options = Options{Path: path, Force: true}
	o, err = Open(options)
	require.NoError(t, err)
	_, err = o.Complete()
	require.NoError(t, err)
	found, err = o.RemoveEarlier(func(name string) bool { return name == "f.csv.1" })
	require.NoError(t, err)
	require.Equal(t, Earlier{Removed: 1}, found)
	require.NoError(t, o.Commit())
	require.NoFileExists(t, path+".1")
	require.FileExists(t, path+".3")

	link := filepath.Join(t.TempDir(), "link.csv")
	require.NoError(t, os.Symlink(path, link))
	options = numberedOptions(link, "")
	options.Force = true
	_, err = Open(options)
	require.ErrorContains(t, err, "is a link")
	options.Path, options.Stream = "", os.Stderr
	_, err = Open(options)
	require.ErrorContains(t, err, "needs a file or a folder")
}
