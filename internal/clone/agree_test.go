package clone

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// declared returns the table t of a keyspace, with a key k and a column v.
func declared(keyspace string) *schema.Table {
	number := &cqltype.Type{Kind: cqltype.Int}
	return schema.New(keyspace, "t", []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: number},
		{Name: "v", Kind: schema.Regular, Type: number},
	})
}

// pair has a table, and the one that it is cloned to.
type pair struct {
	from *files.Source
	to   *table.Table
}

// cloned is a clone of a table a.t to c.t in the same cluster.
func cloned() pair {
	cluster := &topology.Cluster{Nodes: []topology.Node{{ID: "one"}}}
	from := &files.Source{
		Table: &table.Table{
			Session: &driver.Session{},
			Schema:  declared("a"),
			Cluster: cluster,
		},
		Files: &files.Files{Merged: &reconcile.Table{}},
	}
	c := pair{from: from, to: &table.Table{Schema: declared("c"), Cluster: cluster}}
	from.Schema.ID, c.to.Schema.ID = "1", "2"
	return c
}

// A table is not cloned to itself, nor where what it has would not be seen.
func TestCloneIsRefused(t *testing.T) {
	c := cloned()
	c.from.Dropped = []reconcile.Dropped{{Name: "v", Time: 5}, {Name: "gone", Time: 7}}
	c.to.Dropped = []reconcile.Dropped{{Name: "v", Time: 4}, {Name: "never", Time: 9}}
	require.NoError(t, Check(c.from, c.to))
	require.Equal(
		t,
		[]reconcile.Dropped{{Name: "v", Time: 5}, {Name: "gone", Time: reconcile.Forever}},
		c.from.Files.Merged.Dropped,
		"what was dropped there is left out, and what is not there again with all its cells",
	)
	require.Equal(t, token.Murmur3, c.from.Files.Merged.Partitioner)

	c = cloned()
	c.to.Schema.ID = c.from.Schema.ID
	require.EqualError(t, Check(c.from, c.to), "c.t would be cloned to itself")
	c.to.Cluster = &topology.Cluster{Nodes: []topology.Node{{ID: "another"}}}
	require.NoError(t, Check(c.from, c.to), "a table of that id in another cluster")

	c = cloned()
	c.to.Dropped = []reconcile.Dropped{{Name: "v", Time: 5}}
	require.ErrorContains(t, Check(c.from, c.to), `column "v" of c.t was dropped at 5`)

	c = cloned()
	c.from.KnownOptions.IsView = true
	require.ErrorContains(t, Check(c.from, c.to), "a.t is a materialized view")
}

// An SSTable in a folder that has other columns than the table is named before anything is sent.
func TestClonedFilesAreOfTheTable(t *testing.T) {
	c := cloned()
	file, err := sstables.Open(
		"../../pkg/sstable/testdata/golden/files/nb_lz4",
		component.Descriptor{Version: component.NB, ID: "1"},
	)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	c.from.Files.Whole = []sstables.File{file}
	require.ErrorContains(t, Check(c.from, c.to), file.Path()+": ")
}

// Ranges that one fetch returns are delivered together. Of folders, a slice has enough that few
// SSTables result. Ranges come in the order of the ring.
func TestSlicesOfAClone(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	a, b, _ := token.Halve(whole)
	c := &Job{
		Source: &files.Source{
			Table: &table.Table{Plan: &plan.Plan{Splits: []token.Split{{Range: b}, {Range: a}}}},
			Files: &files.Files{},
		},
	}
	c.SliceBytes = 1 << 20
	slices := func() (all [][]token.Range) {
		for ranges, err := range c.slices(t.Context(), nil) {
			require.NoError(t, err)
			all = append(all, ranges)
		}
		return all
	}
	require.Equal(t, [][]token.Range{{a, b}}, slices())
	c.Source.Files.Bytes = c.SliceBytes
	require.Equal(t, [][]token.Range{{a}, {b}}, slices())
	c.Source.Files.Pieces = sstables.FetchPieces(
		t.Context(),
		[]sstables.Piece{{Ranges: []token.Range{b, a}}},
		0,
		func(context.Context, sstables.Piece, int64) (sstables.Fetched, error) {
			return sstables.Fetched{}, nil
		},
	)
	require.Equal(t, [][]token.Range{{a, b}}, slices())
	require.NoError(t, c.Source.Files.Pieces.Close())
	c.Source.Files.Pieces, c.Source.Plan.Splits = nil, nil
	require.Empty(t, slices())
}
