package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

func TestTablesAreTheSameInBothDatabases(t *testing.T) {
	d, err := makeDataset("emp", root, t.TempDir(), 3)
	require.NoError(t, err)
	require.Equal(
		t,
		"CREATE TABLE bench.emp (id int, name text, salary bigint, PRIMARY KEY (id))",
		d.cql(),
	)
	require.Equal(t, "INSERT INTO bench.emp (id, name, salary) VALUES (?, ?, ?)", d.insert())
	require.Equal(
		t,
		"CREATE TABLE emp (id integer, name text, salary bigint, PRIMARY KEY (id))",
		d.sql(),
	)
}

func TestFlightsTableIsThatOfTheSample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "testdata/flights.cql"))
	require.NoError(t, err)
	d := &dataset{name: "flights"}
	d.columns, d.key, err = parseTable(string(text))
	require.NoError(t, err)
	require.Len(t, d.columns, 19)
	require.Equal(t, column{"time_hour", "timestamp"}, d.columns[18])
	require.Equal(t, "(origin, month, day), time_hour, carrier, flight", d.key)
	require.Contains(t, d.sql(), "PRIMARY KEY (origin, month, day, time_hour, carrier, flight)")
	for _, c := range d.columns {
		require.NotEmpty(t, postgresTypes[c.typ], "type %s of %s", c.typ, c.name)
	}
}

func TestParseTableRefusesWhatItDoesNotKnow(t *testing.T) {
	_, _, err := parseTable("CREATE TABLE t (\n  k\n)")
	require.ErrorContains(t, err, `line "k" is no column`)
	_, _, err = parseTable("CREATE TABLE t (\n  k int\n)")
	require.ErrorContains(t, err, "no primary key")
}

func TestGeneratedFilesAreTheSameEachTime(t *testing.T) {
	files := make([]string, 2)
	for i := range files {
		d, err := makeDataset("blobs", root, t.TempDir(), 20)
		require.NoError(t, err)
		text, err := os.ReadFile(d.file)
		require.NoError(t, err)
		copied, err := os.ReadFile(d.copied)
		require.NoError(t, err)
		require.Equal(
			t,
			string(text),
			strings.ReplaceAll(string(copied), `\x`, "0x"),
			"both databases get the same blobs",
		)
		files[i] = string(text)
	}
	require.Equal(t, files[0], files[1])
	lines := strings.Split(files[0], "\n")
	require.Len(t, lines, 22) // with the header, and nothing behind the last line
	require.Equal(t, "id,c1,c2,c3,c4,c5,c6", lines[0])
	require.Len(t, strings.Split(lines[1], ",")[1], 2+2*blobBytes)
}

func TestRowsOfEmpHaveAllColumns(t *testing.T) {
	line := empRow(nil, rand.New(rand.NewPCG(seed, 0)), 7)
	require.Regexp(t, `^7,name \d+,\d+$`, string(line))
}

func TestUnknownDataset(t *testing.T) {
	_, err := makeDataset("dept", root, t.TempDir(), 1)
	require.ErrorContains(t, err, `no dataset "dept"; there are emp, blobs, flights`)
}
