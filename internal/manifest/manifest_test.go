package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

func sample() Manifest {
	return Manifest{
		Format:      Format,
		Tool:        "cqlbulk",
		ToolVersion: "0.1.0",
		Command:     "scan",
		Cluster:     "test cluster",
		Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
		Keyspace:    "demo",
		Table:       "flights",
		Columns: []Column{
			{Name: "id", Kind: "partition_key", Type: "int"},
			{Name: "tags", Kind: "regular", Type: "frozen<map<text, int>>"},
		},
		Options: map[string]any{
			"null":      "NA & <none>",
			"page-size": json.Number("5000"),
			"header":    true,
		},
		Seed:     1<<64 - 1,
		PlanHash: "00ff",
		Shard:    "2/7",
		Reading: &Reading{
			Via: "sstables",
			Now: new(time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)),
			SSTables: &SSTables{
				Snapshots: []string{"nightly"},
				Number:    12,
				Sum:       "0123456789abcdef",
				Before:    "fedcba9876543210",
			},
		},
		Ranges: Ranges{Splits: 300, Done: 299, Failed: 1, Lost: []Range{
			{Start: "-9223372036854775808", End: "-42", Error: "read timed out"},
		}},
		Files: []File{
			{
				Name:      "flights.csv.zst",
				Rows:      7,
				TextBytes: 700,
				Bytes:     70,
				Sum:       filesum.Sum{SHA256: strings.Repeat("ab", 32)},
			},
		},
		Rows:     7,
		Checksum: &Checksum{Definition: rowsum.Version, Value: strings.Repeat("0f", 16)},
		Started:  time.Date(2024, 5, 6, 7, 8, 9, 123e6, time.UTC),
		Finished: time.Date(2024, 5, 6, 7, 8, 10, 0, time.UTC),
	}
}

func TestWriteGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.manifest.json")
	require.NoError(t, Write(path, sample()))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join("testdata", "sample.json"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestWriteRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, Write(path, sample()))
	got, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, sample(), got)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

func TestWriteNormalises(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	east := time.FixedZone("east", 2*3600)
	options := map[string]any{
		"Password":  "p",
		"auth":      map[string]any{"user": "u", "tls-secret": "s"},
		"page-size": 5000,
	}
	require.NoError(
		t,
		Write(
			path,
			Manifest{Started: time.Date(2024, 1, 1, 1, 0, 0, 1234567, east), Options: options},
		),
	)
	require.Len(t, options, 3, "the caller's options stay as they are")

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"started": "2023-12-31T23:00:00.001Z"`)
	require.Contains(t, string(text), `"files": []`)
	require.Contains(t, string(text), `"columns": []`)
	require.Contains(t, string(text), `"failed_ranges": []`)
	require.NotContains(t, string(text), "checksum")
	require.NotContains(t, string(text), "null")

	got, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, Format, got.Format)
	require.Nil(t, got.Checksum)
	require.Nil(t, got.Reading, "as in a manifest of an older version")
	require.Equal(
		t,
		map[string]any{"auth": map[string]any{"user": "u"}, "page-size": json.Number("5000")},
		got.Options,
	)
}

func TestHowRowsWereRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	began := time.Date(2024, 1, 1, 1, 0, 0, 1234567, time.FixedZone("east", 2*3600))
	require.NoError(
		t,
		Write(
			path,
			Manifest{
				Reading: &Reading{
					Via:      "sstables",
					Now:      &began,
					SSTables: &SSTables{Number: 1, Sum: "0a"},
				},
			},
		),
	)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"now": "2023-12-31T23:00:00.001Z"`)
	require.Contains(t, string(text), `"snapshots": []`)
	require.NotContains(t, string(text), "before")
	require.NotContains(t, string(text), "replicas")
	require.Equal(t, 1234567, began.Nanosecond(), "the caller's time stays as it is")

	require.NoError(t, Write(path, Manifest{Reading: &Reading{Via: "cql", Replicas: "LOCAL_ONE"}}))
	got, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, &Reading{Via: "cql", Replicas: "LOCAL_ONE"}, got.Reading)
}

func TestWriteReplacesWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "manifest.json")
	require.NoError(t, Write(path, sample()))
	later := sample()
	later.Rows = 8
	require.NoError(t, Write(path, later))

	later.Options = map[string]any{"bad": func() {}}
	require.ErrorContains(t, Write(path, later), "manifest "+path+": ")

	got, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, int64(8), got.Rows)
	require.Equal(t, []string{"manifest.json"}, names(t, folder))
}

func TestWriteFailsAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing", "manifest.json")
	err := Write(missing, sample())
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, missing)

	taken := filepath.Join(folder, "taken")
	require.NoError(t, os.Mkdir(taken, 0o700))
	require.ErrorContains(t, Write(taken, sample()), "manifest "+taken+": ")
	require.Equal(t, []string{"taken"}, names(t, folder))
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {``, "malformed at byte 0: unexpected end of JSON input"},
		"cut off":         {`{"format": 1, "tool": "cql`, "malformed at byte 26: unexpected end of JSON input"},
		"bad character":   {`{"format": 1, ?}`, "malformed at byte 15: invalid character '?'"},
		"trailing text":   {`{"format": 1} x`, "malformed at byte 15: invalid character 'x' after top-level value"},
		"wrong type":      {`{"format": 1, "rows": "7"}`, "malformed at byte 25: json: cannot unmarshal string"},
		"wrong options":   {`{"format": 1, "options": [1]}`, "malformed at byte 26: json: cannot unmarshal array"},
		"seed as number":  {`{"format": 1, "seed": 7}`, "seed"},
		"no version":      {`{"rows": 7}`, "no manifest: it has no format version"},
		"not an object":   {`[1]`, "malformed at byte 1: json: cannot unmarshal array"},
		"later version":   {`{"format": 2, "rows": "many"}`, "format version 2 is not known: this program reads version 1"},
		"earlier version": {`{"format": 0}`, "format version 0 is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := Read(path)
			require.ErrorContains(t, err, "manifest "+path+": ")
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Read(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadPassesOverUnknownFields(t *testing.T) {
	m, err := decode([]byte(`{"format": 1, "rows": 3, "weather": {"wind": 4}}`))
	require.NoError(t, err)
	require.Equal(t, int64(3), m.Rows)
}

func TestPath(t *testing.T) {
	require.Equal(t, "a/b.csv.manifest.json", Path("a/b.csv", false))
	require.Equal(t, filepath.Join("a", "b", "manifest.json"), Path("a/b/", true))
}

// encoded is the text of a manifest.
func encoded(m Manifest) ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, m, slices.Values(m.Files))
	return b.Bytes(), err
}

// A manifest written file by file is as it is written at once.
func TestFilesOneByOne(t *testing.T) {
	for n := range 4 {
		m := sample()
		m.Files = nil
		for i := range n {
			m.Files = append(
				m.Files,
				File{Name: fmt.Sprintf("<%d>", i), Rows: int64(i), Sum: filesum.Sum{SHA256: "ab"}},
			)
		}
		got, err := encoded(m)
		require.NoError(t, err)
		reread, err := decode(got)
		require.NoError(t, err)
		require.Len(t, reread.Files, n)
		reread.Files = orEmpty(reread.Files)
		whole, err := indented(reread, "")
		require.NoError(t, err)
		require.Equal(t, whole, string(got))
	}
}

func FuzzDecode(f *testing.F) {
	whole, err := encoded(sample())
	require.NoError(f, err)
	f.Add(whole)
	f.Add([]byte(`{"format":1}`))
	f.Add([]byte(`{"format":2}`))
	f.Add(
		[]byte(
			`{"format":1,"options":{"a":1e999,"b":[{"c":null}]},"started":"2024-01-01T00:00:00+02:00"}`,
		),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decode(text)
		if err != nil {
			return
		}
		// What can be read can be written, and stays the same from then on. The exceptions are
		// times whose year in UTC does not have four digits.
		first, err := encoded(m)
		if err != nil {
			require.ErrorContains(t, err, "year outside of range")
			return
		}
		reread, err := decode(first)
		require.NoError(t, err)
		second, err := encoded(reread)
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestOutput(t *testing.T) {
	for _, o := range []struct {
		output string
		folder bool
	}{{"out.csv", false}, {"a/out.csv.gz", false}, {"parts", true}, {"a/parts", true}} {
		require.Equal(t, o.output, Output(Path(o.output, o.folder)))
	}
	require.Equal(t, "a/run", Output("a/run"))
}
