//go:build integration

package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/report"
)

// Rows, counts and checksums do not depend on whether frames are compressed.
func TestCompressedFrames(t *testing.T) {
	const rows = 30_000
	table(t, "it1.compressed", "(p text, n int, note text, PRIMARY KEY (p, n))")
	in := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(in, []byte(skewed(rows)), 0o600))
	sums := make(map[string]bool)
	for _, frames := range []string{"lz4", "none"} {
		told := func(args ...string) report.Document {
			var d report.Document
			r := ok(t, append(args, "--json", "--protocol-compression", frames)...)
			require.NoError(t, json.Unmarshal([]byte(r.out), &d))
			return d
		}
		exec(t, "TRUNCATE it1.compressed")
		load := told(
			"load",
			"it1.compressed",
			in,
			"--run-dir",
			filepath.Join(t.TempDir(), "run"),
		).Load
		require.EqualValues(t, rows, load.Rows)
		require.Equal(t, frames, load.Frames)
		scan := told(
			"scan",
			"it1.compressed",
			"-o",
			filepath.Join(t.TempDir(), "out.csv"),
			"--seed",
			"1",
		).Scan
		require.EqualValues(t, rows, scan.Rows)
		require.Equal(t, frames, scan.Frames)
		sums[scan.Checksum] = true
		count := told("count", "it1.compressed").Count
		require.EqualValues(t, rows, count.Rows)
		require.Equal(t, frames, count.Frames)
	}
	require.Len(t, sums, 1)
}
