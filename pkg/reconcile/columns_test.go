package reconcile

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// TestReadableTypes has types that a file may have where the table has another one, and such that
// it may not.
func TestReadableTypes(t *testing.T) {
	for _, c := range []struct {
		stored, as string
		value, key bool
	}{
		{"int", "int", true, true},
		{"ascii", "text", true, true},
		{"text", "blob", true, true},
		{"text", "ascii", false, false},
		{"int", "varint", true, false},
		{"int", "bigint", false, false},
		{"int", "blob", true, false},
		{"counter", "bigint", false, false},
		{"counter", "blob", false, false},
		{"timestamp", "bigint", true, false},
		{"timeuuid", "uuid", true, false},
		{"list<int>", "list<int>", true, true},
		{"list<int>", "list<varint>", true, false},
		{"list<int>", "set<int>", false, false},
		{"list<int>", "blob", false, false},
		{"set<ascii>", "set<text>", true, true},
		{"set<int>", "set<varint>", false, false},
		{"map<int, int>", "map<int, varint>", true, false},
		{"map<int, int>", "map<varint, int>", false, false},
		{"two", "two3", true, true},
		{"two3", "two", false, false},
		{"frozen<list<two>>", "frozen<list<two3>>", true, true},
		{"tuple<int, two>", "tuple<int, two3>", true, true},
		{"tuple<int>", "tuple<int, int>", false, false},
		{"vector<float, 2>", "vector<float, 2>", true, true},
		{"vector<float, 2>", "vector<float, 3>", false, false},
		{"list<frozen<set<int>>>", "list<set<int>>", true, true},
	} {
		stored, as := columnOf(t, "x", c.stored).Type, columnOf(t, "x", c.as).Type
		require.Equal(t, c.value, readable(stored, as, false), "%s as %s", c.stored, c.as)
		require.Equal(t, c.key, readable(stored, as, true), "%s as %s, in a key", c.stored, c.as)
	}
}

// TestSourcesThatAreRefused has what each error must name.
func TestSourcesThatAreRefused(t *testing.T) {
	table := &Table{Schema: schemaOf(t, "k int; k2 int", "c int", "s int", "v int; l list<int>")}
	for want, stored := range map[string]*sstable.Schema{
		`column "x" is none of the table, nor one that was dropped`: schemaOf(t, "k int; k2 int", "c int", "", "x int"),
		`column "l" is frozen<list<int>>, where the table has list`: schemaOf(t, "k int; k2 int", "c int", "", "l frozen<list<int>>"),
		`column "v" is text, where the table has int`:               schemaOf(t, "k int; k2 int", "c int", "", "v text"),
		`column "v" is static in one of both`:                       schemaOf(t, "k int; k2 int", "c int", "v int", ""),
		`column "s" is static in one of both`:                       schemaOf(t, "k int; k2 int", "c int", "", "s int"),
		`column "c" is not in the same order`:                       schemaOf(t, "k int; k2 int", "c int desc", "", ""),
		`column "c" is text, where the table has int`:               schemaOf(t, "k int; k2 int", "c text", "", ""),
		`column "k2" is text, where the table has int`:              schemaOf(t, "k int; k2 text", "c int", "", ""),
		`1 partition key and 1 clustering columns`:                  schemaOf(t, "k int", "c int", "", ""),
		`2 partition key and 0 clustering columns`:                  schemaOf(t, "k int; k2 int", "", "", ""),
	} {
		_, err := NewMerger(table, []Input{{Name: "nb-1-big", Schema: stored}})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "nb-1-big: ")
	}
}

// TestColumnsOfAFileAreFound reads a file with some of the table's columns, ordered by the names
// that the file has. Its user type has one field less than the table's.
func TestColumnsOfAFileAreFound(t *testing.T) {
	table := &Table{Schema: schemaOf(t, "k int", "c int", "", "a int; v int; Odd int; u two3")}
	stored := schemaOf(t, "k int", "c int", "", "v int; Odd int; u two")
	field := cellAt(columnAt(t, stored, "u"), 1, num(7))
	field.Path = []byte{0, 0}
	cells := []sstable.Cell{
		cellAt(
			columnAt(t, stored, "Odd"),
			1,
			num(1),
		),
		cellAt(columnAt(t, stored, "v"), 1, num(2)),
		field,
	}
	f := fileOf(
		t,
		stored,
		component.NB,
		partition{key: num(1), items: []any{row(1, sstable.Liveness{}, cells...)}},
	)
	require.Equal(
		t,
		[]string{"00000001. - 00000002. 0000000400000007ffffffffffffffff."},
		rowsOf(t, mergerOf(t, table, f), []Selector{
			{
				Kind: Regular,
				Name: "Odd",
			},
			{Kind: Regular, Name: "a"},
			{Kind: Regular, Name: "v"},
			{Kind: Regular, Name: "u"},
		}, second),
	)
}

