package sstable

import (
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// merged merges rows in both orders, which must make the same.
func merged(t *testing.T, c *Codec, active Deletion, a, b *Row) *Row {
	t.Helper()
	m, n := NewMerger(c.Schema()), NewMerger(c.Schema())
	m.Reset(active)
	m.Add(a)
	m.Add(b)
	n.Reset(active)
	for _, r := range []*Row{b, a} {
		encoded, err := c.AppendRow(nil, r)
		require.NoError(t, err)
		require.NoError(t, n.AddEncoded(c, encoded))
	}
	first, err := c.AppendRow(nil, m.Row())
	require.NoError(t, err)
	second, err := c.AppendRow(nil, n.Row())
	require.NoError(t, err)
	require.Equal(t, first, second)
	return m.Row()
}

// cellRow is a row of cells of the columns of elements, in which v is column 1.
func cellRow(cells ...Cell) *Row { return &Row{Clustering: [][]byte{{0, 0, 0, 1}}, Cells: cells} }

func one(n byte) []byte { return []byte{0, 0, 0, n} }

// TestOfTwoCellsOneStays has the cells in the order in which the servers prefer them.
func TestOfTwoCellsOneStays(t *testing.T) {
	c := elements(t, component.NB)
	cells := []Cell{
		{Timestamp: 9, Value: one(9)},
		{Timestamp: 10, Value: nil},
		{Timestamp: 10, Value: one(1)},
		{Timestamp: 10, Value: one(0xff)},
		{Timestamp: 10, Kind: Expiring, TTL: 20, Time: 100, Value: one(1)},
		{Timestamp: 10, Kind: Expiring, TTL: 10, Time: 100, Value: one(0)},
		{Timestamp: 10, Kind: Expiring, TTL: 10, Time: 100, Value: one(1)},
		{Timestamp: 10, Kind: Expiring, TTL: 30, Time: 101, Value: one(0)},
		{Timestamp: 10, Kind: Tombstone, Time: 50},
		{Timestamp: 10, Kind: Tombstone, Time: 51},
		{Timestamp: 11, Value: one(0)},
	}
	for i := range cells {
		cells[i].Column = 1
		for j := range cells[:i+1] {
			require.Equal(
				t,
				[]Cell{cells[i]},
				normal(merged(t, c, Deletion{}, cellRow(cells[i]), cellRow(cells[j])).Cells),
				"%d and %d",
				i,
				j,
			)
		}
	}
}

// normal has nil for empty values.
func normal(cells []Cell) []Cell {
	for i := range cells {
		if len(cells[i].Value) == 0 {
			cells[i].Value = nil
		}
	}
	return cells
}

func TestOfTwoLivenessesOneStays(t *testing.T) {
	c := elements(t, component.NB)
	list := []Liveness{
		{},
		{Set: true, Timestamp: 9},
		{Set: true, Timestamp: 10},
		{Set: true, Timestamp: 10, TTL: 20, Expiry: 100},
		{Set: true, Timestamp: 10, TTL: 10, Expiry: 100},
		{Set: true, Timestamp: 10, TTL: 30, Expiry: 101},
		{Set: true, Timestamp: 10, TTL: expiredTTL, Expiry: 50},
		{Set: true, Timestamp: 11, TTL: 1, Expiry: 10},
	}
	row := func(l Liveness) *Row { return &Row{Clustering: [][]byte{one(1)}, Liveness: l} }
	for i := range list {
		for j := range list[:i+1] {
			require.Equal(
				t,
				list[i],
				merged(t, c, Deletion{}, row(list[i]), row(list[j])).Liveness,
				"%d and %d",
				i,
				j,
			)
		}
	}
}

func TestDeletionsTakeWhatIsOlder(t *testing.T) {
	c := elements(t, component.NB)
	deleted := func(timestamp int64) Deletion {
		return Deletion{Set: true, Timestamp: timestamp, Time: 5}
	}
	live := cellRow(Cell{Column: 1, Timestamp: 10, Value: one(1)})
	live.Liveness = Liveness{Set: true, Timestamp: 8}

	row := merged(t, c, Deletion{}, live, &Row{Clustering: live.Clustering, Deletion: deleted(8)})
	require.Equal(t, deleted(8), row.Deletion)
	require.False(t, row.Liveness.Set)
	require.Len(t, row.Cells, 1)

	row = merged(t, c, Deletion{}, live, &Row{Clustering: live.Clustering, Deletion: deleted(10)})
	require.Empty(t, row.Cells)

	// What the partition deletes is left out, and so is a weaker deletion of the row.
	row = merged(t, c, deleted(9), live, &Row{Clustering: live.Clustering, Deletion: deleted(9)})
	require.False(t, row.Deletion.Set)
	require.Len(t, row.Cells, 1)
	require.True(t, merged(t, c, deleted(10), live, live).Empty())
	require.True(
		t,
		merged(
			t,
			c,
			deleted(10),
			live,
			&Row{Clustering: live.Clustering, Deletion: deleted(11)},
		).Deletion.Set,
	)
}

func TestElementsAreMergedByPath(t *testing.T) {
	c := elements(t, component.NB)
	element := func(timestamp int64, path, value string) Cell {
		return Cell{Column: 3, Timestamp: timestamp, Path: []byte(path), Value: []byte(value)}
	}
	a := cellRow(element(10, "a", "old"), element(20, "c", "c"))
	a.Deletions = []ColumnDeletion{{3, Deletion{Set: true, Timestamp: 9, Time: 1}}}
	b := cellRow(
		element(12, "a", "new"),
		element(15, "b", "b"),
		Cell{Column: 5, Timestamp: 1, Path: []byte{0, 1}, Value: []byte("u")},
	)
	row := merged(t, c, Deletion{}, a, b)
	require.Equal(t, a.Deletions, row.Deletions)
	require.Equal(
		t,
		[]Cell{element(12, "a", "new"), element(15, "b", "b"), element(20, "c", "c"), b.Cells[2]},
		row.Cells,
	)

	// The later deletion takes what is older in both rows.
	b.Deletions = []ColumnDeletion{{3, Deletion{Set: true, Timestamp: 14, Time: 2}}}
	row = merged(t, c, Deletion{}, a, b)
	require.Equal(t, b.Deletions, row.Deletions)
	require.Equal(t, []Cell{element(15, "b", "b"), element(20, "c", "c"), b.Cells[2]}, row.Cells)

	// One that deletes no more than the row's own is left out.
	b.Deletion = Deletion{Set: true, Timestamp: 14, Time: 2}
	row = merged(t, c, Deletion{}, a, b)
	require.Empty(t, row.Deletions)
	require.Equal(t, []Cell{element(15, "b", "b"), element(20, "c", "c")}, row.Cells)
}

// One that is not merged with another is still freed of what is deleted.
func TestOneRowIsFreedOfWhatIsDeleted(t *testing.T) {
	c := elements(t, component.NB)
	m := NewMerger(c.Schema())
	for range 2 {
		m.Reset(Deletion{Set: true, Timestamp: 10, Time: 1})
		m.Add(
			cellRow(
				Cell{Column: 1, Timestamp: 10, Value: one(1)},
				Cell{Column: 3, Timestamp: 11, Path: []byte("a")},
			),
		)
		require.Equal(t, []Cell{{Column: 3, Timestamp: 11, Path: []byte("a")}}, m.Row().Cells)
	}
}

// Decimals may be equal and not the same.
func TestTheFirstClusteringStays(t *testing.T) {
	c := mustCodec(
		t,
		&Table{
			Key:        []Column{column(t, "k", "int")},
			Clustering: []Column{column(t, "c", "decimal")},
		},
		component.NB,
		Minima{},
	)
	a, b := [][]byte{testkit.Unhex(t, "00000001 0a")}, [][]byte{testkit.Unhex(t, "00000000 01")}
	require.Zero(t, c.Schema().compareClusterings(a, b))
	m := NewMerger(c.Schema())
	for range 2 {
		m.Reset(Deletion{})
		m.Add(&Row{Clustering: a, Liveness: Liveness{Set: true, Timestamp: 1}})
		m.Add(&Row{Clustering: b, Liveness: Liveness{Set: true, Timestamp: 2}})
		require.Equal(t, a, m.Row().Clustering)
		require.Equal(t, int64(2), m.Row().Liveness.Timestamp)
	}
}

func TestMergeDoesNotAllocate(t *testing.T) {
	c := elements(t, component.NB)
	m := NewMerger(c.Schema())
	a, b := cellRow(
		Cell{Column: 1, Timestamp: 10, Value: one(1)},
	), cellRow(
		Cell{Column: 3, Timestamp: 11, Path: []byte("a")},
	)
	merge := func() {
		m.Reset(Deletion{})
		m.Add(a)
		m.Add(b)
	}
	merge()
	require.Zero(t, testing.AllocsPerRun(100, merge))
}
