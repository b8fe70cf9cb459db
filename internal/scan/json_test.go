package scan

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each line of a scan is an object of its own.
func TestJSONLines(t *testing.T) {
	table := numbered(300, 5)
	table.Rows[7].Cells[2] = []byte("two\nlines, \"quoted\"\u2028")
	job, out := newJob(t, table, 4)
	columns := tableColumns(t)
	job.Output = jsonLines(t, columns)
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, out.misuse)
	seen := make(map[int]string)
	for _, line := range out.lines() {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var row struct {
			A string
			B int
			C string
		}
		require.NoError(t, d.Decode(&row))
		seen[row.B] = row.C
	}
	require.Len(t, seen, 300)
	for i, r := range table.Rows {
		require.Equal(t, string(r.Cells[2]), seen[i])
	}
}
