package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestManifestText(t *testing.T) {
	m := sample()
	m.Run = "RUN"
	text, err := encodeManifest(m)
	require.NoError(t, err)
	require.Equal(t, `{
  "version": 1,
  "run": "RUN",
  "tool": "cqlbulk 0.1.0",
  "command": "scan",
  "table": "demo.flights",
  "started": "2024-05-06T07:08:09.123Z",
  "schema_fingerprint": "00ff",
  "options": {
    "null": "<none> & \"checksum\":\"",
    "header": true
  },
  "extra": [
    1,
    2.50
  ],
  "checksum": "`+sumOfSample+`"
}
`, string(text))

	got, err := decodeManifest(text)
	require.NoError(t, err)
	require.Equal(t, sumOfSample, got.Checksum)
	require.Equal(t, time.Date(2024, 5, 6, 7, 8, 9, 123e6, time.UTC), got.Started)
	require.Equal(t, `{"null":"<none> & \"checksum\":\"","header":true}`, string(got.Options))
	require.Equal(t, `[1,2.50]`, string(got.Extra))
	require.Equal(t, Version, got.Version)

	encoded, err := encodeManifest(got)
	require.NoError(t, err)
	require.Equal(t, string(text), string(encoded))
}

// sumOfSample is the SHA-256 of the compact object without its checksum.
const sumOfSample = "68ac7d525178a5809b81cd4141683e7de88585a68f5ce83b8503c3da71762639"

func TestTwoRunsAreNotOne(t *testing.T) {
	a, b := create(t), create(t)
	require.NotEqual(t, a.Manifest().Checksum, b.Manifest().Checksum)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	text, err := os.ReadFile(a.path())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.path(), text, 0o600))
	_, err = Open(b.dir, nothing)
	require.ErrorContains(t, err, "it belongs to another run than run.json beside it")
}

func TestManifestChanged(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Close())
	path := filepath.Join(j.dir, "run.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := "run directory " + j.dir + ": run.json has been changed by hand: its checksum does not match"
	for name, c := range map[string]struct{ old, new, want string }{
		"table":          {"demo.flights", "demo.airports", changed},
		"option":         {`"header": true`, `"header": false`, changed},
		"another field":  {`"tool"`, `"weather": 1, "tool"`, changed},
		"letter case":    {`"table"`, `"Table"`, changed},
		"number":         {"2.50", "2.5", changed},
		"checksum":       {`"checksum": "`, `"checksum": "0`, changed},
		"behind it":      {"\n}\n", ",\n\"x\": 1}\n", changed},
		"no checksum":    {`"checksum": "` + j.manifest.Checksum, `"sum": "`, "run.json is no manifest of a run: it has no checksum"},
		"later version":  {`"version": 1`, `"version": 3`, "run.json was made by another version of the journal: 3, this cqlbulk reads 1 and 2"},
		"no version":     {`"version"`, `"edition"`, "run.json is no manifest of a run: it has no version"},
		"cut off":        {"\n}\n", "", "run.json is malformed: unexpected end of JSON input"},
		"not an object":  {string(text), "[]", "run.json is malformed: json: cannot unmarshal array"},
		"something else": {string(text), "id,name\n", "run.json is malformed: invalid character 'i'"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(string(text), c.old))
			require.NoError(
				t,
				os.WriteFile(path, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o600),
			)
			_, err := Open(j.dir, nothing)
			require.ErrorContains(t, err, c.want)
			_, err = Read(j.dir, nothing)
			require.ErrorContains(t, err, c.want)
		})
	}
	require.NoError(
		t,
		os.WriteFile(path, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), 0o600),
	)
	status, err := Read(j.dir, nothing)
	require.NoError(t, err, "white space says nothing")
	require.Equal(t, j.Manifest(), status.Manifest)
}

func TestManifestEveryBit(t *testing.T) {
	text, err := encodeManifest(sample())
	require.NoError(t, err)
	want, err := decodeManifest(text)
	require.NoError(t, err)
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if got, err := decodeManifest(text); err == nil { // white space
			require.Equal(t, want, got, "bit %d", bit)
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
}
