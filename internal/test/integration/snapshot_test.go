//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
)

// TestSnapshotsAreFound finds the live data and a snapshot of a table in the nodes' own folders,
// and dropped columns in the snapshot's schema.
func TestSnapshotsAreFound(t *testing.T) {
	t.Parallel()
	table(t, "it1.snapshot_found", "(k int PRIMARY KEY, v int, gone text)")
	var rows strings.Builder
	rows.WriteString("k,v,gone\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,%d,gone\n", i, i)
	}
	ok(t, "load", "it1.snapshot_found", file(t, "in.csv", rows.String()))
	exec(t, "ALTER TABLE it1.snapshot_found DROP gone", "CREATE INDEX ON it1.snapshot_found (v)")
	nodes := nodeTables(t, "it1", "snapshot_found")
	const tag = "it1_snapshot_found"
	for _, n := range nodes {
		require.NoError(t, takeSnapshot(n.node, tag, "it1.snapshot_found"))
	}
	nodes = tablesOnDisk(t, "it1", "snapshot_found")
	described, err := session.Table(t.Context(), "it1", "snapshot_found")
	require.NoError(t, err)
	for _, chosen := range []string{"", tag} {
		found, err := snapshot.Find(
			snapshot.Request{
				Keyspace: "it1",
				Table:    "snapshot_found",
				Tag:      chosen,
				ID:       described.ID,
				Paths:    []string{clusterFolder()},
			},
		)
		require.NoError(t, err)
		require.Len(t, found.Nodes, len(nodes))
		count := 0
		for _, n := range nodes {
			count += len(n.names)
		}
		require.Len(t, found.SSTables, count)
		require.Equal(t, strings.ReplaceAll(described.ID, "-", ""), found.ID)
		if chosen == "" {
			require.Empty(t, found.Schema)
			continue
		}
		s, err := cqlschema.Parse(found.Schema, "")
		require.NoError(t, err)
		dropped := s.Table("it1", "snapshot_found").Dropped
		require.Len(t, dropped, 1)
		require.Equal(t, "gone", dropped[0].Name)
		require.Greater(t, dropped[0].Timestamp, int64(1_700_000_000_000_000))
	}
}
