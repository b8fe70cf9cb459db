//go:build integration

package integration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPatternsOfDatesAndTimes loads rows by patterns in a time zone, by CQL and streamed. They are
// what the server makes of the same literals with an offset. A scan by the patterns writes the
// input.
func TestPatternsOfDatesAndTimes(t *testing.T) {
	t.Parallel()
	table(t, "it1.patterns", "(k int PRIMARY KEY, at timestamp, d date, t time)")
	exec(
		t,
		"INSERT INTO it1.patterns (k, at, d, t) VALUES (1, '2024-07-14 13:05:00+0200', '2024-03-01', '00:08:09.500')",
		"INSERT INTO it1.patterns (k, at, d, t) VALUES (2, '1969-12-24 18:30:59+0100', '1999-12-31', '12:00:00')",
		"INSERT INTO it1.patterns (k, at, d, t) VALUES (3, '2024-10-27 02:30:00+0100', '0001-01-01', '23:59:59')",
	)
	all := []string{"scan", "it1.patterns", "--columns", "k,at,d,t"}
	want := sortedLines(t, ok(t, all...).out)
	patterns := []string{
		"--datetimeformat", "d.M.yyyy HH:mm:ss[ xx]",
		"--dateformat", "%m/%d/%Y",
		"--timeformat", "hh:mm:ss.SSS a",
		"--timezone", "Europe/Berlin",
	}
	input := "k,at,d,t\n" +
		"1,14.7.2024 13:05:00,03/01/2024,12:08:09.500 AM\n" +
		"2,24.12.1969 18:30:59,12/31/1999,12:00:00.000 PM\n" +
		"3,27.10.2024 02:30:00 +0100,01/01/0001,11:59:59.000 PM\n" +
		"4,27.10.2024 02:30:00,01/01/0001,11:59:59.000 PM\n"
	path := file(t, "patterns.csv", input)
	for _, via := range []string{"cql", "stream"} {
		exec(t, "TRUNCATE it1.patterns")
		load := append([]string{"load", "it1.patterns", path, "--via", via}, patterns...)
		r := cqlbulk(t, load...)
		require.Equal(t, 2, r.code, r.report)
		require.Contains(t, r.report, `patterns.csv:5:3: column "at", value "27.10.2024 02:30:00"`)
		require.Contains(t, r.report, "clocks in Europe/Berlin show this time twice")
		require.Equal(t, want, sortedLines(t, ok(t, all...).out), via)
	}
	patterns[1] = "d.M.yyyy HH:mm:ss xx"
	require.Equal(
		t,
		sortedLines(t, "k,at,d,t\n"+
			"1,14.7.2024 13:05:00 +0200,03/01/2024,12:08:09.500 AM\n"+
			"2,24.12.1969 18:30:59 +0100,12/31/1999,12:00:00.000 PM\n"+
			"3,27.10.2024 02:30:00 +0100,01/01/0001,11:59:59.000 PM\n"),
		sortedLines(t, ok(t, append(all, patterns...)...).out),
	)
}
