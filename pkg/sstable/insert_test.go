package sstable

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Of the tests of INSERT.
const (
	stamp = 1700000000000000
	now   = 1700000000
)

func set(t testing.TB, s string) Value { return Value{Bytes: testkit.Unhex(t, s), State: Set} }

// list makes a list or set, or a map of its keys and values, of elements in hex.
func list(t testing.TB, count int, elems ...string) Value {
	wire := cqlwire.AppendCount(nil, count)
	for _, e := range elems {
		wire = cqlwire.AppendElem(wire, testkit.Unhex(t, e))
	}
	return Value{Bytes: wire, State: Set}
}

// elements is a table with a column of each type that is not frozen.
func elements(t testing.TB, v component.Version) *Codec {
	return mustCodec(t, &Table{
		Key: []Column{column(t, "k", "int")}, Clustering: []Column{column(t, "c", "int")},
		Statics: []Column{column(t, "s", "int"), column(t, "sl", "list<int>")},
		Regulars: []Column{
			column(
				t,
				"l",
				"list<int>",
			),
			column(t, "m", "map<text, frozen<set<int>>>"),
			column(t, "s2", "set<text>"),
			column(t, "u", "two"),
			column(t, "v", "int"),
			column(t, "f", "frozen<set<int>>"),
		},
	}, v, Minima{Timestamp: stamp, Time: now})
}

// insert makes the rows of one statement on the columns k, c and those named.
func insert(
	t testing.TB,
	c *Codec,
	columns []string,
	st Insert,
	o InsertOptions,
) (static, row *Row) {
	t.Helper()
	in, err := NewInserter(c, append([]string{"k", "c"}, columns...), o)
	require.NoError(t, err)
	st.Values = append([]Value{set(t, "00000001"), set(t, "00000002")}, st.Values...)
	static, row, err = in.Insert(st)
	require.NoError(t, err)
	for _, r := range []*Row{static, row} {
		if r != nil {
			requireReadBack(t, c, r)
		}
	}
	return static, row
}

// requireReadBack encodes a row and decodes it.
func requireReadBack(t testing.TB, c *Codec, r *Row) {
	t.Helper()
	encoded, err := c.AppendRow(nil, r)
	require.NoError(t, err)
	var back Row
	require.NoError(t, c.DecodeRow(encoded, &back))
	again, err := c.AppendRow(nil, &back)
	require.NoError(t, err)
	require.Equal(t, encoded, again)
	require.Len(t, back.Cells, len(r.Cells))
	require.Equal(t, r.Liveness, back.Liveness)
	require.Equal(t, r.Deletion, back.Deletion)
}

func TestInsertOfKeysAloneIsLiveness(t *testing.T) {
	static, row := insert(
		t,
		elements(t, component.NB),
		nil,
		Insert{Timestamp: stamp},
		InsertOptions{},
	)
	require.Nil(t, static)
	require.Equal(t, Liveness{Set: true, Timestamp: stamp}, row.Liveness)
	require.Empty(t, row.Cells)
	require.Empty(t, row.Deletions)
	require.Equal(t, [][]byte{{0, 0, 0, 2}}, row.Clustering)
}

func TestNullIsATombstoneAndUnsetNothing(t *testing.T) {
	_, row := insert(t, elements(t, component.NB), []string{"v", "f"}, Insert{
		Values: []Value{{State: Null}, {}}, Timestamp: stamp, Now: now, TTL: 10,
	}, InsertOptions{})
	require.Equal(t, []Cell{{Column: 1, Kind: Tombstone, Timestamp: stamp, Time: now}}, row.Cells)
}

func TestFrozenSetIsSorted(t *testing.T) {
	_, row := insert(t, elements(t, component.NB), []string{"f"}, Insert{
		Values: []Value{list(t, 3, "00000002", "ffffffff", "00000002")}, Timestamp: stamp,
	}, InsertOptions{})
	require.Equal(
		t,
		[]Cell{{Timestamp: stamp, Value: list(t, 2, "ffffffff", "00000002").Bytes}},
		row.Cells,
	)
}

