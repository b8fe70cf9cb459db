package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/report"
)

// earlierData is what an earlier version made. The README beside it says how.
const earlierData = "testdata/earlier/data"

// copyEarlier is the command "earlier": it copies what an earlier version made into the folder of
// the script. Only the owner may read and write the copies, as that version left them.
func copyEarlier(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: earlier")
	}
	ts.Check(filepath.WalkDir(earlierData, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(earlierData, path)
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			return os.Mkdir(ts.MkAbs(name), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(ts.MkAbs(name), text, 0o600)
	}))
}

// TestEarlierAnswers reads the answers of --json of an earlier version.
func TestEarlierAnswers(t *testing.T) {
	for _, file := range earlierFiles(t, "json/*.json") {
		var document report.Document
		readsWhole(t, file, &document)
		require.Equal(t, report.Version, document.Version, file)
	}
}

// TestEarlierManifests reads the manifests of scans of an earlier version.
func TestEarlierManifests(t *testing.T) {
	files := append(earlierFiles(t, "*.manifest.json"), earlierFiles(t, "*/manifest.json")...)
	for _, file := range files {
		var m manifest.Manifest
		readsWhole(t, file, &m)
	}
}

// earlierFiles returns the files of an earlier version that match a pattern.
func earlierFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(earlierData, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// readsWhole reads a file of JSON into to. Each member must be known, and must be written again as
// it was.
func readsWhole(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(to), file)
	again, err := json.Marshal(to)
	require.NoError(t, err, file)
	require.JSONEq(t, string(text), string(again), file)
}
