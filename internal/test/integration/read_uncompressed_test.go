//go:build integration

package integration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A table without compression is streamed also after its files were compacted: CRC.db has the
// checksum of one block more then, which is empty.
func TestCompactedWithoutCompression(t *testing.T) {
	t.Parallel()
	table(t, "it1.uncompressed",
		"(k int, c int, PRIMARY KEY (k, c)) WITH compression = {'enabled': 'false'}")
	for _, row := range []string{"(1, 1)", "(1, 2)"} {
		exec(t, "INSERT INTO it1.uncompressed (k, c) VALUES "+row)
		ok(t, byStream("count", "it1.uncompressed")...) // it has the node flush the table
	}
	var folders []string
	for _, n := range tablesOnDisk(t, "it1", "uncompressed") {
		if len(n.names) == 2 {
			administer(t, "nodetool", n.node, "compact", "it1", "uncompressed")
			folders = append(folders, n.folder)
		}
	}
	require.Len(t, folders, 1)
	want := []string{"1,1\n", "1,2\n"}
	require.Equal(t, want, scannedLines(t, byStream("it1.uncompressed")...))
	require.Equal(t, want, scannedLines(t, "it1.uncompressed", "--via", "sstables", folders[0]))
}