func TestSetInDescendingOrderStaysAsItCame(t *testing.T) {
	down := column(t, "down", "frozen<set<int>>")
	down.Desc = true
	c := mustCodec(t, &Table{
		Key: []Column{
			column(t, "k", "int"),
		},
		Clustering: []Column{column(t, "up", "frozen<set<int>>"), down},
	}, component.NB, Minima{Timestamp: stamp, Time: now})
	in, err := NewInserter(c, []string{"k", "up", "down"}, InsertOptions{})
	require.NoError(t, err)
	value := list(t, 3, "00000002", "ffffffff", "00000002")
	_, row, err := in.Insert(
		Insert{Values: []Value{set(t, "00000001"), value, value}, Timestamp: stamp},
	)
	require.NoError(t, err)
	require.Equal(
		t,
		[][]byte{list(t, 2, "ffffffff", "00000002").Bytes, value.Bytes},
		row.Clustering,
	)
	requireReadBack(t, c, row)
}

func TestTTLIsOnTheRowAndItsCells(t *testing.T) {
	_, row := insert(t, elements(t, component.NB), []string{"v"}, Insert{
		Values: []Value{set(t, "00000005")}, Timestamp: stamp, Now: now, TTL: 60,
	}, InsertOptions{})
	require.Equal(t, Liveness{Set: true, Timestamp: stamp, TTL: 60, Expiry: now + 60}, row.Liveness)
	require.Equal(
		t,
		[]Cell{
			{
				Column:    1,
				Kind:      Expiring,
				TTL:       60,
				Timestamp: stamp,
				Time:      now + 60,
				Value:     testkit.Unhex(t, "00000005"),
			},
		},
		row.Cells,
	)
}

func TestCollectionsAreReplacedCellByCell(t *testing.T) {
	values := []Value{
		list(t, 2, "00000007", "00000007"),
		list(
			t,
			2,
			"62",
			"0000000100000004 00000001",
			"61",
			"0000000200000004 00000002 00000004 00000001",
		),
		list(t, 2, "7a", "61"),
		{Bytes: cqlwire.AppendElem(cqlwire.AppendNull(nil), []byte("b")), State: Set},
	}
	_, row := insert(
		t,
		elements(t, component.NB),
		[]string{"l", "m", "s2", "u"},
		Insert{Values: values, Timestamp: stamp, Now: now},
		InsertOptions{},
	)
	deleted := Deletion{Set: true, Timestamp: stamp - 1, Time: now}
	require.Equal(
		t,
		[]ColumnDeletion{{2, deleted}, {3, deleted}, {4, deleted}, {5, deleted}},
		row.Deletions,
	)
	for i := range row.Cells[:2] {
		require.Len(t, row.Cells[i].Path, 16)
		row.Cells[i].Path = nil
	}
	require.Equal(t, []Cell{
		{Column: 2, Timestamp: stamp, Value: testkit.Unhex(t, "00000007")},
		{Column: 2, Timestamp: stamp, Value: testkit.Unhex(t, "00000007")},
		{
			Column:    3,
			Timestamp: stamp,
			Path:      []byte("a"),
			Value:     list(t, 2, "00000001", "00000002").Bytes,
		},
		{Column: 3, Timestamp: stamp, Path: []byte("b"), Value: list(t, 1, "00000001").Bytes},
		{Column: 4, Timestamp: stamp, Path: []byte("a")},
		{Column: 4, Timestamp: stamp, Path: []byte("z")},
		{Column: 5, Timestamp: stamp, Path: []byte{0, 1}, Value: []byte("b")},
	}, row.Cells)

	_, row = insert(
		t,
		elements(t, component.NB),
		[]string{"l", "m", "s2", "u"},
		Insert{Values: values, Timestamp: stamp, Now: now},
		InsertOptions{AppendCollections: true},
	)
	require.Empty(t, row.Deletions)
	require.Len(t, row.Cells, 7)
}

