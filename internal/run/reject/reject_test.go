package reject

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// folder makes rejects in a folder that is not there yet.
func folder(t *testing.T) *Dir {
	return New(filepath.Join(t.TempDir(), "run", "dir"), ".csv")
}

// contents reads all files of a folder.
func contents(t *testing.T, d *Dir) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(d.path)
	require.NoError(t, err)
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(d.path, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(data)
	}
	return files
}

func TestNothingIsMadeWhenNothingIsRejected(t *testing.T) {
	d := folder(t)
	require.False(t, d.Used())
	require.Empty(t, d.Files())
	require.Empty(t, d.Causes())
	require.NoError(t, d.Close())
	require.NoDirExists(t, d.path)
}

func TestRowsAreKeptByteForByte(t *testing.T) {
	d := folder(t)
	header := []byte("k,v\r\n")
	other := []byte("\"v\"\n")
	for _, r := range []ingest.Reject{
		{File: "a.csv", Header: header, Raw: []byte("1,\"x\n\xff\"\r\n"), Line: 2, Field: 3, Offset: 5, Column: "v", Value: "x", Reason: "no <good>", Stage: ingest.Parse},
		{File: "a.csv", Header: header, Raw: []byte("2,\n"), Line: 4, Field: 1, Offset: 14, Reason: "refused", Stage: ingest.Insert},
		{File: "b.csv", Header: other, Raw: []byte("last"), Line: 9, Field: 1, Reason: "bad", Stage: ingest.Parse},
		{File: "c.csv", Header: header, Raw: []byte("3,4"), Line: 9, Field: 1, Reason: "bad", Stage: ingest.Parse},
		{File: "d.csv", Raw: []byte("no header\n"), Line: 1, Field: 1, Reason: "bad", Stage: ingest.Parse},
		{File: "e.csv", Header: other, Raw: []byte("maybe\n"), Line: 2, Field: 1, Reason: "timeout", Stage: ingest.InDoubt},
		{File: "f.csv", Header: []byte("k"), Raw: []byte("after a header without a line end"), Line: 2, Field: 1, Reason: "bad", Stage: ingest.Parse},
		{File: "g.csv", Header: header, Raw: []byte("lone CR\r"), Line: 2, Field: 1, Reason: "bad", Stage: ingest.Parse},
	} {
		require.NoError(t, d.Add([]ingest.Reject{r}))
	}
	require.True(t, d.Used())
	require.NoError(t, d.Close())
	require.Equal(t, map[string]string{
		"rejects.csv":   "k,v\r\n1,\"x\n\xff\"\r\n2,\n3,4\nlone CR\r\r\n",
		"rejects-2.csv": "\"v\"\nlast\n",
		"rejects-3.csv": "no header\n",
		"rejects-4.csv": "k\nafter a header without a line end\n",
		"in-doubt.csv":  "\"v\"\nmaybe\n",
		"errors.jsonl": `{"file":"a.csv","line":2,"column":3,"offset":5,"name":"v","value":"x","reason":"no <good>","stage":"parse","kept":"rejects.csv"}
{"line":4,"column":1,"offset":14,"name":"","value":"","reason":"refused","stage":"insert"}
{"file":"b.csv","line":9,"column":1,"reason":"bad","stage":"parse","kept":"rejects-2.csv"}
{"file":"c.csv","line":9,"column":1,"reason":"bad","stage":"parse","kept":"rejects.csv"}
{"file":"d.csv","line":1,"column":1,"reason":"bad","stage":"parse","kept":"rejects-3.csv"}
{"file":"e.csv","line":2,"column":1,"reason":"timeout","stage":"in doubt","kept":"in-doubt.csv"}
{"file":"f.csv","line":2,"column":1,"reason":"bad","stage":"parse","kept":"rejects-4.csv"}
{"file":"g.csv","line":2,"column":1,"reason":"bad","stage":"parse","kept":"rejects.csv"}
`,
	}, contents(t, d))
	require.Equal(
		t,
		[]string{"in-doubt.csv", "rejects-2.csv", "rejects-3.csv", "rejects-4.csv", "rejects.csv"},
		baseNames(d),
	)
}

func baseNames(d *Dir) []string {
	var names []string
	for _, f := range d.Files() {
		if filepath.Dir(f) == d.path {
			names = append(names, filepath.Base(f))
		}
	}
	return names
}