// TestDroppedColumns: cells of a column that was dropped are left out. If the column was added
// again, only cells that are not younger than the drop are left out
// (DeserializationHelper.isDropped).
func TestDroppedColumns(t *testing.T) {
	stored := schemaOf(
		t,
		"k int",
		"c int",
		"gs int",
		"again int; gone int; m map<int, int>; gm map<int, int>",
	)
	again, gone := columnAt(t, stored, "again"), columnAt(t, stored, "gone")
	m, gm := columnAt(t, stored, "m"), columnAt(t, stored, "gm")
	element := func(column int, timestamp int64) sstable.Cell {
		c := cellAt(column, timestamp, num(4))
		c.Path = num(3)
		return c
	}
	young := row(
		1,
		sstable.Liveness{},
		cellAt(again, 6, num(1)),
		cellAt(gone, 6, num(1)),
		element(gm, 6),
		element(m, 6),
	)
	old := row(
		2,
		sstable.Liveness{},
		cellAt(again, 5, num(1)),
		cellAt(gone, 4, num(1)),
		element(gm, 4),
		element(m, 5),
	)
	old.Deletions = []sstable.ColumnDeletion{
		{Column: gm, Deletion: deletedAt(3)},
		{Column: m, Deletion: deletedAt(5)},
	}
	f := fileOf(t, stored, component.NB,
		partition{key: num(1), items: []any{static(cellAt(0, 1, num(1))), young, old}},
		partition{key: num(2), items: []any{static(cellAt(0, 1, num(1))), old}})

	table := &Table{
		Schema: schemaOf(t, "k int", "c int", "", "again int; m map<int, int>"),
		Dropped: []Dropped{
			{
				"again",
				stamp + 5,
			},
			{"again", stamp + 1},
			{"gone", stamp + 5},
			{"m", stamp + 5},
			{"gm", stamp + 5},
			{"gs", stamp + 5},
		},
	}
	require.Equal(t, []string{
		"partition 00000001 {false 0 0}",
		"row false [00000001] {false 0 0 0} {false 0 0} cell 0 0 ttl 0 ts 6 time 0 path  value 00000001" +
			" cell 1 0 ttl 0 ts 6 time 0 path 00000003 value 00000004",
		"end",
	}, texts(t, mergerOf(t, table, f)), "the row of cells that are gone, and the partition of such rows, say nothing")
}

// TestColumnThatIsThereAgain: its file may have just the columns that the table has.
func TestColumnThatIsThereAgain(t *testing.T) {
	table := &Table{
		Schema:  schemaOf(t, "k int", "c int", "", "v int"),
		Dropped: []Dropped{{"v", stamp + 5}},
	}
	f := of(
		t,
		table,
		sstable.Deletion{},
		row(1, writtenAt(1), cellAt(0, 5, num(1))),
		row(2, writtenAt(1), cellAt(0, 6, num(1))),
	)
	require.Equal(
		t,
		[]string{"-", "00000001."},
		rowsOf(t, mergerOf(t, table, f), []Selector{{Kind: Regular, Name: "v"}}, second),
	)
}

// TestNothingIsLeftOutOfOtherColumns: a timestamp of the distant past is no reason.
func TestNothingIsLeftOutOfOtherColumns(t *testing.T) {
	stored := schemaOf(t, "k int", "c int", "", "v int")
	table := &Table{Schema: schemaOf(t, "k int", "c int", "", "a int; v int")}
	f := fileOf(t, stored, component.NB, partition{key: num(1), items: []any{
		row(1, sstable.Liveness{}, sstable.Cell{Timestamp: -1 << 63, Value: num(1)}),
	}})
	require.Equal(
		t,
		[]string{"00000001."},
		rowsOf(t, mergerOf(t, table, f), []Selector{{Kind: Regular, Name: "v"}}, second),
	)
}

// TestColumnThatIsGoneForever: nothing remains of a column that was dropped and not added again.
// That holds whatever column of its name and type the rows are read with, and however young its
// cells are.
func TestColumnThatIsGoneForever(t *testing.T) {
	stored := schemaOf(t, "k int", "c int", "", "gone int; m map<int, int>; v int")
	element := cellAt(columnAt(t, stored, "m"), 9, num(1))
	element.Path = num(3)
	f := fileOf(t, stored, component.NB, partition{key: num(1), items: []any{
		row(
			1,
			writtenAt(1),
			cellAt(columnAt(t, stored, "gone"), 9, num(1)),
			cellAt(columnAt(t, stored, "v"), 1, num(7)),
			element,
		),
	}})
	for _, regulars := range []string{"v int", "gone text; m int; v int", "gone int; m map<int, int>; v int"} {
		table := &Table{
			Schema:  schemaOf(t, "k int", "c int", "", regulars),
			Dropped: []Dropped{{"gone", Forever}, {"m", Forever}},
		}
		m := mergerOf(t, table, f)
		for item := sstable.Item(0); item != sstable.RegularRow; {
			var err error
			item, err = m.Next()
			require.NoError(t, err)
		}
		require.Len(t, m.Row().Cells, 1, regulars)
		require.Equal(t, num(7), m.Row().Cells[0].Value)
	}
}

// TestFindColumn finds each of many columns in the order of SSTables: those of several cells come
// last, whatever their names.
func TestFindColumn(t *testing.T) {
	stored := &sstable.Table{Key: []sstable.Column{columnOf(t, "k", "int")}}
	for i := range 200 {
		typed := []string{"int", "list<int>", "frozen<list<int>>"}[i%3]
		stored.Regulars = append(stored.Regulars, columnOf(t, fmt.Sprint("c", i), typed))
	}
	planned, err := sstable.Plan(stored)
	require.NoError(t, err)
	columns := planned.Table().Regulars
	for i, c := range columns {
		at, found := findColumn(columns, c.Name)
		require.True(t, found, c.Name)
		require.Equal(t, i, at, c.Name)
	}
	for _, name := range []string{"", "c", "c1000", "z"} {
		_, found := findColumn(columns, name)
		require.False(t, found, name)
	}
}