func TestNullAndEmptyCollectionsAreDeletionsAlone(t *testing.T) {
	for _, value := range []Value{{State: Null}, list(t, 0)} {
		_, row := insert(
			t,
			elements(t, component.NB),
			[]string{"l"},
			Insert{Values: []Value{value}, Timestamp: stamp, Now: now},
			InsertOptions{},
		)
		require.Empty(t, row.Cells)
		require.Equal(
			t,
			[]ColumnDeletion{{2, Deletion{Set: true, Timestamp: stamp - 1, Time: now}}},
			row.Deletions,
		)
	}
	_, row := insert(t, elements(t, component.NB), []string{"l", "s2"}, Insert{
		Values: []Value{{State: Null}, list(t, 1, "61")}, Timestamp: stamp, Now: now,
	}, InsertOptions{AppendCollections: true})
	require.Len(t, row.Deletions, 1)
	require.Len(t, row.Cells, 1)
}

func TestStaticColumnsGoToTheStaticRow(t *testing.T) {
	c := elements(t, component.NB)
	static, row := insert(
		t,
		c,
		[]string{"s", "v"},
		Insert{Values: []Value{set(t, "00000009"), {}}, Timestamp: stamp},
		InsertOptions{},
	)
	require.True(t, static.Static)
	require.Equal(t, []Cell{{Timestamp: stamp, Value: testkit.Unhex(t, "00000009")}}, static.Cells)
	require.Equal(t, Liveness{}, static.Liveness)
	require.True(t, row.Liveness.Set)

	in, err := NewInserter(c, []string{"k", "c", "s", "v"}, InsertOptions{})
	require.NoError(t, err)
	static, row, err = in.Insert(
		Insert{
			Values:    []Value{set(t, "00000001"), {}, {State: Null}, {}},
			Timestamp: stamp,
			Now:       now,
		},
	)
	require.NoError(t, err)
	require.Nil(t, row)
	require.Equal(t, []Cell{{Kind: Tombstone, Timestamp: stamp, Time: now}}, static.Cells)

	_, _, err = in.Insert(Insert{Values: []Value{set(t, "00000001"), {}, {}, {}}, Timestamp: stamp})
	require.EqualError(
		t,
		err,
		"a row without clustering columns writes static columns, and no others",
	)
	// Nulls have no row to go to, as where a server is sent the static columns alone.
	static, row, err = in.Insert(
		Insert{
			Values: []Value{
				set(t, "00000001"),
				{State: Null},
				set(t, "00000009"),
				{State: Null},
			},
			Timestamp: stamp,
			Now:       now,
		},
	)
	require.NoError(t, err)
	require.Nil(t, row)
	require.Equal(t, []Cell{{Timestamp: stamp, Value: testkit.Unhex(t, "00000009")}}, static.Cells)
	_, _, err = in.Insert(
		Insert{
			Values:    []Value{set(t, "00000001"), {}, {State: Null}, set(t, "00000001")},
			Timestamp: stamp,
		},
	)
	require.EqualError(
		t,
		err,
		"a row without clustering columns writes static columns, and no others",
	)
}

// A row whose columns have times of their own is several statements of one key.
func TestStatementsOfOneKeyAreMerged(t *testing.T) {
	c := elements(t, component.NB)
	in, err := NewInserter(c, []string{"k", "c", "v", "s", "l"}, InsertOptions{})
	require.NoError(t, err)
	key, clustering, no := set(t, "00000001"), set(t, "00000002"), Value{}
	static, row, err := in.Insert(
		Insert{
			Values:    []Value{key, clustering, set(t, "00000005"), no, no},
			Timestamp: stamp,
			TTL:       60,
			Now:       now,
		},
		Insert{Values: []Value{key, no, no, set(t, "00000006"), no}, Timestamp: stamp + 1},
		Insert{
			Values:    []Value{key, clustering, no, no, list(t, 1, "00000007")},
			Timestamp: stamp + 2,
			Now:       now,
		},
		Insert{
			Values:    []Value{key, clustering, set(t, "00000008"), set(t, "00000001"), no},
			Timestamp: stamp - 5,
			Now:       now,
		},
	)
	require.NoError(t, err)
	require.Equal(t, []Cell{{Timestamp: stamp + 1, Value: testkit.Unhex(t, "00000006")}}, static.Cells)
	require.Equal(t, Liveness{Set: true, Timestamp: stamp + 2}, row.Liveness)
	require.Len(t, row.Cells, 2)
	require.Equal(
		t,
		Cell{
			Column:    1,
			Kind:      Expiring,
			TTL:       60,
			Timestamp: stamp,
			Time:      now + 60,
			Value:     testkit.Unhex(t, "00000005"),
		},
		row.Cells[0],
	)
	require.Equal(t, int64(stamp+2), row.Cells[1].Timestamp)
	require.Equal(
		t,
		[]ColumnDeletion{{2, Deletion{Set: true, Timestamp: stamp + 1, Time: now}}},
		row.Deletions,
	)
	requireReadBack(t, c, row)
}

