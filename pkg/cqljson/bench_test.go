package cqljson

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// samples are typical values, one or two for each type, in CQL text.
var samples = []struct{ name, typ, text string }{
	{"ascii", "ascii", "The quick brown fox jumps over it"},
	{"bigint", "bigint", "-1234567890123456789"},
	{"blob", "blob", "0x550e8400e29b41d4a716446655440000550e8400e29b41d4a716446655440000abcd"},
	{"boolean", "boolean", "true"},
	{"counter", "counter", "123456"},
	{"date", "date", "2015-12-13"},
	{"decimal", "decimal", "1234567.89"},
	{"double", "double", "3.141592653589793"},
	{"duration", "duration", "1y2mo3d4h5m6s7ms8us9ns"},
	{"empty", "empty", "0x"},
	{"float", "float", "3.1415927"},
	{"nan", "float", "NaN"},
	{"inet", "inet", "192.168.100.200"},
	{"int", "int", "123456789"},
	{"raw", "int", "0x"},
	{"smallint", "smallint", "-12345"},
	{"text", "text", "Größenwahn is 11 letters \U0001F600"},
	{"textEscaped", "text", "line one\nline \"two\"\n\tand \\ three"},
	{"textLong", "text", strings.Repeat("some words of plain text, ", 160)},
	{"time", "time", "09:46:40.123456789"},
	{"timestamp", "timestamp", "2015-12-13T09:46:40.123Z"},
	{"timeuuid", "timeuuid", "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"},
	{"tinyint", "tinyint", "-12"},
	{"uuid", "uuid", "550e8400-e29b-41d4-a716-446655440000"},
	{"varint", "varint", "-123456789012345678"},
	{"list", "list<int>", "[1, 20, 300, 4000, 50000]"},
	{"set", "set<text>", "{'alpha', 'beta', 'it''s'}"},
	{
		"map",
		"map<text, timestamp>",
		"{'a': '2015-12-13T09:46:40.123Z', 'b': '2015-12-13T09:46:40Z'}",
	},
	{"mapOfNumbers", "map<int, double>", "{1: 0.5, 2: -1.25, 300: 1e+21}"},
	{"mapOfLists", "map<frozen<list<text>>, int>", "{['a', 'b']: 1, ['c']: 2}"},
	{"tuple", "tuple<int, text, boolean>", "(1, 'two', null)"},
	{"udt", "addr", `{street: 'x', zip: 5, "Mixed""Name": [1], "select": ('y')}`},
	{"vector", "vector<float, 4>", "[0.25, -1.5, 3.1415927, 100]"},
	{"vectorText", "vector<text, 2>", "['alpha', 'beta']"},
	{"custom", "'org.example.Odd'", "0x0123456789"},
}

// TestNoAllocations checks that no encoder or decoder allocates if the buffer is large enough.
func TestNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 8192)
	for _, s := range samples {
		col := mustPlan(t, s.typ)
		wire := col.wire(t, s.text)
		col.checkLossless(t, wire)
		require.Zero(
			t,
			testing.AllocsPerRun(50, func() { buf, _ = col.json.AppendJSON(buf[:0], wire) }),
			s.name,
		)
		text := bytes.Clone(buf)
		require.Zero(
			t,
			testing.AllocsPerRun(50, func() { buf, _ = col.wires.AppendWire(buf[:0], text) }),
			s.name,
		)
	}
}

// BenchmarkAppendJSON counts the bytes of the JSON.
func BenchmarkAppendJSON(b *testing.B) {
	for _, s := range samples {
		col := mustPlan(b, s.typ)
		wire := col.wire(b, s.text)
		b.Run(s.name, func(b *testing.B) {
			benchRow(b, []column{col}, [][]byte{wire})
		})
	}
}

// BenchmarkRow encodes the cells of one row. It has 14 int, 4 text and a timestamp, or 6 blobs of
// 34 bytes, or one blob of 64 KiB.
func BenchmarkRow(b *testing.B) {
	for _, row := range rows {
		var columns []column
		var wires [][]byte
		for _, c := range row.cells {
			col := mustPlan(b, c[0])
			columns, wires = append(columns, col), append(wires, col.wire(b, c[1]))
		}
		b.Run(row.name, func(b *testing.B) { benchRow(b, columns, wires) })
	}
}

// benchBlob is the text of a blob of 34 bytes.
var benchBlob = "0x" + strings.Repeat("5a", 34)

// rows are the rows of the benchmarks, as pairs of type and CQL text.
var rows = []struct {
	name  string
	cells [][2]string
}{
	{
		"flights",
		[][2]string{
			{
				"int",
				"2013",
			},
			{"int", "1"},
			{"int", "1"},
			{"int", "517"},
			{"int", "515"},
			{"int", "2"},
			{"int", "830"},
			{
				"int",
				"819",
			},
			{"int", "11"},
			{"text", "UA"},
			{"int", "1545"},
			{"text", "N14228"},
			{"text", "EWR"},
			{"text", "IAH"},
			{"int", "227"},
			{"int", "1400"},
			{"int", "5"},
			{"int", "15"},
			{"timestamp", "2013-01-01T10:00:00Z"},
		},
	},
	{
		"blobs",
		[][2]string{
			{
				"blob",
				benchBlob,
			},
			{"blob", benchBlob},
			{"blob", benchBlob},
			{"blob", benchBlob},
			{"blob", benchBlob},
			{"blob", benchBlob},
		},
	},
	{"blob64K", [][2]string{{"blob", "0x" + strings.Repeat("5a", 64<<10)}}},
}

// benchRow encodes all cells into one buffer.
func benchRow(b *testing.B, columns []column, wires [][]byte) {
	var buf []byte
	var err error
	encode := func() {
		buf = buf[:0]
		for i := range columns {
			if buf, err = columns[i].json.AppendJSON(buf, wires[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	encode()
	b.ReportAllocs()
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		encode()
	}
}

// BenchmarkAppendWire counts the bytes of the JSON.
func BenchmarkAppendWire(b *testing.B) {
	for _, s := range samples {
		col := mustPlan(b, s.typ)
		wire := col.wire(b, s.text)
		b.Run(s.name, func(b *testing.B) {
			benchReadRow(b, []column{col}, [][]byte{wire})
		})
	}
}

// BenchmarkReadRow decodes the cells of the rows of BenchmarkRow.
func BenchmarkReadRow(b *testing.B) {
	for _, row := range rows {
		var columns []column
		var wires [][]byte
		for _, c := range row.cells {
			col := mustPlan(b, c[0])
			columns, wires = append(columns, col), append(wires, col.wire(b, c[1]))
		}
		b.Run(row.name, func(b *testing.B) { benchReadRow(b, columns, wires) })
	}
}

// benchReadRow decodes the JSON of all cells into one buffer.
func benchReadRow(b *testing.B, columns []column, wires [][]byte) {
	cells := make([][]byte, len(wires))
	size := 0
	var err error
	for i := range columns {
		cells[i], err = columns[i].json.AppendJSON(nil, wires[i])
		require.NoError(b, err)
		size += len(cells[i])
	}
	buf := make([]byte, 0, 2*size)
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		buf = buf[:0]
		for i := range columns {
			if buf, err = columns[i].wires.AppendWire(buf, cells[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
}
