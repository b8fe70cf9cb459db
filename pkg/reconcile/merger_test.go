package reconcile

import (
	"errors"
	"io"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// drain reads a source to its end, and returns the error that it ends with.
func drain(from sstable.Source) error {
	for {
		if _, err := from.Next(); err != nil {
			return err
		}
	}
}

// TestPartitionsAreInTheOrderOfTheirTokens, those of several files among each other, with the token
// at hand.
func TestPartitionsAreInTheOrderOfTheirTokens(t *testing.T) {
	table := small(t)
	var files []file
	for i := range 3 {
		var partitions []partition
		for key := i; key < 40; key += 1 + i {
			partitions = append(
				partitions,
				partition{key: num(key), items: []any{row(i, writtenAt(1))}},
			)
		}
		files = append(files, fileOf(t, table.Schema, component.NB, partitions...))
	}
	m := mergerOf(t, table, files...)
	seen, last := 0, token.Token{}
	for {
		item, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if item == sstable.PartitionStart {
			require.Equal(t, token.Murmur3.Hash(m.Key()), m.Token())
			require.True(t, last.Less(m.Token()))
			last = m.Token()
			seen++
		}
	}
	require.Equal(t, 40, seen)
	require.Equal(t, io.EOF, drain(m))
	require.Equal(t, io.EOF, drain(mergerOf(t, table)), "no files")
}

// TestOrderOfAnotherPartitioner: RandomPartitioner has the partitions in another order.
func TestOrderOfAnotherPartitioner(t *testing.T) {
	table := small(t)
	var partitions []partition
	var files []file
	for key := range 20 {
		p := partition{key: num(key), deletion: deletedAt(1)}
		partitions = append(partitions, p)
		files = append(files, fileOf(t, table.Schema, component.NB, p))
	}
	whole := fileOf(t, table.Schema, component.NB, partitions...)
	require.Equal(t, io.EOF, drain(mergerOf(t, table, whole)))
	table.Partitioner = token.Random
	require.ErrorIs(t, drain(mergerOf(t, table, whole)), errOrder)
	m := mergerOf(t, table, files...)
	last := token.Token{}
	for range partitions {
		item, err := m.Next()
		require.NoError(t, err)
		require.Equal(t, sstable.PartitionStart, item)
		require.Equal(t, token.Random.Hash(m.Key()), m.Token())
		require.True(t, last.Less(m.Token()))
		last = m.Token()
		for range 2 { // the static row, and the end
			_, err = m.Next()
			require.NoError(t, err)
		}
	}
	require.Equal(t, io.EOF, drain(m))
}

// TestSourcesOutOfOrderAreRefused: what comes in no order cannot be merged, and must not be merged
// wrong.
func TestSourcesOutOfOrderAreRefused(t *testing.T) {
	table := small(t)
	none := sstable.Deletion{}
	d := deletedAt(1)
	twice := of(t, table, none, row(1, writtenAt(1)))
	twice.data = append(twice.data, twice.data...)
	for name, f := range map[string]file{
		"partition twice":     twice,
		"rows":                of(t, table, none, row(2, writtenAt(1)), row(1, writtenAt(1))),
		"row twice":           of(t, table, none, row(2, writtenAt(1)), row(2, writtenAt(1))),
		"row before a marker": of(t, table, none, row(1, writtenAt(1)), starts(sstable.InclusiveStart, d, 1), ends(sstable.InclusiveEnd, d, 1)),
	} {
		err := drain(mergerOf(t, table, f))
		require.ErrorIs(t, err, errOrder, name)
		require.ErrorContains(t, err, "file 0: ", name)
	}
	m := columnAt(t, table.Schema, "m")
	for _, path := range []int{2, 3} {
		r := row(1, writtenAt(1), cellAt(m, 1, num(1)), cellAt(m, 1, num(1)))
		r.Cells[0].Path, r.Cells[1].Path = num(3), num(path)
		err := drain(mergerOf(t, table, of(t, table, none, r)))
		require.ErrorIs(t, err, errPaths)
		require.ErrorContains(t, err, `file 0: column "m": `)
	}
	// So is a range without an end, be it that the partition's deletion is stronger.
	for _, deletion := range []sstable.Deletion{none, deletedAt(9)} {
		open := of(t, table, deletion, starts(sstable.InclusiveStart, d, 1))
		err := drain(mergerOf(t, table, of(t, table, none, row(1, writtenAt(1))), open))
		require.ErrorIs(t, err, errOpen)
		require.ErrorContains(t, err, "file 1: ")
	}
}

// TestFileThatIsCutOff names the file, and does not take what there is for the whole.
func TestFileThatIsCutOff(t *testing.T) {
	table := small(t)
	f := of(t, table, sstable.Deletion{}, row(1, writtenAt(1)), row(2, writtenAt(1)))
	for n := 1; n < len(f.data); n++ {
		err := drain(mergerOf(t, table, file{codec: f.codec, data: f.data[:n]}))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
		require.ErrorContains(t, err, "file 0: ", "%d bytes", n)
	}
}

// TestEmptyClusteringIsOne: a value without bytes, the first of all, is not null.
func TestEmptyClusteringIsOne(t *testing.T) {
	table := &Table{Schema: schemaOf(t, "k int", "c text", "", "v int")}
	d := deletedAt(1)
	f := of(
		t,
		table,
		sstable.Deletion{},
		&sstable.Marker{
			Kind:    sstable.InclusiveStart,
			Values:  [][]byte{{}},
			Started: d,
		},
		&sstable.Row{Clustering: [][]byte{{}}, Liveness: writtenAt(2)},
		&sstable.Marker{Kind: sstable.InclusiveEnd, Values: [][]byte{{}}, Ended: d},
	)
	require.Equal(t, texts(t, f.input().Source), texts(t, mergerOf(t, table, f, f)))
	require.Equal(
		t,
		[]string{"."},
		rowsOf(t, mergerOf(t, table, f), []Selector{{Kind: Clustering}}, second),
	)
}

// script is a source of items alone.
type script struct {
	items []sstable.Item
	row   sstable.Row
}

func (s *script) Next() (sstable.Item, error) {
	if len(s.items) == 0 {
		return 0, io.EOF
	}
	item := s.items[0]
	s.items = s.items[1:]
	return item, nil
}
func (s *script) Key() []byte                { return []byte{0, 0, 0, 1} }
func (s *script) Deletion() sstable.Deletion { return sstable.Deletion{} }
func (s *script) Row() *sstable.Row          { return &s.row }
func (s *script) Marker() *sstable.Marker    { return &sstable.Marker{} }

// TestItemsOutOfPlaceAreRefused has sources that are no Decoder.
func TestItemsOutOfPlaceAreRefused(t *testing.T) {
	table := small(t)
	for _, items := range [][]sstable.Item{
		{sstable.RegularRow},
		{sstable.PartitionEnd},
		{sstable.PartitionStart, sstable.PartitionStart},
		{sstable.PartitionStart, sstable.StaticRow, sstable.StaticRow},
	} {
		m, err := NewMerger(
			table,
			[]Input{
				{
					Source: &script{items: items, row: sstable.Row{Clustering: [][]byte{num(1)}}},
					Schema: table.Schema,
				},
			},
		)
		require.NoError(t, err)
		require.Equal(t, errItems, drain(m), "%v", items)
	}
	m, err := NewMerger(
		table,
		[]Input{
			{Source: &script{items: []sstable.Item{sstable.PartitionStart}}, Schema: table.Schema},
		},
	)
	require.NoError(t, err)
	require.Equal(t, io.ErrUnexpectedEOF, drain(m))
}

// TestSelectionsThatAreRefused has what each error must name.
func TestSelectionsThatAreRefused(t *testing.T) {
	table := small(t)
	for want, sel := range map[string]Selector{
		"key column 1":                     {Kind: PartitionKey, Index: 1},
		"key column -1":                    {Kind: Clustering, Index: -1},
		`column "k" is of the primary key`: {Kind: PartitionKey, What: TTL},
		`column "c" is of the primary key`: {Kind: Clustering, What: WriteTime},
		`no such column "v"`:               {Kind: Static, Name: "v"},
		`no such column "x"`:               {Kind: Regular, Name: "x"},
		"column of the kind 9":             {Kind: 9},
	} {
		_, err := NewRows(mergerOf(t, table), []Selector{{Kind: PartitionKey}, sel}, second)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "selector 1: ")
	}
	_, err := NewRows(
		mergerOf(t, counterTable(t)),
		[]Selector{{Kind: Regular, Name: "n", What: WriteTime}},
		second,
	)
	require.ErrorContains(t, err, "which has no write time or time to live")
}

