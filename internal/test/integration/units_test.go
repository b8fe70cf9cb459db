//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecondsAreNotWrittenAsMilliseconds: a load by any mode refuses a file of seconds before it
// writes, and --timestamp-unit loads it right.
func TestSecondsAreNotWrittenAsMilliseconds(t *testing.T) {
	t.Parallel()
	table(t, "it1.units", "(k int PRIMARY KEY, at timestamp, l list<timestamp>)")
	var input strings.Builder
	input.WriteString("k,at,l\n")
	for i := range 1500 {
		fmt.Fprintf(&input, "%d,%d,[%d]\n", i, 1710000000+i, 1710000000+i)
	}
	path := file(t, "seconds.csv", input.String())
	for _, via := range []string{"cql", "stream"} {
		r := cqlbulk(t, "load", "it1.units", path, "--via", via)
		require.Equal(t, 1, r.code, r.report)
		require.Contains(
			t,
			r.report,
			`seconds.csv:2: column "at": value 1710000000 (1970-01-20T19:00:00Z) is in January 1970`,
		)
		require.NotContains(t, r.report, "loaded")
		require.Equal(t, "0\n", ok(t, "count", "it1.units").out)

		ok(t, "load", "it1.units", path, "--via", via, "--timestamp-unit", "s")
		require.Equal(
			t,
			"7,2024-03-09T16:00:07Z,['2024-03-09T16:00:07Z']\n",
			ok(
				t,
				"scan",
				"it1.units",
				"--where",
				"k = 7",
				"--columns",
				"k,at,l",
				"--header=false",
			).out,
		)
		require.Equal(t, "1500\n", ok(t, "count", "it1.units").out)
		exec(t, "TRUNCATE it1.units")
	}
}
