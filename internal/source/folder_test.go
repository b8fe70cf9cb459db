package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

func names(inputs []Input) (out []string) {
	for _, in := range inputs {
		out = append(out, in.Name)
	}
	return out
}

func TestFolder(t *testing.T) {
	note := func(folder, n string) []string {
		return []string{
			"folder " + folder + ": " + n + " passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)",
		}
	}
	for _, tc := range []struct {
		name  string
		files []string
		words []string
		want  []string
		notes []string
	}{
		{"in order of paths", []string{"d/b", "d/a/z", "d/a.csv", "d/a/y/x", "d/B"}, []string{"d"}, []string{"d/B", "d/a.csv", "d/a/y/x", "d/a/z", "d/b"}, nil},
		{"as it was written", []string{"d/b"}, []string{"./d/"}, []string{"d/b"}, nil},
		{"the working directory", []string{"b", "d/c"}, []string{"."}, []string{"b", "d/c"}, nil},
		{"among files", []string{"d/b", "a", "c"}, []string{"a", "d", "c"}, []string{"a", "d/b", "c"}, nil},
		{"named by a pattern", []string{"d1/b", "d2/a", "d3"}, []string{"d*"}, []string{"d1/b", "d2/a", "d3"}, nil},
		{"companions", []string{"d/a.csv", "d/.a.csv", "d/.x/y/z", "d/b.csv.part", "d/manifest.json", "d/a.csv.manifest.json", "d/e/errors.jsonl"},
			[]string{"d"}, []string{"d/a.csv"}, note("d", "6")},
		{"names like those of companions", []string{"d/a.partial", "d/part", "d/my-manifest.json", "d/errors.jsonl.csv", "d/a..csv"},
			[]string{"d"}, []string{"d/a..csv", "d/a.partial", "d/errors.jsonl.csv", "d/my-manifest.json", "d/part"}, nil},
		{"companions named outright", []string{"d/.a", "d/b.part", "d/manifest.json", ".h/x"},
			[]string{"d/.a", "d/*.part", "d/manifest.json", ".h"}, []string{"d/.a", "d/b.part", "d/manifest.json", ".h/x"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inFolder(t, tc.files...)
			inputs, notes, err := Find(tc.words, nil)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(inputs))
			require.Equal(t, tc.notes, notes)
		})
	}
}

func TestFolderWithoutFiles(t *testing.T) {
	inFolder(t, "d/.hidden", "d/x.part", "a")
	require.NoError(t, os.MkdirAll("e/f", 0o700))
	inputs, notes, err := Find([]string{"d", "a", "e"}, nil)
	require.EqualError(
		t,
		err,
		"folder d: no files to load in it, 2 passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)\n"+
			"folder e: no files in it",
	)
	require.Nil(t, inputs)
	require.Nil(t, notes)
}

func TestFolderOfLinksAndPipes(t *testing.T) {
	inFolder(t, "d/a", "other/b", "c")
	require.NoError(t, os.Symlink("../c", "d/to-file"))
	require.NoError(t, os.Symlink("../other", "d/to-folder"))
	require.NoError(t, os.Symlink("..", "d/round"))
	require.NoError(t, os.Symlink("d", "link"))
	require.NoError(t, syscall.Mkfifo("d/pipe", 0o600))
	inputs, notes, err := Find([]string{"link"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"link/a", "link/to-file"}, names(inputs))
	require.EqualValues(t, 1, inputs[1].Size)
	require.Equal(
		t,
		[]string{
			"folder link: 3 passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)",
		},
		notes,
	)

	require.NoError(t, os.Symlink("nowhere", "d/dead"))
	_, _, err = Find([]string{"d"}, nil)
	require.EqualError(t, err, "folder d: stat d/dead: no such file or directory")
}

// runDir makes the run directory of a load that was stopped, with rejects in it.
func runDir(t *testing.T, path string) {
	t.Helper()
	j, err := journal.Create(path, journal.Manifest{Command: "load", Table: "demo.t"})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	for _, name := range []string{"rejects.csv", "errors.jsonl", "in-doubt.csv", "rejects-broken.csv"} {
		require.NoError(t, os.WriteFile(filepath.Join(path, name), []byte("a\n"), 0o600))
	}
}

// Run directories below a folder hold no input, unless they or their files are named.
func TestFolderWithRunDirectories(t *testing.T) {
	const why = " (the folders of loads and scans, whose files are loaded where they are named)"
	inFolder(
		t,
		"d/a.csv",
		"d/run.json",
		"d/journal",
		"d/bare/rejects.csv",
		"d/bare/errors.jsonl",
		"d/mine/rejects.csv",
		"e/x",
	)
	runDir(t, "d/run1")
	runDir(t, "d/run1/retry-1")
	runDir(t, "d/x/run2")
	require.NoError(t, os.Remove("d/x/run2/run.json")) // left by a kill at its beginning
	runDir(t, "run")
	runDir(t, "only/run")

	inputs, notes, err := Find([]string{"d"}, nil)
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{"d/a.csv", "d/journal", "d/mine/rejects.csv", "d/run.json"},
		names(inputs),
		"what is only called so is input",
	)
	require.Equal(t, []string{"folder d: 3 run directories left out, d/bare first" + why}, notes)

	inputs, notes, err = Find([]string{"d/run1/rejects.csv", "d/x/run2/*.csv"}, nil)
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{
			"d/run1/rejects.csv",
			"d/x/run2/in-doubt.csv",
			"d/x/run2/rejects-broken.csv",
			"d/x/run2/rejects.csv",
		},
		names(inputs),
	)
	require.Empty(t, notes)

	inputs, notes, err = Find([]string{"d/run1", "d/bare"}, nil)
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{"d/run1/rejects-broken.csv", "d/run1/rejects.csv", "d/bare/rejects.csv"},
		names(inputs),
		"the rejects, and not the books",
	)
	require.Len(t, notes, 3)
	require.Equal(t, "folder d/run1: 1 run directory left out, d/run1/retry-1"+why, notes[1])

	_, _, err = Find([]string{"only"}, nil)
	require.EqualError(
		t,
		err,
		"folder only: no files to load in it, but for 1 run directory, only/run"+why,
	)
}