func TestLongRowsHaveFilesOfTheirOwn(t *testing.T) {
	d := folder(t)
	piece := func(s string, first, last bool) {
		t.Helper()
		row := ingest.Reject{
			File:   "a.csv",
			Header: []byte("k\n"),
			Raw:    []byte(s),
			Line:   7,
			Field:  1,
			Reason: "too long",
			Stage:  ingest.Parse,
		}
		require.NoError(t, d.AddPiece(row, first, last))
		if last {
			row.Raw, row.Long = nil, true
			require.NoError(t, d.Add([]ingest.Reject{row}))
		}
	}
	big := strings.Repeat("x", 100_000)
	piece(big, true, false)
	require.NoError(
		t,
		d.Add(
			[]ingest.Reject{
				{
					File:   "a.csv",
					Header: []byte("k\n"),
					Raw:    []byte("between\n"),
					Stage:  ingest.Insert,
				},
			},
		),
	)
	piece(big, false, false)
	piece("end\n", false, true)
	piece(big, true, false)
	piece("", false, true)
	piece("never ends", true, false)
	require.NoError(t, d.Close())
	files := contents(t, d)
	require.Equal(t, 4, strings.Count(files["errors.jsonl"], "\n"))
	delete(files, "errors.jsonl")
	require.Equal(t, map[string]string{
		"rejects.csv":        "k\nbetween\n",
		"rejects-long-1.csv": "k\n" + big + big + "end\n",
		"rejects-long-2.csv": "k\n" + big,
		"rejects-long-3.csv": "k\nnever ends",
	}, files)
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	d := folder(t)
	require.NoError(t, d.Add([]ingest.Reject{{Raw: []byte("secret\n")}}))
	require.NoError(t, d.Close())
	info, err := os.Stat(d.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for name := range contents(t, d) {
		info, err := os.Stat(filepath.Join(d.path, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestCauses(t *testing.T) {
	d := New(t.TempDir(), ".csv")
	for i := range 7 {
		require.NoError(t, d.Add([]ingest.Reject{
			{
				Line: int64(
					i + 2,
				),
				Column: "n",
				Raw:    []byte("x\n"),
				Reason: fmt.Sprintf("invalid int \"x%d\": not an integer", i),
				Stage:  ingest.Parse,
			},
		}))
	}
	require.NoError(
		t,
		d.Add(
			[]ingest.Reject{
				{
					Line:   50,
					Raw:    []byte("y\n"),
					Reason: "row has 3 fields instead of 5",
					Stage:  ingest.Parse,
				},
			},
		),
	)
	causes := d.Causes()
	require.Len(t, causes, 2)
	require.EqualValues(t, 7, causes[0].Rows)
	require.EqualValues(t, 2, causes[0].First.Line)
	require.Nil(t, causes[0].First.Raw)
	require.EqualValues(t, 1, causes[1].Rows)
	require.NoError(t, d.Close())
}

func TestBadWords(t *testing.T) {
	regular := func(column string) bool { return column != "key" }
	for _, c := range []struct {
		name    string
		want    []string
		rejects []ingest.Reject
	}{
		{"none", nil, nil},
		{"two words", []string{"NA", "x"}, []ingest.Reject{{Column: "n", Value: "x"}, {Column: "n", Value: "NA"}, {Column: "m", Value: "NA"}}},
		{"only one row", []string{"NA"}, []ingest.Reject{{Column: "n", Value: "NA"}, {Column: "n", Value: "7x"}, {Column: "n", Value: "8x"}}},
		{"in a key", nil, []ingest.Reject{{Column: "key", Value: "NA"}, {Column: "key", Value: "NA"}}},
		{"a number", nil, []ingest.Reject{{Column: "n", Value: "12.5"}, {Column: "n", Value: "12.5"}}},
		{"a whole row", nil, []ingest.Reject{{Value: "NA"}, {Value: "NA"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var causes Causes
			for _, r := range c.rejects {
				r.Stage = ingest.Parse
				causes.Add(r)
			}
			require.Equal(t, c.want, causes.BadWords(regular))
		})
	}
}

func TestCausesAreBounded(t *testing.T) {
	d := New(t.TempDir(), ".csv")
	for i := range 1000 {
		require.NoError(
			t,
			d.Add(
				[]ingest.Reject{
					{
						Column: strings.Repeat("c", i),
						Raw:    []byte("x\n"),
						Reason: "bad",
						Stage:  ingest.Parse,
					},
				},
			),
		)
	}
	causes := d.Causes()
	require.Len(t, causes, mostCauses)
	require.EqualValues(t, 1000-mostCauses+1, causes[0].Rows)
	require.NoError(t, d.Close())
}

func TestConcurrentUse(t *testing.T) {
	d := folder(t)
	const workers, rows = 8, 200
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rows {
				r := ingest.Reject{
					File: fmt.Sprint(
						w,
					),
					Header: fmt.Appendf(nil, "h%d\n", i%3),
					Raw:    fmt.Appendf(nil, "%d,%d\n", w, i),
					Line:   int64(i),
					Reason: "r",
					Stage:  []ingest.Stage{ingest.Parse, ingest.Insert, ingest.InDoubt}[i%3],
				}
				if err := d.Add([]ingest.Reject{r}); err != nil {
					t.Error(err)
				}
				d.Causes()
				d.Files()
				d.Used()
			}
		})
	}
	wg.Wait()
	require.NoError(t, d.Close())
	lines := 0
	for name, text := range contents(t, d) {
		if name != "errors.jsonl" {
			lines += strings.Count(text, "\n") - 1
			continue
		}
		require.Len(t, read(t, text), workers*rows)
	}
	require.Equal(t, workers*rows, lines)
}

// An element of an array of JSON takes one line, also if it comes in pieces. Delimited text keeps
// the line ends in its values.
func TestRowsOfJSONAreLines(t *testing.T) {
	for ext, want := range map[string][2]string{
		// A line end inside a string must not become a part of the string.
		".json": {"{\t \"a\":1\r\t}\n{\"a\":2}\n{\"a\":3}\r\n", "{\t\t1\t}\n"},
		".csv":  {"{\n \"a\":1\r\n}\n{\"a\":2}\n{\"a\":3}\r\n", "{\n\n1\n}\n"},
	} {
		d := New(t.TempDir(), ext)
		require.NoError(t, d.Add([]ingest.Reject{
			{Raw: []byte("{\n \"a\":1\r\n}")}, {Raw: []byte("{\"a\":2}\n")},
			{Raw: []byte("{\"a\":3}\r\n")},
		}))
		for i, piece := range []string{"{\n", "\n1", "\n}"} {
			r := ingest.Reject{Raw: []byte(piece)}
			require.NoError(t, d.AddPiece(r, i == 0, i == 2))
		}
		require.NoError(t, d.Close())
		files := contents(t, d)
		require.Equal(t, want, [2]string{files["rejects"+ext], files["rejects-long-1"+ext]})
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	d := New(filepath.Join(file, "run"), ".csv")
	err := d.Add([]ingest.Reject{{Raw: []byte("x\n")}})
	require.ErrorContains(t, err, "run directory: mkdir "+file)
	require.ErrorContains(t, err, "not a directory")
	require.False(t, d.Used())
	require.NoError(t, d.Close())
}

// What an earlier run left is never written over.
func TestFilesOfAnEarlierRunAreNotTouched(t *testing.T) {
	for _, name := range []string{"rejects.csv", "errors.jsonl", "rejects-long-1.csv"} {
		d := New(t.TempDir(), ".csv")
		old := filepath.Join(d.path, name)
		require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
		add := func() error { return d.Add([]ingest.Reject{{Raw: []byte("x\n")}}) }
		if strings.Contains(name, "long") {
			add = func() error { return d.AddPiece(ingest.Reject{Raw: []byte("x\n")}, true, true) }
		}
		err := add()
		require.ErrorIs(t, err, os.ErrExist)
		require.ErrorContains(t, err, old)
		require.NoError(t, d.Close())
		data, err := os.ReadFile(old)
		require.NoError(t, err)
		require.Equal(t, "old", string(data))
	}
}

// A full disk is an error, at the latest when the files are closed.
func TestWritesThatFail(t *testing.T) {
	row := ingest.Reject{Header: []byte("k\n"), Raw: []byte("x\n"), Reason: "r"}
	for _, name := range []string{"rejects.csv", "errors.jsonl"} {
		t.Run(name, func(t *testing.T) {
			d := folder(t)
			require.NoError(t, d.Add([]ingest.Reject{row}))
			require.NoError(t, d.files[name].file.Close()) // writes fail from here
			big := row
			big.Raw, big.Reason = bytes.Repeat([]byte("x"), 10_000), strings.Repeat("r", 10_000)
			err := d.Add([]ingest.Reject{big})
			require.ErrorIs(t, err, os.ErrClosed)
			require.ErrorContains(t, err, filepath.Join(d.path, name))
			require.ErrorContains(t, d.Close(), "rejects: ")
		})
	}
	d := folder(t)
	require.NoError(t, d.Add([]ingest.Reject{row}))
	require.NoError(t, d.files["rejects.csv"].file.Close())
	require.ErrorIs(t, d.Close(), os.ErrClosed)
}
