package sstable

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// newWriter makes a writer of the table elements, and a static and another row of it.
func newWriter(t *testing.T) (w *PartitionWriter, out *bytes.Buffer, static, row []byte) {
	t.Helper()
	c := elements(t, component.NB)
	out = new(bytes.Buffer)
	w, err := NewPartitionWriter(c, out, nil)
	require.NoError(t, err)
	static, err = c.AppendRow(
		nil,
		&Row{Static: true, Cells: []Cell{{Timestamp: stamp, Value: one(1)}}},
	)
	require.NoError(t, err)
	row, err = c.AppendRow(nil, cellRow())
	require.NoError(t, err)
	return w, out, static, row
}

func TestPartitionsOutOfOrderAreRefused(t *testing.T) {
	for _, c := range []struct {
		steps func(w *PartitionWriter, static, row []byte) error
		want  string
	}{
		{func(w *PartitionWriter, _, row []byte) error { return w.Row(row) }, "a row stands outside of a partition"},
		{func(w *PartitionWriter, static, _ []byte) error { return w.Static(static) }, "a static row is not in its place"},
		{func(w *PartitionWriter, _, _ []byte) error { return w.End() }, "a row stands outside of a partition"},
		{func(w *PartitionWriter, _, _ []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Begin(one(1), Deletion{}))
		}, "a partition begins within another one"},
		{func(w *PartitionWriter, static, row []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Row(row), w.Static(static))
		}, "a static row is not in its place"},
		{func(w *PartitionWriter, static, _ []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Static(static), w.Static(static))
		}, "a static row is not in its place"},
		{func(w *PartitionWriter, static, _ []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Row(static))
		}, "a static row or a marker stands for a row"},
		{func(w *PartitionWriter, _, row []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Static(row))
		}, "a row that is not static stands for a static one"},
		{func(w *PartitionWriter, _, row []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Row(row[:3]))
		}, "the bytes are not those of an encoded row"},
		{func(w *PartitionWriter, _, _ []byte) error { return w.Begin(nil, Deletion{}) },
			"a partition key of 0 bytes, where 1 to 65535 are allowed"},
		{func(
			w *PartitionWriter,
			_,
			_ []byte,
		) error {
			return w.Begin(make([]byte, 65536), Deletion{})
		},
			"a partition key of 65536 bytes, where 1 to 65535 are allowed"},
		{func(w *PartitionWriter, _, _ []byte) error {
			return w.Begin(one(1), Deletion{Set: true, Time: 1 << 31})
		},
			"deletion at 0 (second 2147483648) cannot be written in version nb"},
		{func(w *PartitionWriter, _, _ []byte) error {
			return errors.Join(w.Begin(one(1), Deletion{}), w.Marker(&Marker{Kind: 3}))
		}, "a marker of kind 3"},
		{func(w *PartitionWriter, _, _ []byte) error {
			two := &Marker{Kind: InclusiveEnd, Values: [][]byte{one(1), one(2)}}
			return errors.Join(w.Begin(one(1), Deletion{}), w.Marker(two))
		}, "a marker has 2 values, where the table has 1 clustering columns"},
	} {
		w, _, static, row := newWriter(t)
		require.EqualError(t, c.steps(w, static, row), c.want)
	}
}

func TestAPartitionWithoutAStaticRowGetsAnEmptyOne(t *testing.T) {
	w, out, _, row := newWriter(t)
	require.NoError(t, w.Begin(one(1), Deletion{}))
	require.NoError(t, w.Row(row))
	require.NoError(t, w.End())
	require.NoError(t, w.Begin(one(2), Deletion{Set: true, Timestamp: 1, Time: 2}))
	require.NoError(t, w.End())
	require.NoError(t, w.Flush())
	require.Equal(t, int64(2), w.Partitions())
	require.Equal(
		t,
		testkit.Unhex(
			t,
			`0004 00000001 7fffffff 8000000000000000  8001 02 00 03  00 00 00000001 02 17 3f  01
		0004 00000002 00000002 0000000000000001  8001 02 00 03  01`,
		),
		out.Bytes(),
	)
}

// short takes a few bytes and fails.
type short struct{ took int }

func (s *short) Write(b []byte) (int, error) {
	s.took += min(len(b), 5)
	return min(len(b), 5), errors.New("no space left on device")
}

