package sstable

import (
	"fmt"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// manyColumns has n boolean columns.
func manyColumns(t testing.TB, n int) *Codec {
	table := &Table{Key: []Column{column(t, "k", "int")}}
	for i := range n {
		table.Regulars = append(table.Regulars, column(t, fmt.Sprintf("v%03d", i), "boolean"))
	}
	return mustCodec(t, table, component.NB, Minima{Timestamp: stamp})
}

// TestColumnsOfARow has the bytes that list the columns of a row. For up to 63 columns, they are a
// bitmap. From 64 on, they are a number and places (Columns.Serializer).
func TestColumnsOfARow(t *testing.T) {
	span := func(from, to int) (list []int) {
		for i := from; i < to; i++ {
			list = append(list, i)
		}
		return list
	}
	for _, c := range []struct {
		columns int
		present []int
		want    string
	}{
		{63, span(0, 63), ""},
		{63, span(1, 63), "01"},
		{63, span(0, 62), "ff 4000000000000000"},
		{63, nil, "ff 7fffffffffffffff"},
		{64, span(0, 64), ""},
		{64, span(1, 64), "01 00"},
		{64, span(0, 63), "01 3f"},
		{64, []int{3, 63}, "3e 03 3f"},
		{64, nil, "40"},
		{65, span(0, 65), ""},
		{65, append(span(0, 9), span(11, 65)...), "02 09 0a"},
		{65, []int{64}, "40 40"},
		{65, span(0, 31), "22 " + places(span(0, 31))},
		// Of half of the columns, rounded down, the missing ones are listed.
		{65, span(0, 32), "21 " + places(span(32, 65))},
		{64, span(0, 31), "21 " + places(span(0, 31))},
		{64, span(0, 32), "20 " + places(span(32, 64))},
		{200, append(span(0, 150), span(151, 200)...), "01 8096"},
	} {
		codec := manyColumns(t, c.columns)
		row := &Row{}
		for _, i := range c.present {
			row.Cells = append(row.Cells, Cell{Column: i, Timestamp: stamp, Value: []byte{byte(i)}})
		}
		encoded, err := codec.AppendRow(nil, row)
		require.NoError(t, err)
		want := testkit.Unhex(t, "01 00"+c.want)
		if len(c.present) == c.columns {
			want[1] = hasAllColumns
		}
		for _, i := range c.present {
			want = append(want, 0, 0, byte(i))
		}
		require.Equal(t, want, encoded, "%d of %d columns", len(c.present), c.columns)
		var back Row
		require.NoError(t, codec.DecodeRow(encoded, &back))
		require.Len(t, back.Cells, len(row.Cells))
		for i := range row.Cells {
			require.Equal(t, row.Cells[i], back.Cells[i])
		}
	}
}

// places is hex of vints.
func places(list []int) string {
	var b []byte
	for _, i := range list {
		b = cqlwire.AppendUvint(b, uint64(i))
	}
	return fmt.Sprintf("%x", b)
}

func TestColumnsThatAreNotThereAreRefused(t *testing.T) {
	for _, c := range []struct {
		columns int
		body    string
		want    string
	}{
		{2, "04", "row without the columns 0x4, where there are 2"},
		{64, "41", "row without 65 columns, where there are 64"},
		{64, "02 05 05", "row with or without column 5 after column 5, where there are 64"},
		{64, "01 40", "row with or without column 64 after column -1, where there are 64"},
		{64, "3f 40", "row with or without column 64 after column -1, where there are 64"},
	} {
		var row Row
		body := append([]byte{1, 0}, testkit.Unhex(t, c.body)...)
		err := manyColumns(t, c.columns).DecodeRow(body, &row)
		require.EqualError(t, err, c.want)
	}
}
