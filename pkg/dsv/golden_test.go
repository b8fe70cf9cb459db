package dsv

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is an entry of testdata/golden.json. testdata/golden.py writes that file with Python's csv
// module.
type golden struct {
	Format  string // delimiter, quote, escape
	Text    string
	Records [][]string
}

func readGolden(t *testing.T) (written, read []golden) {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var all struct{ Written, Read []golden }
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all.Written, 160)
	require.Len(t, all.Read, 160)
	return all.Written, all.Read
}

func (g golden) format() Format {
	return Format{Delimiter: g.Format[0], Quote: g.Format[1], Escape: g.Format[2]}
}

// check compares the records of a Parser with Python's.
func (g golden) check(t *testing.T) {
	t.Helper()
	var got [][]string
	p := NewParser(g.format())
	for p.Reset(Chunk{Data: []byte(g.Text), Line: 1}); p.Next(); {
		require.NoError(t, p.Record().Err, "%q", g.Text)
		var texts []string
		for _, f := range p.Record().Fields {
			texts = append(texts, string(f.Text))
		}
		got = append(got, texts)
	}
	require.Equal(t, g.Records, got, "%q", g.Text)
}

func TestWritesWhatPythonWrites(t *testing.T) {
	written, _ := readGolden(t)
	for _, g := range written {
		f, record := g.format(), g.Records[0]
		var out []byte
		for i, text := range record {
			if i > 0 {
				out = append(out, f.Delimiter)
			}
			out = f.AppendField(out, []byte(text), len(record) == 1)
		}
		require.Equal(t, g.Text, string(append(out, '\r', '\n')))
		g.check(t)
	}
}

func TestReadsWhatPythonReads(t *testing.T) {
	_, read := readGolden(t)
	for _, g := range read {
		g.check(t)
	}
}