func TestInsertRefuses(t *testing.T) {
	key, clustering := set(t, "00000001"), set(t, "00000002")
	long := Value{Bytes: make([]byte, 65536), State: Set}
	for _, c := range []struct {
		version component.Version
		st      Insert
		want    string
	}{
		{
			component.NB,
			Insert{Values: []Value{key, {State: Null}, {}}},
			"a row without clustering columns writes static columns, and no others",
		},
		{
			component.NB,
			Insert{Values: []Value{key, long, {}}},
			"clustering columns of more than 65535 bytes",
		},
		{
			component.NB,
			Insert{Values: []Value{key, clustering}},
			"2 values, where the statement has 3 columns",
		},
		{
			component.NB,
			Insert{Values: []Value{key, clustering, {}}, TTL: -1},
			"TTL of -1 seconds, where 0 to 630720000 are allowed",
		},
		{component.NB, Insert{Values: []Value{key, clustering, {}}, TTL: 500000000, Now: now},
			"TTL of 500000000 seconds ends after 2038-01-19T03:14:06Z, the latest time that version nb of SSTables can keep"},
		{component.OA, Insert{
			Values: []Value{key, clustering, {}},
			TTL:    500000000,
			Now:    4000000000,
		},
			"TTL of 500000000 seconds ends after 2106-02-07T06:28:13Z, the latest time that version oa of SSTables can keep"},
		{
			component.NB,
			Insert{Values: []Value{key, clustering, {}}, Timestamp: noTimestamp},
			"timestamp -9223372036854775808 is none that a server takes",
		},
		{component.NB, Insert{Values: []Value{
			key,
			clustering,
			{Bytes: []byte{0, 0, 0, 1, 255, 255, 255, 255}, State: Set},
		}}, `column "l": element 0 is null, which only a frozen list can have`},
		{
			component.NB,
			Insert{Values: []Value{key, clustering, {Bytes: []byte{0, 0, 0, 1}, State: Set}}},
			`column "l": malformed list<int> value: element 0 is cut off`,
		},
	} {
		in, err := NewInserter(elements(t, c.version), []string{"k", "c", "l"}, InsertOptions{})
		require.NoError(t, err)
		_, _, err = in.Insert(c.st)
		require.EqualError(t, err, c.want)
	}
	for _, columns := range [][]string{{"c", "v"}, {"k", "v"}, {"k", "k", "c"}, {"k", "c", "no"}, {"k"}} {
		_, err := NewInserter(elements(t, component.NB), columns, InsertOptions{})
		require.Error(t, err, columns)
	}
	counters := mustCodec(
		t,
		&Table{Key: []Column{column(t, "k", "int")}, Regulars: []Column{column(t, "n", "counter")}},
		component.NB,
		Minima{},
	)
	_, err := NewInserter(counters, []string{"k"}, InsertOptions{})
	require.EqualError(t, err, `column "n" is a counter, which only a server can write`)
}

