//go:build integration

package integration

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flights returns the path of a file of flights and the number of its rows, under a header: all
// 336,776, or the first of them.
func flights(t *testing.T) (path string, rows int) {
	t.Helper()
	path = env("CQLBULK_TEST_FLIGHTS", "../../../.cache/data/flights.csv")
	_, err := os.Stat(path)
	require.NoError(t, err, "fetch the file with: make flights")
	rows = either(20_000, 336_776)
	head := strings.SplitAfterN(read(t, path), "\n", rows+2)
	return file(t, "flights.csv", strings.Join(head[:rows+1], "")), rows
}

// flightsBody is the sample's own table definition.
func flightsBody(t *testing.T) string {
	t.Helper()
	ddl := read(t, "../../../testdata/flights.cql")
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
	input, rows := flights(t)
	want := lines(t, input)
	table(t, "it1.flights", flightsBody(t))
	loaded := ok(t, "load", "it1.flights", input, "--null-string", "NA")
	require.Contains(t, loaded.report, grouped(rows)+" read, 0 rejected")
	require.Equal(t, fmt.Sprintln(rows), ok(t, "count", "it1.flights").out)

	out := t.TempDir() + "/flights.csv"
	scanned := ok(t, "scan", "it1.flights", "-o", out, "--null-string", "NA", "--columns", want[0])
	require.Contains(t, scanned.report, grouped(rows)+" rows")
	got := lines(t, out)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i], "line %d of the sorted files", i+1)
	}
	require.Empty(t, serverWarnings(t, "it1.flights"), "the servers logged warnings")
}
