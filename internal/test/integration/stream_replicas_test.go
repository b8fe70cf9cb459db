//go:build integration

package integration

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// TestStreamedOnEachReplica streams into keyspaces with one to three replicas in each data center.
// Every node has its own rows on its own disk, the same as other replicas have, and no other node
// has them. deploy/test-layouts runs it with other racks and data centers.
func TestStreamedOnEachReplica(t *testing.T) {
	lengthy(t)
	t.Parallel()
	keys := either(1_000, 10_000)
	var in strings.Builder
	in.WriteString("k,c,s,v,l\n")
	for c := range 3 {
		for k := range keys {
			fmt.Fprintf(
				&in,
				"%d,%d,static %d,%s,\"[%d, %d]\"\n",
				k,
				c,
				k,
				strings.Repeat("v", k%300),
				c,
				k,
			)
		}
	}
	input := file(t, "in.csv", in.String())
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	nodes := make(map[string]int) // by data center
	for _, n := range cluster.Nodes {
		nodes[n.DC]++
	}
	for factor := 1; factor <= 3; factor++ {
		keyspace, replicas := fmt.Sprintf("each%d", factor), 0
		replication := "{'class': 'NetworkTopologyStrategy'"
		for _, dc := range slices.Sorted(maps.Keys(nodes)) {
			n := min(factor, nodes[dc])
			replicas += n
			replication += fmt.Sprintf(", '%s': %d", dc, n)
		}
		exec(t, "CREATE KEYSPACE IF NOT EXISTS "+keyspace+" WITH replication = "+replication+"}")
		for _, form := range []string{"rows", "whole"} {
			name := "by_" + form
			table(
				t,
				keyspace+"."+name,
				"(k int, c int, s text static, v text, l list<int>, PRIMARY KEY (k, c))",
			)
			loaded := ok(t, "load", keyspace+"."+name, input, "--via", "stream", "--stream", form)
			requireCopies(t, keyspace, name, keys, replicas)
			for _, level := range []string{"LOCAL_ONE", "ALL"} {
				r := ok(
					t,
					"scan",
					keyspace+"."+name,
					"-o",
					filepath.Join(t.TempDir(), "out.csv"),
					"--consistency",
					level,
				)
				require.Equal(
					t,
					checksum(t, loaded),
					checksum(t, r),
					"%s.%s at %s",
					keyspace,
					name,
					level,
				)
			}
		}
		if either(false, true) {
			requireInSync(t, keyspace, "by_rows", "by_whole")
		}
	}
}

// requireCopies requires that the given number of nodes have each of the partitions of a table on
// their own disks, all the same.
func requireCopies(t *testing.T, keyspace, name string, keys, copies int) {
	t.Helper()
	check := fileCheck(t, keyspace, name)
	found := make(map[string][]string) // what each node has of a partition
	for _, n := range tablesOnDisk(t, keyspace, name) {
		seen := make(map[string]bool)
		for _, d := range n.names {
			// A node writes no TOC of what it is sent whole. That was verified before.
			if _, err := os.Stat(filepath.Join(n.folder, d.Name(component.TOCTxt))); err == nil {
				_, err := tablefile.Verify(tablefile.Folder(n.folder, d), check)
				require.NoError(t, err)
			}
			for key, text := range partitionTexts(t, n.folder, d) {
				require.False(t, seen[key], "node %s has partition %x twice", n.node, key)
				seen[key] = true
				found[key] = append(found[key], text)
			}
		}
	}
	require.Len(t, found, keys, "%s.%s", keyspace, name)
	for key, texts := range found {
		require.Len(t, texts, copies, "nodes of %s.%s that have partition %x", keyspace, name, key)
		require.Len(
			t,
			slices.Compact(texts),
			1,
			"partition %x of %s.%s differs",
			key,
			keyspace,
			name,
		)
	}
}

// partitionTexts reads an SSTable: its partitions as text, by their keys.
func partitionTexts(t *testing.T, folder string, d component.Descriptor) map[string]string {
	t.Helper()
	in, err := tablefile.Open(tablefile.Folder(folder, d))
	require.NoError(t, err)
	defer in.Close()
	all := make(map[string]string)
	var text strings.Builder
	for {
		item, err := in.Decoder().Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch item {
		case sstable.PartitionStart:
			text.Reset()
			fmt.Fprintln(&text, in.Decoder().Deletion())
		case sstable.StaticRow, sstable.RegularRow:
			fmt.Fprintf(&text, "%+v\n", *in.Decoder().Row())
		case sstable.RangeMarker:
			fmt.Fprintf(&text, "%+v\n", *in.Decoder().Marker())
		case sstable.PartitionEnd:
			all[string(in.Decoder().Key())] = text.String()
		}
	}
}

// requireInSync has the nodes say that their files are right and their own, and that there is
// nothing to repair.
func requireInSync(t *testing.T, keyspace string, names ...string) {
	t.Helper()
	nodes, err := filepath.Glob(filepath.Join(clusterFolder(), "node*"))
	require.NoError(t, err)
	require.NotEmpty(t, nodes)
	for _, dir := range nodes {
		node := strings.TrimPrefix(filepath.Base(dir), "node")
		administer(
			t,
			slices.Concat(
				[]string{"nodetool", node},
				verifyFiles(t),
				[]string{"--check-tokens", keyspace},
				names,
			)...)
		out := administer(
			t,
			append(
				[]string{"nodetool", node, "repair", "--preview", "--full", keyspace},
				names...)...)
		if !strings.Contains(
			out,
			"in sync",
		) { // where there is one replica there is nothing to compare
			require.Contains(
				t,
				out,
				"Replication factor is 1. No repair is needed",
				"node %s, %s",
				node,
				keyspace,
			)
		}
	}
}
