package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each event is written once, and neighbors are of other partitions.
func TestEvents(t *testing.T) {
	for _, rows := range []int64{1, 200, 1000, 1001} {
		var out strings.Builder
		require.NoError(t, run(&out, rows, false))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
		require.Len(t, lines, int(rows))
		seen, last := make(map[string]bool), ""
		for _, line := range lines {
			fields := strings.SplitN(line, ",", 3)
			seen[fields[0]+" "+fields[1]] = true
			require.True(t, rows <= perDevice || fields[0] != last, line)
			last = fields[0]
		}
		require.Len(t, seen, int(rows))
		require.InDelta(t, 165, float64(out.Len())/float64(rows), 50)
	}
	var table strings.Builder
	require.NoError(t, run(&table, 1, true))
	require.Contains(t, table.String(), "PRIMARY KEY (device, at)")
}
