//go:build integration

package integration

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullFlights is the path of the whole flights file, 336,776 rows and a header.
func fullFlights(t *testing.T) string {
	t.Helper()
	path := env("CQLBULK_TEST_FLIGHTS", "../../.cache/data/flights.csv")
	_, err := os.Stat(path)
	require.NoError(t, err, "fetch the file with: make flights")
	return path
}

// flightsBody is the sample's own table definition.
func flightsBody(t *testing.T) string {
	t.Helper()
	ddl := read(t, "../../testdata/flights.cql")
	_, body, found := strings.Cut(ddl, "demo.flights ")
	require.True(t, found)
	return strings.TrimSuffix(strings.TrimSpace(body), ";")
}

// lines reads a file's lines, sorted; the first stays first.
func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var all []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		all = append(all, s.Text())
	}
	require.NoError(t, s.Err())
	slices.Sort(all[1:])
	return all
}

// TestFlights takes a whole real file in and out again: what comes out is, line
// by line, what went in.
func TestFlights(t *testing.T) {
	t.Parallel()
	input := fullFlights(t)
	want := lines(t, input)
	table(t, "it1.flights", flightsBody(t))
	loaded := ok(t, "load", "it1.flights", input, "--null-string", "NA")
	require.Contains(t, loaded.report, "336,776 read, 0 rejected")
	require.Equal(t, "336776\n", ok(t, "count", "it1.flights").out)

	out := t.TempDir() + "/flights.csv"
	scanned := ok(t, "scan", "it1.flights", "-o", out, "--null-string", "NA", "--columns", want[0])
	require.Contains(t, scanned.report, "336,776 rows")
	got := lines(t, out)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i], "line %d of the sorted files", i+1)
	}
	require.Empty(t, serverWarnings(t, "it1.flights"), "the servers logged warnings")
}
