package source

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func names(inputs []Input) (out []string) {
	for _, in := range inputs {
		out = append(out, in.Name)
	}
	return out
}

func TestFolder(t *testing.T) {
	note := func(folder, n string) []string {
		return []string{"folder " + folder + ": " + n + " passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)"}
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
		{"among files", []string{"d/b", "a"}, []string{"a", "d", "a"}, []string{"a", "d/b", "a"}, nil},
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
	require.EqualError(t, err, "folder d: no files to load in it, 2 passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)\nfolder e: no files in it")
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
	require.Equal(t, []string{"folder link: 3 passed over (what is hidden, unfinished, a manifest, a list of errors, or no file)"}, notes)

	require.NoError(t, os.Symlink("nowhere", "d/dead"))
	_, _, err = Find([]string{"d"}, nil)
	require.EqualError(t, err, "folder d: stat d/dead: no such file or directory")
}
