package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inFolder makes files in a new working directory, each holding its own name.
func inFolder(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(name), 0o600))
	}
}

// A file that two words name is loaded twice, and a note says so once.
func TestFindNotesWhatIsRepeated(t *testing.T) {
	inFolder(t, "d/a", "d/b")
	inputs, notes, err := Find([]string{"d", "./d/a", "d/*"}, strings.NewReader(""))
	require.NoError(t, err)
	require.Len(t, inputs, 5)
	require.Equal(t, []string{
		"./d/a is among the inputs more than once: its rows are loaded each time",
		"d/b is among the inputs more than once: its rows are loaded each time",
	}, notes)
	_, notes, err = Find([]string{"d/a", "d/b", "-"}, strings.NewReader(""))
	require.NoError(t, err)
	require.Empty(t, notes)
}

func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		words []string
		want  []string
	}{
		{"files in the order given", []string{"a", "b"}, []string{"b", "a"}, []string{"b", "a"}},
		{"twice is twice", []string{"a"}, []string{"a", "a"}, []string{"a", "a"}},
		{"pattern in the order of names", []string{"p10", "p2", "p1", "q"}, []string{"p*"}, []string{"p1", "p10", "p2"}},
		{"patterns in the order given", []string{"a1", "b1", "a2"}, []string{"b*", "a?"}, []string{"b1", "a1", "a2"}},
		{"pattern over folders", []string{"d1/x", "d2/x", "d2/y"}, []string{"d?/x"}, []string{"d1/x", "d2/x"}},
		{"set of letters", []string{"a", "b", "c"}, []string{"[ac]"}, []string{"a", "c"}},
		{"name that looks like a pattern", []string{"a[1].csv", "a1.csv"}, []string{"a[1].csv"}, []string{"a[1].csv"}},
		{"star in a name", []string{"a*", "ab"}, []string{"a*"}, []string{"a*"}},
		{"stdin among files", []string{"a", "b"}, []string{"a", "-", "b"}, []string{"a", "stdin", "b"}},
		{"blanks", []string{"a b"}, []string{"a b"}, []string{"a b"}},
		{"nothing", nil, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inFolder(t, tc.files...)
			inputs, _, err := Find(tc.words, strings.NewReader("stdin"))
			require.NoError(t, err)
			var got []string
			for _, in := range inputs {
				got = append(got, in.Name)
				r, err := in.Open()
				require.NoError(t, err)
				data, err := io.ReadAll(r)
				require.NoError(t, err)
				require.NoError(t, r.Close())
				require.Equal(t, in.Name, string(data))
				if in.Name == "stdin" {
					require.EqualValues(t, -1, in.Size)
				} else {
					require.EqualValues(t, len(data), in.Size)
				}
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestFindFails(t *testing.T) {
	for _, tc := range []struct {
		name  string
		words []string
		want  string
	}{
		{"missing", []string{"x"}, "input x: file does not exist"},
		{"all missing ones", []string{"x", "a", "y*", "-", "z"}, "input x: file does not exist\npattern \"y*\": no file matches\ninput z: file does not exist"},
		{"folder that is missing", []string{"e/"}, "input e/: file does not exist"},
		{"bad pattern", []string{"a[b"}, `pattern "a[b": syntax error in pattern`},
		{"below a file", []string{"a/b"}, "input: stat a/b: not a directory"},
		{"empty", []string{""}, "input : file does not exist"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inFolder(t, "a", "d/e")
			inputs, _, err := Find(tc.words, strings.NewReader(""))
			require.EqualError(t, err, tc.want)
			require.Nil(t, inputs)
		})
	}
}

func TestFileThatIsGone(t *testing.T) {
	inFolder(t, "a")
	inputs, _, err := Find([]string{"a"}, nil)
	require.NoError(t, err)
	require.NoError(t, os.Remove("a"))
	_, err = inputs[0].Open()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "input a: ")
}

func TestSizeOfWhatIsNoFile(t *testing.T) {
	inputs, _, err := Find([]string{os.DevNull}, nil)
	require.NoError(t, err)
	require.EqualValues(t, -1, inputs[0].Size)
}
