package reconcile

import (
	"math"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// small is the table of most tests.
func small(t testing.TB) *Table {
	return &Table{
		Schema: schemaOf(t, "k int", "c int", "s int; t int", "v int; m map<int, int>; u two"),
	}
}

func deletedAt(timestamp int64) sstable.Deletion {
	return sstable.Deletion{Set: true, Timestamp: stamp + timestamp, Time: second}
}

func writtenAt(timestamp int64) sstable.Liveness {
	return sstable.Liveness{Set: true, Timestamp: stamp + timestamp}
}

// cellAt is a cell of a column with a value, or without one a tombstone.
func cellAt(column int, timestamp int64, value []byte) sstable.Cell {
	c := sstable.Cell{Column: column, Timestamp: stamp + timestamp, Value: value}
	if value == nil {
		c.Kind, c.Time = sstable.Tombstone, second
	}
	return c
}

func row(c int, l sstable.Liveness, cells ...sstable.Cell) *sstable.Row {
	return &sstable.Row{Clustering: [][]byte{num(c)}, Liveness: l, Cells: cells}
}

func static(cells ...sstable.Cell) *sstable.Row { return &sstable.Row{Static: true, Cells: cells} }

// starts and ends are markers at values of the clustering.
func starts(k sstable.BoundKind, d sstable.Deletion, values ...int) *sstable.Marker {
	return &sstable.Marker{Kind: k, Values: bytesOf(values), Started: d}
}

func ends(k sstable.BoundKind, d sstable.Deletion, values ...int) *sstable.Marker {
	return &sstable.Marker{Kind: k, Values: bytesOf(values), Ended: d}
}

// of makes a file of the partition 1.
func of(t testing.TB, table *Table, d sstable.Deletion, items ...any) file {
	return fileOf(t, table.Schema, component.NB, partition{key: num(1), deletion: d, items: items})
}

// shown are the rows of k, c, s and v, without what selects times.
func shown(t testing.TB, table *Table, now int64, files ...file) []string {
	t.Helper()
	return rowsOf(t, mergerOf(t, table, files...), []Selector{
		{
			Kind: PartitionKey,
		},
		{Kind: Clustering},
		{Kind: Static, Name: "s"},
		{Kind: Regular, Name: "v"},
	}, now)
}

// TestWhatIsDeletedInOneFileIsNotShown has, in one file, deletions of a partition, a range and a
// row beside older rows. A file is so after a compaction with a large gc_grace_seconds, or from
// sstableloader. UnfilteredRowIterators.merge runs for one iterator only if it must. A reader of
// files must, because no earlier step has done it.
func TestWhatIsDeletedInOneFileIsNotShown(t *testing.T) {
	table := small(t)
	none := sstable.Deletion{}
	for name, f := range map[string]file{
		"partition": of(t, table, deletedAt(5), static(cellAt(0, 4, num(9))), row(1, writtenAt(5), cellAt(0, 5, num(1)))),
		"range": of(t, table, none, starts(sstable.InclusiveStart, deletedAt(5), 1), row(1, writtenAt(5), cellAt(0, 5, num(1))),
			ends(sstable.InclusiveEnd, deletedAt(5), 1)),
		"row": of(t, table, none, &sstable.Row{
			Clustering: [][]byte{num(1)}, Liveness: writtenAt(5), Deletion: deletedAt(5),
			Cells: []sstable.Cell{cellAt(0, 4, num(1))},
		}),
		"expired": of(t, table, none, &sstable.Row{
			Clustering: [][]byte{num(1)},
			Liveness:   sstable.Liveness{Set: true, Timestamp: stamp, TTL: 10, Expiry: second},
			Cells: []sstable.Cell{{
				Kind: sstable.Expiring, Timestamp: stamp, TTL: 10, Time: second, Value: num(1),
			}},
		}),
	} {
		require.Empty(t, shown(t, table, second, f), name)
	}
}

// TestLaterRowsAreNotDeleted is the other half: what is younger than a deletion stays.
func TestLaterRowsAreNotDeleted(t *testing.T) {
	table := small(t)
	a := of(
		t,
		table,
		deletedAt(5),
		static(cellAt(0, 6, num(9))),
		row(1, writtenAt(6), cellAt(0, 7, num(1))),
	)
	b := of(
		t,
		table,
		sstable.Deletion{},
		starts(sstable.InclusiveStart, deletedAt(6)),
		ends(sstable.InclusiveEnd, deletedAt(6)),
	)
	require.Equal(
		t,
		[]string{"00000001. 00000001. 00000009. 00000001."},
		shown(t, table, second, a, b),
	)
}

// TestStrongestOpenRangeApplies has ranges of three files that begin and end within each other
// (RangeTombstoneMarker.Merger).
func TestStrongestOpenRangeApplies(t *testing.T) {
	table := small(t)
	in, out := sstable.InclusiveStart, sstable.InclusiveEnd
	none := sstable.Deletion{}
	wide := of(t, table, none, starts(in, deletedAt(3), 0), ends(out, deletedAt(3), 9))
	strong := of(
		t,
		table,
		none,
		starts(sstable.ExclusiveStart, deletedAt(6), 2),
		ends(sstable.ExclusiveEnd, deletedAt(6), 6),
	)
	weak := of(t, table, none, starts(in, deletedAt(1), 3), ends(out, deletedAt(1), 5))
	var rows []any
	for c := range 11 {
		rows = append(rows, row(c, writtenAt(4), cellAt(0, 4, num(c))))
	}
	data := of(t, table, none, rows...)
	m := mergerOf(t, table, wide, weak, strong, data)
	var clusterings []byte
	for _, line := range rowsOf(t, m, []Selector{{Kind: Clustering}}, second) {
		clusterings = append(clusterings, testkit.Unhex(t, line[:len(line)-1])[3])
	}
	require.Equal(t, []byte{0, 1, 2, 6, 7, 8, 9, 10}, clusterings)
	require.Equal(t, []string{
		"partition 00000001 {false 0 0}", "row true [] {false 0 0 0} {false 0 0}",
		"marker 1 [00000000] {false 0 0} {true 1700000000000003 1700000000}",
		"marker 5 [00000002] {true 1700000000000003 1700000000} {true 1700000000000006 1700000000}",
		"marker 2 [00000006] {true 1700000000000006 1700000000} {true 1700000000000003 1700000000}",
		"marker 6 [00000009] {true 1700000000000003 1700000000} {false 0 0}", "end",
	}, texts(t, mergerOf(t, table, weak, wide, strong)))
}

// TestRangesOfOneFileThatTouch has an end and a start at one place instead of a boundary. A file of
// an old server, or of another program, may have both, and equal deletions become one range.
func TestRangesOfOneFileThatTouch(t *testing.T) {
	table := small(t)
	in, out, d := sstable.InclusiveStart, sstable.ExclusiveEnd, deletedAt(3)
	f := of(
		t,
		table,
		sstable.Deletion{},
		starts(in, d, 0),
		ends(out, d, 4),
		starts(in, d, 4),
		ends(out, d, 8),
	)
	require.Equal(t, []string{
		"partition 00000001 {false 0 0}", "row true [] {false 0 0 0} {false 0 0}",
		"marker 1 [00000000] {false 0 0} {true 1700000000000003 1700000000}",
		"marker 0 [00000008] {true 1700000000000003 1700000000} {false 0 0}", "end",
	}, texts(t, mergerOf(t, table, f)))
}

// TestRangeWithinADeletedPartitionGoes: what the partition's deletion supersedes is not given, and
// one that is as strong is (RangeTombstoneMarker.Merger.currentOpenDeletionTimeInMerged).
func TestRangeWithinADeletedPartitionGoes(t *testing.T) {
	table := small(t)
	f := of(
		t,
		table,
		deletedAt(5),
		starts(
			sstable.InclusiveStart,
			deletedAt(4),
			0,
		),
		ends(sstable.ExclusiveEnd, deletedAt(4), 4),
		starts(
			sstable.ExclusiveStart,
			deletedAt(6),
			4,
		),
		ends(sstable.ExclusiveEnd, deletedAt(6), 8),
	)
	require.Equal(t, []string{
		"partition 00000001 {true 1700000000000005 1700000000}",
		"row true [] {false 0 0 0} {false 0 0}",
		"marker 7 [00000004] {false 0 0} {true 1700000000000006 1700000000}",
		"marker 0 [00000008] {true 1700000000000006 1700000000} {false 0 0}",
		"end",
	}, texts(t, mergerOf(t, table, f)))
}

// TestRowsOfSeveralFilesAreOne: a reader that gives one file after the other gives a row twice.
func TestRowsOfSeveralFilesAreOne(t *testing.T) {
	table := small(t)
	none := sstable.Deletion{}
	a := of(t, table, none, row(1, writtenAt(1), cellAt(0, 1, num(1))), row(2, writtenAt(1)))
	b := of(
		t,
		table,
		none,
		static(cellAt(0, 1, num(7))),
		row(1, writtenAt(2), cellAt(0, 2, num(2))),
	)
	require.Equal(
		t,
		[]string{"00000001. 00000001. 00000007. 00000002.", "00000001. 00000002. 00000007. -"},
		shown(t, table, second, a, b),
	)
}

// TestRowsOfNullsAreNotLost: a row whose columns are all null exists by its liveness, and static
// columns that are null take no row away (CASSANDRA-19411, CASSANDRA-19626).
func TestRowsOfNullsAreNotLost(t *testing.T) {
	table := small(t)
	f := of(
		t,
		table,
		sstable.Deletion{},
		static(cellAt(0, 1, nil)),
		row(1, writtenAt(1), cellAt(0, 1, nil)),
		row(2, writtenAt(1)),
	)
	require.Equal(
		t,
		[]string{"00000001. 00000001. - -", "00000001. 00000002. - -"},
		shown(t, table, second, f),
	)
}

// TestNoRowsOfNothing: neither a deleted row, nor one of tombstones, nor one that another file
// deletes is a row of nulls.
func TestNoRowsOfNothing(t *testing.T) {
	table := small(t)
	none := sstable.Deletion{}
	a := of(t, table, none,
		&sstable.Row{Clustering: [][]byte{num(1)}, Deletion: deletedAt(5)},
		row(2, sstable.Liveness{}, cellAt(0, 1, nil)),
		row(3, writtenAt(4), cellAt(0, 4, num(3))))
	b := of(
		t,
		table,
		none,
		row(1, writtenAt(5), cellAt(0, 5, num(1))),
		&sstable.Row{Clustering: [][]byte{num(3)}, Deletion: deletedAt(4)},
	)
	require.Empty(t, shown(t, table, second, a, b))
}

// TestRowExistsByWhatIsNotSelected has rows of UPDATE statements. Such a row exists if any of its
// cells is live (Row.hasLiveData). A partition exists if any of its static cells is live, since
// ColumnFilter fetches all of them.
func TestRowExistsByWhatIsNotSelected(t *testing.T) {
	table := small(t)
	m, s := columnAt(t, table.Schema, "m"), columnAt(t, table.Schema, "t")
	element := cellAt(m, 1, num(4))
	element.Path = num(3)
	none := sstable.Deletion{}
	f := of(t, table, none, row(1, sstable.Liveness{}, element))
	require.Equal(t, []string{"00000001. 00000001. - -"}, shown(t, table, second, f))
	require.Equal(
		t,
		[]string{"00000001. - - -"},
		shown(t, table, second, of(t, table, none, static(cellAt(s, 1, num(1))))),
	)
}

// TestStaticColumnsAlone: a partition with live static columns and no live row has one row. With a
// live row it has no further one, whether other rows are deleted or not
// (SelectStatement.processPartition).
func TestStaticColumnsAlone(t *testing.T) {
	table := small(t)
	none := sstable.Deletion{}
	gone := &sstable.Row{Clustering: [][]byte{num(1)}, Deletion: deletedAt(5)}
	alone := of(t, table, none, static(cellAt(0, 1, num(7))), gone)
	require.Equal(t, []string{"00000001. - 00000007. -"}, shown(t, table, second, alone))
	require.Equal(
		t,
		[]string{"00000001. 00000002. 00000007. -"},
		shown(t, table, second, alone, of(t, table, none, row(2, writtenAt(1)))),
	)
	// The values of the partition before are not those of the next one.
	two := fileOf(
		t,
		table.Schema,
		component.NB,
		partition{
			key:   num(1),
			items: []any{static(cellAt(0, 1, num(7))), row(1, writtenAt(1), cellAt(0, 1, num(1)))},
		},
		partition{key: num(2), items: []any{row(2, writtenAt(1))}},
		partition{key: num(3), items: []any{static(cellAt(0, 1, num(8)))}},
	)
	require.ElementsMatch(t, []string{
		"00000001. 00000001. 00000007. 00000001.",
		"00000002. 00000002. - -",
		"00000003. - 00000008. -",
	}, shown(t, table, second, two))
}

// TestExpiry: a cell has expired in the second in which it expires (AbstractCell.isLive). A live
// value that expires has its remaining time to live.
func TestExpiry(t *testing.T) {
	table := small(t)
	f := of(t, table, sstable.Deletion{}, row(1, sstable.Liveness{}, sstable.Cell{
		Kind: sstable.Expiring, Timestamp: stamp, TTL: 10, Time: second + 10, Value: num(1),
	}))
	selection := []Selector{
		{Kind: Regular, Name: "v", What: TTL},
		{Kind: Regular, Name: "v", What: WriteTime},
	}
	require.Equal(
		t,
		[]string{"00000001. 00060a24181e4000."},
		rowsOf(t, mergerOf(t, table, f), selection, second+9),
	)
	require.Empty(t, rowsOf(t, mergerOf(t, table, f), selection, second+10))
	// A liveness that was over when it was written, as views have them, never makes a row.
	f = of(
		t,
		table,
		sstable.Deletion{},
		row(
			1,
			sstable.Liveness{Set: true, Timestamp: stamp, TTL: math.MaxInt32, Expiry: second + 10},
		),
	)
	require.Empty(t, shown(t, table, second, f))
}

// TestTiesOfCells has pairs of cells, each from files of its own. The first one wins
// (Cells.resolveRegular).
func TestTiesOfCells(t *testing.T) {
	table := small(t)
	expiring := func(ttl int32, time int64, value []byte) sstable.Cell {
		return sstable.Cell{
			Kind:      sstable.Expiring,
			Timestamp: stamp,
			TTL:       ttl,
			Time:      time,
			Value:     value,
		}
	}
	for _, c := range []struct {
		stays, goes sstable.Cell
		want        string
	}{
		{cellAt(0, 0, num(2)), cellAt(0, 0, num(1)), "00000002."},
		{cellAt(0, 1, num(1)), cellAt(0, 0, num(2)), "00000001."},
		{cellAt(0, 0, nil), cellAt(0, 0, num(2)), ""},
		{expiring(10, second+10, num(1)), cellAt(0, 0, num(2)), "00000001."},
		{cellAt(0, 0, nil), expiring(10, second+10, num(1)), ""},
		{expiring(10, second+11, num(1)), expiring(10, second+10, num(2)), "00000001."},
		{expiring(9, second+10, num(1)), expiring(10, second+10, num(2)), "00000001."},
	} {
		a := of(
			t,
			table,
			sstable.Deletion{},
			row(1, writtenAt(0), c.stays),
		)
		b := of(
			t,
			table,
			sstable.Deletion{},
			row(1, writtenAt(0), c.goes),
		)
		want := "-"
		if c.want != "" {
			want = c.want
		}
		for _, files := range [][]file{{a, b}, {b, a}} {
			require.Equal(
				t,
				[]string{want},
				rowsOf(
					t,
					mergerOf(t, table, files...),
					[]Selector{{Kind: Regular, Name: "v"}},
					second,
				),
			)
		}
	}
}

// TestCollectionIsPutTogether has cells of two files. One file replaces the collection. What is
// older than the deletion of the column is deleted (ComplexColumnData), and a collection without
// elements is null.
func TestCollectionIsPutTogether(t *testing.T) {
	table := small(t)
	m := columnAt(t, table.Schema, "m")
	element := func(timestamp int64, key int, value []byte) sstable.Cell {
		c := cellAt(m, timestamp, value)
		c.Path = num(key)
		return c
	}
	old := row(1, writtenAt(0), element(1, 1, num(1)), element(4, 2, num(2)), element(4, 3, num(3)))
	replaced := row(1, writtenAt(3), element(3, -5, num(5)), element(5, 3, nil))
	replaced.Deletions = []sstable.ColumnDeletion{{Column: m, Deletion: deletedAt(2)}}
	empty := row(2, writtenAt(3))
	empty.Deletions = replaced.Deletions
	a := of(t, table, sstable.Deletion{}, old, row(2, writtenAt(0), element(2, 1, num(1))))
	b := of(t, table, sstable.Deletion{}, replaced, empty)
	require.Equal(t, []string{
		"00000002" + "00000004fffffffb" + "0000000400000005" + "0000000400000002" + "0000000400000002.",
		"-",
	}, rowsOf(t, mergerOf(t, table, a, b), []Selector{{Kind: Regular, Name: "m"}}, second))
}

// TestUserTypeIsPutTogether has null for fields that are missing, at the end too
// (UserType.serializeForNativeProtocol).
func TestUserTypeIsPutTogether(t *testing.T) {
	table := small(t)
	u := columnAt(t, table.Schema, "u")
	field := func(timestamp int64, field byte, value []byte) sstable.Cell {
		c := cellAt(u, timestamp, value)
		c.Path = []byte{0, field}
		return c
	}
	f := of(
		t,
		table,
		sstable.Deletion{},
		row(1, writtenAt(0), field(1, 0, num(1))),
		row(2, writtenAt(0), field(1, 0, nil), field(1, 1, []byte{})),
	)
	g := of(
		t,
		table,
		sstable.Deletion{},
		row(3, writtenAt(0), field(1, 0, num(1)), field(1, 1, []byte("x"))),
		row(4, writtenAt(0), field(1, 1, nil)),
	)
	require.Equal(
		t,
		[]string{
			"0000000400000001ffffffff.",
			"ffffffff00000000.",
			"00000004000000010000000178.",
			"-",
		},
		rowsOf(t, mergerOf(t, table, f, g), []Selector{{Kind: Regular, Name: "u"}}, second),
	)
}

// TestEmptyIsNotNull: a value without bytes is one.
func TestEmptyIsNotNull(t *testing.T) {
	table := small(t)
	f := of(
		t,
		table,
		sstable.Deletion{},
		static(cellAt(0, 1, []byte{})),
		row(1, writtenAt(1), cellAt(0, 1, []byte{})),
	)
	require.Equal(t, []string{"00000001. 00000001. . ."}, shown(t, table, second, f))
}

// TestPartitionWithNothingLeftIsNotGiven: an empty one in a file says nothing.
func TestPartitionWithNothingLeftIsNotGiven(t *testing.T) {
	table := small(t)
	f := fileOf(
		t,
		table.Schema,
		component.NB,
		partition{key: num(1)},
		partition{key: num(2), items: []any{row(1, writtenAt(1))}},
		partition{key: num(3)},
	)
	items := texts(t, mergerOf(t, table, f))
	require.Len(t, items, 4)
	require.Equal(t, "partition 00000002 {false 0 0}", items[0])
}