// TestCompositeKeyIsSplit into its columns, and one that does not divide is an error
// (CompositeType.split).
func TestCompositeKeyIsSplit(t *testing.T) {
	table := &Table{Schema: schemaOf(t, "a text; b int; c blob", "", "", "v int")}
	selection := []Selector{
		{Kind: PartitionKey, Index: 2},
		{Kind: PartitionKey},
		{Kind: PartitionKey, Index: 1},
	}
	exists := []any{&sstable.Row{Liveness: writtenAt(1)}}
	f := fileOf(
		t,
		table.Schema,
		component.NB,
		partition{key: token.AppendKey(nil, []byte("x"), num(2), nil), items: exists},
	)
	require.Equal(
		t,
		[]string{". 78. 00000002."},
		rowsOf(t, mergerOf(t, table, f), selection, second),
	)
	for _, key := range []string{"00", "0001 78 00 0000 00", "0001 78 00 0000 00 0000 01", "0001 78 00 0000 00 0000 00 00", "ffff 78 00"} {
		key := testkit.Unhex(t, key)
		f := fileOf(t, table.Schema, component.NB, partition{key: key, items: exists})
		r, err := NewRows(mergerOf(t, table, f), selection, second)
		require.NoError(t, err)
		require.ErrorIs(t, r.Next(), errKey, key)
	}
}

// TestFieldsThatAreNoneAreRefused: a path of a user type is the number of a field in two bytes.
func TestFieldsThatAreNoneAreRefused(t *testing.T) {
	table := small(t)
	u := columnAt(t, table.Schema, "u")
	for _, paths := range [][]string{{"0002"}, {"00"}, {"ffff"}} {
		r := row(1, sstable.Liveness{})
		for _, path := range paths {
			c := cellAt(u, 1, num(1))
			c.Path = testkit.Unhex(t, path)
			r.Cells = append(r.Cells, c)
		}
		rows, err := NewRows(
			mergerOf(t, table, of(t, table, sstable.Deletion{}, r)),
			[]Selector{{Kind: Regular, Name: "u"}},
			second,
		)
		require.NoError(t, err)
		err = rows.Next()
		require.ErrorIs(t, err, errField, "%s", paths)
		require.ErrorContains(t, err, `partition 00000001: column "u": `)
	}
}
