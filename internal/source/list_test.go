package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// putFile writes a file in the working directory.
func putFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func TestListOfInputs(t *testing.T) {
	for _, tc := range []struct {
		name  string
		list  string
		stdin string
		words []string
		want  []string
	}{
		{"files", "b\na\n", "", []string{"@list"}, []string{"b", "a"}},
		{"among words", "b\n", "", []string{"c", "@list", "a"}, []string{"c", "b", "a"}},
		{"twice", "b\n", "", []string{"@list", "@list"}, []string{"b", "b"}},
		{"no end of the last line", "b\na", "", []string{"@list"}, []string{"b", "a"}},
		{"CRLF", "b\r\n\r\na\r\n", "", []string{"@list"}, []string{"b", "a"}},
		{"a byte order mark", "\ufeffb\n", "", []string{"@list"}, []string{"b"}},
		{"before a comment", "\ufeff# all\nb\n", "", []string{"@list"}, []string{"b"}},
		{"skipped lines", "# all\n\n \t\n  # more\nb\n\n", "", []string{"@list"}, []string{"b"}},
		{"blanks around a name", "  b\t\n", "", []string{"@list"}, []string{"b"}},
		{"blanks in a name", "a b\n", "", []string{"@list"}, []string{"a b"}},
		{"no comment behind a name", "a #1\n", "", []string{"@list"}, []string{"a #1"}},
		{"a folder and a pattern", "d\n[ab]\n", "", []string{"@list"}, []string{"d/x", "d/y", "a", "b"}},
		{"a file whose name begins with @", "./@a\n", "", []string{"@list"}, []string{"./@a"}},
		{"of the standard input", "", "b\na\n", []string{"c", "@-"}, []string{"c", "b", "a"}},
		{"beside the standard input", "b\n", "", []string{"@list", "-"}, []string{"b", "stdin"}},
		{"no list", "", "", []string{"./@a", "a"}, []string{"./@a", "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inFolder(t, "a", "b", "c", "d/x", "d/y", "a b", "a #1", "@a")
			putFile(t, "list", tc.list)
			f := Finder{Stdin: strings.NewReader(tc.stdin)}
			words, err := f.ReadLists(t.Context(), tc.words)
			require.NoError(t, err)
			inputs, _, err := Finder{}.Find(words)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(inputs))
			inputs, _, err = Find(words.Texts(), nil)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(inputs))
		})
	}
}

func TestListMayBeCompressed(t *testing.T) {
	inFolder(t, "a")
	var stored bytes.Buffer
	w := gzip.NewWriter(&stored)
	_, err := io.WriteString(w, "a\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	putFile(t, "list.gz", stored.String())
	words, err := Finder{Stdin: nil}.ReadLists(t.Context(), []string{"@list.gz"})
	require.NoError(t, err)
	require.Equal(t, Words{{Text: "a", List: "list.gz", Line: 1}}, words)
}

func TestListsThatAreNone(t *testing.T) {
	for _, tc := range []struct {
		name  string
		list  string
		stdin string
		words []string
		want  string
	}{
		{"missing", "", "", []string{"@x", "@y"}, "list x: file does not exist\nlist y: file does not exist"},
		{"a file of that name", "", "", []string{"@a"}, "list a: file does not exist: to load the file @a, name it ./@a"},
		{"no name", "", "", []string{"@"}, "@: name the file that has the list of inputs, as @list.txt"},
		{"a folder", "", "", []string{"@d"}, "list d: this is a folder: name it without the @"},
		{"below a file", "", "", []string{"@b/c"}, "list: stat b/c: not a directory"},
		{"empty", "", "", []string{"@list"}, "list list: it names no input"},
		{"comments alone", "# a\n", "", []string{"@list"}, "list list: it names no input"},
		{"empty on the standard input", "", "\n", []string{"@-"}, "list stdin: it names no input"},
		{"a list in a list", "b\n@list\n@-\n", "", []string{"@list"},
			"list:2: @list: a list cannot name a list: a file of this name is ./@list\n" +
				"list:3: @-: a list cannot name a list: a file of this name is ./@-"},
		{"the standard input in a list", "b\n-\n", "", []string{"@list"},
			"list:2: -: a list cannot name the standard input: name it on the command line"},
		{"in a list of the standard input", "", "-\n", []string{"@-"},
			"stdin:1: -: a list cannot name the standard input: name it on the command line"},
		{"the standard input, too", "", "b\n", []string{"@-", "b", "-"},
			"@- and -: the standard input has the list of inputs, and cannot be an input too"},
		{"twice", "", "b\n", []string{"@-", "@-"}, "@-: the standard input can be read once"},
		{"no text", "PK\x03\x04\x14", "", []string{"@list"}, "list: input list: this is a zip archive: unpack it, and load the files in it"},
		{"a long line", "b\n" + strings.Repeat("a,b", maxListLine) + "\n", "", []string{"@list"},
			"list:2: the line is longer than 64.0 KiB: this is no list of inputs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inFolder(t, "b", "@a", "d/e")
			putFile(t, "list", tc.list)
			f := Finder{Stdin: strings.NewReader(tc.stdin)}
			words, err := f.ReadLists(t.Context(), tc.words)
			require.EqualError(t, err, tc.want)
			require.Nil(t, words)
		})
	}
}

// Errors about the words of a list have its name and the line.
func TestWordsOfListsThatNameNothing(t *testing.T) {
	inFolder(t, "a", "d/b")
	putFile(t, "list", "# files\nx\na\n\ny*\n")
	putFile(t, "d/list", "b\n")
	find := func(words ...string) error {
		listed, err := Finder{Stdin: nil}.ReadLists(t.Context(), words)
		require.NoError(t, err)
		inputs, _, err := Finder{}.Find(listed)
		require.Nil(t, inputs)
		return err
	}
	err := find("@list", "z")
	require.EqualError(t, err, `list:2: input x: file does not exist
list:5: pattern "y*": no file matches
input z: file does not exist`)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.EqualError(t, find("@d/list"), "d/list:1: input b: file does not exist: "+
		"names are relative to the working directory; there is d/b")

	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "x%d\n", i)
	}
	putFile(t, "data", long.String())
	err = find("@data", "@list")
	require.ErrorContains(t, err, "data:10: input x9: file does not exist\n"+
		"data: and 990 more lines of the kind\nlist:2: ")
	require.NotContains(t, err.Error(), "data:11:")
}

// A list that never ends is waited for until the context ends.
func TestListIsWaitedFor(t *testing.T) {
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.WriteString(out, "a\n") // it returns when that was read
		cancel()
	}()
	_, err := Finder{Stdin: in}.ReadLists(ctx, []string{"@-"})
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.NoError(t, out.Close())
}
