package sstable

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// TestCheckValues has one wrong value in each place that a row, a marker and a key have.
func TestCheckValues(t *testing.T) {
	s, err := Plan(&Table{
		Key: []Column{
			column(t, "k", "int"),
			column(t, "l", "date"),
		},
		Clustering: []Column{column(t, "c", "decimal")},
		Statics:    []Column{column(t, "s", "smallint")},
		Regulars: []Column{
			column(
				t,
				"a",
				"smallint",
			),
			column(t, "b", "frozen<list<int>>"),
			column(t, "f", "list<smallint>"),
			column(t, "g", "set<smallint>"),
			column(t, "h", "map<smallint, date>"),
		},
	})
	require.NoError(t, err)
	timeuuid := append(make([]byte, 6), 0x10, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)
	row := func(change func(r *Row)) *Row {
		r := &Row{Clustering: [][]byte{{0, 0, 0, 0, 1}}, Cells: []Cell{
			{
				Column: 0,
				Value:  []byte{0, 1},
			},
			{Column: 1, Value: []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff}},
			{Column: 2, Path: timeuuid, Value: []byte{0, 1}},
			{Column: 3, Path: []byte{0, 1}},
			{Column: 4, Path: []byte{0, 1}, Value: []byte{0, 0, 0, 1}},
		}}
		change(r)
		return r
	}
	require.NoError(t, s.CheckValues(row(func(*Row) {})))
	require.NoError(t, s.CheckValues(&Row{Static: true, Cells: []Cell{{Value: []byte{0, 1}}}}))
	require.NoError(t, s.CheckValues(row(func(r *Row) {
		r.Clustering[0] = nil
		for i := range r.Cells {
			r.Cells[i].Kind, r.Cells[i].Value = Tombstone, nil
		}
	})))
	require.ErrorContains(
		t,
		s.CheckValues(&Row{Static: true, Cells: []Cell{{}}}),
		`column "s": malformed smallint value`,
	)
	for want, change := range map[string]func(r *Row){
		`column "c": malformed decimal value: a scale without digits`:      func(r *Row) { r.Clustering[0] = make([]byte, 4) },
		`column "a": malformed smallint value: 0 bytes`:                    func(r *Row) { r.Cells[0].Value = nil },
		`column "b": malformed frozen<list<int>> value: element 0 is cut`:  func(r *Row) { r.Cells[1].Value = []byte{0, 0, 0, 1} },
		`column "f": malformed timeuuid value: UUID version 15`:            func(r *Row) { r.Cells[2].Path = bytes.Repeat([]byte{0xff}, 16) },
		`column "f": malformed smallint value: 1 bytes`:                    func(r *Row) { r.Cells[2].Value = []byte{0} },
		`column "g": malformed smallint value: 0 bytes`:                    func(r *Row) { r.Cells[3].Path = nil },
		`column "h": malformed smallint value: 3 bytes`:                    func(r *Row) { r.Cells[4].Path = []byte{0, 0, 0} },
		`column "h": malformed date value: 0 bytes, where 4 bytes are due`: func(r *Row) { r.Cells[4].Value = nil },
	} {
		require.ErrorContains(t, s.CheckValues(row(change)), want)
	}
	require.NoError(t, s.CheckMarker(&Marker{}))
	require.ErrorContains(
		t,
		s.CheckMarker(&Marker{Values: [][]byte{{1}}}),
		`column "c": malformed decimal value`,
	)

	good := []byte{0, 4, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0}
	require.NoError(t, s.CheckKey(good))
	require.ErrorContains(
		t,
		s.CheckKey([]byte{0, 4, 0, 0, 0, 1, 0, 0, 0, 0}),
		`column "l": malformed date value: 0 bytes`,
	)
	for n := range good {
		require.Error(t, s.CheckKey(good[:n]))
	}
	require.ErrorContains(t, s.CheckKey(append(good, 0)), "bytes after its columns")
}

// TestCheckFields has the cells of a user type, whose number stands in their path.
func TestCheckFields(t *testing.T) {
	s, err := Plan(&Table{Key: []Column{column(t, "k", "int")}, Regulars: []Column{userColumn(t)}})
	require.NoError(t, err)
	check := func(path, value []byte) error {
		return s.CheckValues(&Row{Cells: []Cell{{Path: path, Value: value}}})
	}
	require.NoError(t, check([]byte{0, 1}, []byte{0, 1}))
	require.ErrorContains(t, check([]byte{0, 1}, nil), "malformed smallint value")
	require.ErrorContains(t, check([]byte{0, 2}, nil), "field 2, where pair has 2")
	require.ErrorContains(t, check(bytes.Repeat([]byte{0xff}, 8), nil), "8 bytes, where 2 are due")
	require.NoError(t, s.CheckKey([]byte{0, 0, 0, 1}))
}

// userColumn is a column of a user type that is not frozen.
func userColumn(t *testing.T) Column {
	return Column{Name: "u", Type: &cqltype.Type{
		Kind:       cqltype.UDT,
		Name:       "pair",
		FieldNames: []string{"a", "b"},
		Elems:      []*cqltype.Type{{Kind: cqltype.Int}, {Kind: cqltype.Smallint}},
	}}
}
