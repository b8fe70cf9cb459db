package verify

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
)

// prepare makes a folder with outputs of both kinds and all that is no output.
func prepare(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	put(t, root, "out", scanned(1, 1))
	m := scanned(1, 1)
	m.Files[0].Name = "a.csv"
	text, err := os.ReadFile(filepath.Join(root, "out", "part-0001-0001.csv"))
	require.NoError(t, err)
	t.Chdir(root)
	require.NoError(t, os.WriteFile("a.csv", text, 0o600))
	require.NoError(t, os.WriteFile("b.csv", text, 0o600))
	require.NoError(t, manifest.Write("a.csv.manifest.json", m))
	require.NoError(t, manifest.Write("renamed", m))
	require.NoError(t, manifest.Write("gone.csv.manifest.json", m))
	require.NoError(t, os.WriteFile("copied.csv", []byte("other rows"), 0o600))
	require.NoError(t, manifest.Write("copied.csv.manifest.json", m))
	m.Command = "load\n"
	require.NoError(t, manifest.Write("load.manifest.json", m))
	require.NoError(t, os.WriteFile("bad.manifest.json", []byte(`{"format": 1,`), 0o600))
	require.NoError(t, os.Mkdir("empty", 0o700))
	require.NoError(t, os.Mkdir("odd.manifest.json", 0o700))
	require.NoError(t, syscall.Mkfifo("pipe.manifest.json", 0o600))
	require.NoError(t, os.WriteFile("large.csv", nil, 0o600))
	require.NoError(t, os.Truncate("large.csv", largest+1))
}

// A file beside the manifest of another file is not taken for that one, which would be checked in
// its place.
func TestFindRefusesTheManifestOfAnotherFile(t *testing.T) {
	prepare(t)
	_, err := files{}.find(t.Context(), []string{"copied.csv"})
	require.EqualError(t, err, "manifest copied.csv.manifest.json is not of copied.csv, but of a.csv: "+
		"to check that one, name the manifest; a file that was renamed needs the name that it had")
	_, err = files{}.find(t.Context(), []string{"copied.csv.manifest.json"})
	require.NoError(t, err)
}

func TestFind(t *testing.T) {
	prepare(t)
	for path, want := range map[string]string{
		"out":                 "out/manifest.json",
		"out/":                "out/manifest.json",
		"out/manifest.json":   "out/manifest.json",
		"a.csv":               "a.csv.manifest.json",
		"a.csv.manifest.json": "a.csv.manifest.json",
		"renamed":             "renamed",
		"gone.csv":            "gone.csv.manifest.json",
	} {
		found, err := files{}.find(t.Context(), []string{path})
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, want, found[0].path)
	}
	found, err := files{}.find(
		t.Context(),
		[]string{"a.csv", "out", "./a.csv.manifest.json", "out/manifest.json", "renamed"},
	)
	require.NoError(t, err)
	require.Len(t, found, 3, "each manifest once")
}

func TestFindNone(t *testing.T) {
	prepare(t)
	for path, want := range map[string]string{
		"nowhere":                "no manifest at nowhere: no such file or directory",
		"":                       "no manifest at : no such file or directory",
		"nowhere/manifest.json":  "no manifest nowhere/manifest.json: no such file or directory",
		"empty":                  "no manifest in folder empty: it holds no manifest.json",
		"odd.manifest.json":      "no manifest in folder odd.manifest.json: it holds no manifest.json",
		"b.csv":                  "no manifest beside b.csv (b.csv.manifest.json): file does not exist",
		"out/part-0001-0001.csv": "no manifest beside out/part-0001-0001.csv: there is one for the whole folder out",
		"bad.manifest.json":      "manifest bad.manifest.json: malformed at byte 13: unexpected end of JSON input",
		"pipe.manifest.json":     "no manifest pipe.manifest.json: it is no plain file",
		"load.manifest.json":     `manifest load.manifest.json: it is of "load\n", and only those of scan have an output`,
		"large.csv":              "no manifest large.csv: a file of 134217729 bytes is none",
	} {
		_, err := Check(t.Context(), Options{Paths: []string{path}})
		require.EqualError(t, err, want)
	}
	_, err := Check(t.Context(), Options{})
	require.EqualError(t, err, "no manifest given")

	// One error has all that is missing.
	_, err = Check(t.Context(), Options{Paths: []string{"nowhere", "out", "b.csv"}})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Len(t, strings.Split(err.Error(), "\n"), 2)
}

// The output of one file: others in its folder are none of its business.
func TestOneFile(t *testing.T) {
	prepare(t)
	require.NoError(t, os.WriteFile("part-0001-0002.csv", nil, 0o600))
	r, err := Check(t.Context(), Options{Paths: []string{"a.csv"}})
	require.NoError(t, err)
	require.Empty(t, r.Findings)
	r, err = Check(t.Context(), Options{Paths: []string{"gone.csv"}})
	require.NoError(t, err)
	require.Empty(t, r.Findings, "it names a.csv")
}
