//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table that was just loaded, and that system.size_estimates does not know yet, comes in pieces
// of a --slice. Each node and piece has one file in --temp-dir, and none is half as large again.
// That holds for a scan, a count and a clone.
func TestSlicesOfAFreshTable(t *testing.T) {
	t.Parallel()
	input := noisy(12_000, 1000)
	const uncompressed = paddedBody + " WITH compression = {'enabled': false}"
	table(t, "it1.fresh_slices", uncompressed)
	table(t, "it1.fresh_clone", uncompressed)
	ok(t, "load", "it1.fresh_slices", file(t, "in.csv", paddedHeader+strings.Join(input, "")))
	limited := func(blocks string) []string { return []string{"sh", "-c", `ulimit -f ` + blocks + `; "$@"`, "sh"} } // of 512 bytes
	r := start(
		t,
		limited("3200"),
		byStream(
			"count",
			"it1.fresh_slices",
			"--slice",
			"1MiB",
			"--temp-dir",
			t.TempDir(),
		)...).end(t)
	require.Zero(t, r.code, r.report)
	require.Equal(t, "12000\n", r.out)
	// What is made of a slice is one file, with the rows of all three nodes.
	r = start(
		t,
		limited("9600"),
		"clone",
		"it1.fresh_clone",
		"--from-hosts",
		testHosts(),
		"--from-table",
		"it1.fresh_slices",
		"--slice",
		"1MiB",
		"--listen",
		anyPort,
		"--temp-dir",
		t.TempDir(),
	).end(t)
	require.Zero(t, r.code, r.report)
	requireRows(t, input, ok(t, "scan", "it1.fresh_clone").out)
}
