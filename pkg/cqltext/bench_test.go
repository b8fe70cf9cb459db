package cqltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// samples are typical values, one or two for each type, in the text that is written.
var samples = []struct{ name, typ, text string }{
	{"ascii", "ascii", "The quick brown fox jumps over it"},
	{"bigint", "bigint", "-1234567890123456789"},
	{"blob", "blob", "0x550e8400e29b41d4a716446655440000550e8400e29b41d4a716446655440000abcd"},
	{"boolean", "boolean", "true"},
	{"counter", "counter", "123456"},
	{"date", "date", "2015-12-13"},
	{"decimal", "decimal", "1234567.89"},
	{"decimal18", "decimal", "-1.23456789012345678E-30"},
	{"double", "double", "3.141592653589793"},
	{"duration", "duration", "1y2mo3d4h5m6s7ms8us9ns"},
	{"empty", "empty", "0x"},
	{"float", "float", "3.1415927"},
	{"inet4", "inet", "192.168.100.200"},
	{"inet6", "inet", "2001:db8::8a2e:370:7334"},
	{"int", "int", "123456789"},
	{"smallint", "smallint", "-12345"},
	{"text", "text", "Größenwahn is 11 letters \U0001F600"},
	{"time", "time", "09:46:40.123456789"},
	{"timestamp", "timestamp", "2015-12-13T09:46:40.123Z"},
	{"timeuuid", "timeuuid", "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"},
	{"tinyint", "tinyint", "-12"},
	{"uuid", "uuid", "550e8400-e29b-41d4-a716-446655440000"},
	{"varint", "varint", "-123456789012345678"},
	{"raw", "int", "0x"},
	{"list", "list<int>", "[1, 20, 300, 4000, 50000]"},
	{"set", "set<text>", "{'alpha', 'beta', 'it''s'}"},
	{
		"map",
		"map<text, timestamp>",
		"{'a': '2015-12-13T09:46:40.123Z', 'b': '2015-12-13T09:46:40Z'}",
	},
	{"tuple", "tuple<int, text, boolean>", "(1, 'two', null)"},
	{"udt", "addr", `{street: 'x', zip: 5, "Mixed""Name": [1], "select": ('y')}`},
	{"vector", "vector<float, 4>", "[0.25, -1.5, 3.1415927, 100]"},
	{"vectorText", "vector<text, 2>", "['alpha', 'beta']"},
	{"custom", "'org.example.Odd'", "0x0123456789"},
}

// TestNoAllocations checks that no codec allocates if the buffer is large enough.
func TestNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 1024)
	for _, s := range samples {
		c, text := mustPlan(t, s.typ), []byte(s.text)
		wire, err := c.AppendWire(nil, text)
		require.NoError(t, err)
		back, err := c.AppendText(nil, wire)
		require.NoError(t, err)
		require.Equal(t, s.text, string(back))
		require.Zero(
			t,
			testing.AllocsPerRun(50, func() { buf, _ = c.AppendWire(buf[:0], text) }),
			"AppendWire %s",
			s.name,
		)
		require.Zero(
			t,
			testing.AllocsPerRun(50, func() { buf, _ = c.AppendText(buf[:0], wire) }),
			"AppendText %s",
			s.name,
		)
	}
}

func BenchmarkAppendText(b *testing.B) {
	for _, s := range samples {
		c := mustPlan(b, s.typ)
		wire, err := c.AppendWire(nil, []byte(s.text))
		require.NoError(b, err)
		b.Run(s.name, func(b *testing.B) {
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			b.SetBytes(int64(len(s.text)))
			for b.Loop() {
				if buf, err = c.AppendText(buf[:0], wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendWire(b *testing.B) {
	for _, s := range samples {
		c, text := mustPlan(b, s.typ), []byte(s.text)
		b.Run(s.name, func(b *testing.B) {
			var err error
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if buf, err = c.AppendWire(buf[:0], text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