func TestTheErrorOfWhatTakesTheBytesIsGiven(t *testing.T) {
	c := small(t, component.NB)
	out := new(short)
	w, err := NewPartitionWriter(c, out, nil)
	require.NoError(t, err)
	require.NoError(t, w.Begin(one(1), Deletion{}))
	encoded, err := c.AppendRow(
		nil,
		&Row{
			Clustering: [][]byte{one(1)},
			Cells:      []Cell{{Timestamp: stamp, Value: make([]byte, flushBytes)}},
		},
	)
	require.NoError(t, err)
	require.EqualError(t, w.Row(encoded), "no space left on device")
	require.Equal(t, 5, out.took)
}

func TestRowsThatCannotBeWrittenAreRefused(t *testing.T) {
	c := elements(t, component.NB)
	low := mustCodec(t, c.Schema().Table(), component.NB, Minima{TTL: 100})
	deleted := Deletion{Set: true, Timestamp: 1, Time: 1}
	for _, r := range []struct {
		codec *Codec
		row   Row
		want  string
	}{
		{c, Row{}, "a row has 0 clustering values, where the table has 1 clustering columns"},
		{c, Row{Clustering: [][]byte{{1}}}, `column "c": a value of 1 bytes, where each one has 4`},
		{c, Row{Clustering: [][]byte{one(1)}, Cells: []Cell{{Column: 1, Value: []byte("12345")}}}, `column "v": a value of 5 bytes, where each one has 4`},
		{c, *cellRow(Cell{Column: 2}, Cell{Column: 1}), "the cells of a row are not in the order of its columns"},
		{c, *cellRow(Cell{Column: 1}, Cell{Column: 1}), "the cells of a row are not in the order of its columns"},
		{c, *cellRow(Cell{Column: -1}), "the cells of a row are not in the order of its columns"},
		{c, *cellRow(Cell{Column: 6}), "a cell of column 6, where there are 6"},
		{c, Row{Clustering: [][]byte{one(1)}, Deletions: []ColumnDeletion{{1, deleted}}},
			`column "v" has one cell and cannot have a deletion besides`},
		{c, Row{
			Clustering: [][]byte{one(1)},
			Deletions:  []ColumnDeletion{{2, deleted}, {2, deleted}},
		},
			"the cells of a row are not in the order of its columns"},
		{low, Row{Clustering: [][]byte{one(1)}, Liveness: Liveness{Set: true, TTL: 99}},
			"TTL of 99 seconds is below the least one of the file, 100"},
		{low, *cellRow(Cell{Column: 1, Kind: Expiring, TTL: 99, Value: one(1)}), "TTL of 99 seconds is below the least one of the file, 100"},
	} {
		_, err := r.codec.AppendRow(nil, &r.row)
		require.EqualError(t, err, r.want)
	}
}

func TestTablesThatNoServerHasAreRefused(t *testing.T) {
	key := []Column{column(t, "k", "int")}
	for _, c := range []struct {
		table Table
		want  string
	}{
		{Table{}, "a table has no partition key"},
		{Table{Key: key, Statics: []Column{column(t, "s", "int")}}, "a table has static columns but no clustering columns"},
		{Table{Key: key, Regulars: []Column{column(t, "k", "int")}}, `column "k" is there twice`},
		{Table{Key: key, Regulars: []Column{{Name: "v"}}}, `column "v": a type is missing`},
	} {
		_, err := Plan(&c.table)
		require.EqualError(t, err, c.want)
	}
	s, err := Plan(&Table{Key: key})
	require.NoError(t, err)
	_, err = NewCodec(s, 0, Minima{})
	require.EqualError(t, err, "version 0 of an SSTable is not known")
	_, err = NewCodec(s, component.NB, Minima{TTL: -1})
	require.EqualError(t, err, "least TTL -1 is negative")
}

func TestVersions(t *testing.T) {
	for v := component.MC; v <= component.OA; v++ {
		parsed, err := component.ParseVersion(v.String())
		require.NoError(t, err)
		require.Equal(t, v, parsed)
	}
	for _, s := range []string{"", "ka", "nc", "NB"} {
		_, err := component.ParseVersion(s)
		require.Error(t, err, s)
	}
}