func TestAppendKey(t *testing.T) {
	c := mustCodec(
		t,
		&Table{Key: []Column{column(t, "a", "int"), column(t, "b", "frozen<set<text>>")}},
		component.NB,
		Minima{},
	)
	in, err := NewInserter(c, []string{"b", "a"}, InsertOptions{})
	require.NoError(t, err)
	key, err := in.AppendKey([]byte{9}, []Value{list(t, 2, "62", "61"), set(t, "00000007")})
	require.NoError(t, err)
	want := testkit.Unhex(t, "09 0004 00000007 00 000e 00000002 00000001 61 00000001 62 00")
	require.Equal(t, want, key)
	_, err = in.AppendKey(nil, []Value{list(t, 0), {State: Null}})
	require.EqualError(t, err, `key column "a" has no value`)
	_, err = in.AppendKey(
		nil,
		[]Value{list(t, 1, string(make([]byte, 0))), {Bytes: make([]byte, 65530), State: Set}},
	)
	require.EqualError(t, err, "a partition key of 65544 bytes, where 1 to 65535 are allowed")
}

// Paths of list elements are timeuuids that the server's order keeps in the order of the list.
func TestListPathsAscend(t *testing.T) {
	s := elements(t, component.NB).Schema()
	var last []byte
	for _, i := range []int{0, 1, 127, 128, 255, 256, 32767, 32768, 1 << 24, 1<<31 - 1} {
		path := appendListPath(nil, stamp, i)
		require.Len(t, path, 16)
		require.Equal(t, byte(0x10), path[6]&0xf0, "version 1")
		require.Equal(t, byte(0x80), path[8]&0xc0, "variant of RFC 4122")
		if last != nil {
			require.Negative(t, s.ComparePaths(false, 2, last, path))
		}
		last = path
	}
	require.Negative(t, s.ComparePaths(false, 2, last, appendListPath(nil, stamp+1, 0)))
	ticks := uint64(stamp)*10 + uuidEpoch
	path := appendListPath(nil, stamp, 0)
	back := uint64(
		binary.BigEndian.Uint32(path),
	) | uint64(
		binary.BigEndian.Uint16(path[4:]),
	)<<32 | uint64(
		binary.BigEndian.Uint16(path[6:])&0xfff,
	)<<48
	require.Equal(t, ticks, back)
}

// Values of tuples, and of clustering columns in descending order, are stored as they come, as CQL
// does it for bound values.
func TestTuplesAndReversedSetsAreKeptAsBound(t *testing.T) {
	desc := column(t, "c", "frozen<set<int>>")
	desc.Desc = true
	c := mustCodec(t, &Table{
		Key:        []Column{column(t, "k", "int")},
		Clustering: []Column{desc},
		Regulars: []Column{
			column(t, "t", "tuple<int, tuple<frozen<set<int>>, int>, frozen<map<int, int>>>"),
			column(t, "u", "tuple<int, text>"),
		},
	}, component.NB, Minima{Timestamp: stamp})
	in, err := NewInserter(c, []string{"k", "c", "t", "u"}, InsertOptions{})
	require.NoError(t, err)
	elem := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			out = cqlwire.AppendElem(out, p)
		}
		return out
	}
	unsorted := list(t, 2, "00000002", "00000001")
	for _, sent := range [][]byte{
		elem(one(1), elem(unsorted.Bytes, one(2))),
		elem(nil, nil, nil),
		elem(nil, elem(unsorted.Bytes), []byte{}),
		elem(one(1), nil, unsorted.Bytes),
		elem(one(1)),
	} {
		_, row, err := in.Insert(Insert{Timestamp: stamp, Values: []Value{
			{
				Bytes: one(1),
				State: Set,
			},
			unsorted,
			{Bytes: sent, State: Set},
			{Bytes: elem(one(3)), State: Set},
		}})
		require.NoError(t, err)
		require.Equal(t, unsorted.Bytes, row.Clustering[0])
		require.Equal(t, sent, row.Cells[0].Value)
		require.Equal(t, elem(one(3)), row.Cells[1].Value)
	}
}

// An update makes no marker of a row, and no row where it has nothing to write.
func TestAnUpdateMakesNoMarker(t *testing.T) {
	c := elements(t, component.NB)
	static, row := insert(
		t,
		c,
		[]string{"s", "v"},
		Insert{
			Timestamp: stamp,
			Update:    true,
			Values:    []Value{set(t, "00000001"), set(t, "00000003")},
		},
		InsertOptions{},
	)
	require.Len(t, static.Cells, 1)
	require.Equal(t, Liveness{}, row.Liveness)
	require.Len(t, row.Cells, 1)
	static, row = insert(
		t,
		c,
		[]string{"s2"},
		Insert{Timestamp: stamp, Update: true, Values: []Value{list(t, 0)}},
		InsertOptions{AppendCollections: true},
	)
	require.Nil(t, static)
	require.Nil(t, row)

	in, err := NewInserter(c, []string{"k", "c", "v"}, InsertOptions{})
	require.NoError(t, err)
	key := []Value{set(t, "00000001"), set(t, "00000002")}
	_, row, err = in.Insert(
		Insert{Timestamp: stamp, TTL: 5, Now: now, Values: append(key[:2:2], Value{})},
		Insert{Timestamp: stamp + 1, Update: true, Values: append(key[:2:2], set(t, "00000003"))},
	)
	require.NoError(t, err)
	require.Equal(
		t,
		Liveness{Set: true, Timestamp: stamp, TTL: 5, Expiry: now + 5},
		row.Liveness,
		"the row's own time stays",
	)
	require.Equal(t, int64(stamp+1), row.Cells[0].Timestamp)
}

func TestADeletedRowHasADeletionAlone(t *testing.T) {
	c := elements(t, component.NB)
	_, row := insert(
		t,
		c,
		nil,
		Insert{Timestamp: stamp, Now: now},
		InsertOptions{Delete: true},
	)
	require.Equal(t, Deletion{Set: true, Timestamp: stamp, Time: now}, row.Deletion)
	require.Equal(t, [][]byte{{0, 0, 0, 2}}, row.Clustering)
	require.False(t, row.Liveness.Set)
	require.Empty(t, row.Cells)
	require.Empty(t, row.Deletions)

	for _, column := range []string{"v", "s"} {
		_, err := NewInserter(c, []string{"k", "c", column}, InsertOptions{Delete: true})
		require.ErrorContains(t, err, "not of the key of a deleted row")
	}
}

// A row without its last clustering values stands for a range, and one without any for a partition.
func TestADeletedRangeHasNullsForTheRest(t *testing.T) {
	c := mustCodec(t, &Table{
		Key:        []Column{column(t, "k", "int")},
		Clustering: []Column{column(t, "a", "int"), column(t, "b", "int"), column(t, "d", "int")},
		Statics:    []Column{column(t, "s", "int")},
	}, component.NB, Minima{})
	one, two := set(t, "00000001"), set(t, "00000002")
	for i, columns := range [][]string{{"k"}, {"a", "k"}, {"k", "b", "a"}} {
		in, err := NewInserter(c, columns, InsertOptions{Delete: true})
		require.NoError(t, err)
		statement := Insert{Timestamp: stamp, Now: now, Values: []Value{one, two, two}[:i+1]}
		static, row, err := in.Insert(statement)
		require.NoError(t, err)
		require.Nil(t, static)
		require.Equal(t, Deletion{Set: true, Timestamp: stamp, Time: now}, row.Deletion)
		require.Len(t, row.Clustering, 3)
		for n, value := range row.Clustering {
			require.Equal(t, n < i, value != nil)
		}
		encoded, err := c.AppendRow(nil, row)
		require.NoError(t, err)
		var back Row
		require.NoError(t, c.DecodeRow(encoded, &back))
		require.Equal(t, row.Clustering, back.Clustering)

		if a := slices.Index(columns, "a"); a >= 0 {
			statement.Values[a].State = Null
			_, _, err = in.Insert(statement)
			require.Error(t, err)
		}
	}
	_, err := NewInserter(c, []string{"k", "b"}, InsertOptions{Delete: true})
	require.ErrorContains(t, err, "clustering columns before others are missing")
}
