package cqlshtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// samples are typical values of each type as COPY TO writes them. None allocates.
var samples = []struct {
	name, typ, text string
	o               Options
}{
	{name: "ascii", typ: "ascii", text: "The quick brown fox jumps over it"},
	{name: "bigint", typ: "bigint", text: "-1234567890123456789"},
	{
		name: "blob",
		typ:  "blob",
		text: "0x550e8400e29b41d4a716446655440000550e8400e29b41d4a716446655440000abcd",
	},
	{name: "boolean", typ: "boolean", text: "False"},
	{name: "date", typ: "date", text: "2015-12-13"},
	{name: "dateDays", typ: "date", text: "2932897"},
	{name: "dateShort", typ: "date", text: "2015-1-3"},
	{name: "decimal", typ: "decimal", text: "1234567.89"},
	{name: "double", typ: "double", text: "3.14159265359"},
	{name: "doubleThousands", typ: "double", text: "1.234.567,891", o: german},
	{name: "duration", typ: "duration", text: "1y2mo3d4h5m6s7ms8us9ns"},
	{name: "float", typ: "float", text: "3.14159"},
	{name: "inet4", typ: "inet", text: "192.168.100.200"},
	{name: "inet6", typ: "inet", text: "2001:db8::8a2e:370:7334"},
	{name: "int", typ: "int", text: "123456789"},
	{name: "intThousands", typ: "int", text: "123,456,789", o: commas},
	{name: "text", typ: "text", text: "Größenwahn is 11 letters \U0001F600"},
	{
		name: "textUnescape",
		typ:  "text",
		text: `Größenwahn\nis 11 letters\xa0\\`,
		o:    Options{Unescape: true},
	},
	{name: "time", typ: "time", text: "09:46:40.123456789"},
	{name: "timestamp", typ: "timestamp", text: "2015-12-13 09:46:40.123+0000"},
	{name: "timestampISO", typ: "timestamp", text: "2015-12-13T09:46:40.123Z"},
	{
		name: "timestampFormat",
		typ:  "timestamp",
		text: "13 Dec 2015 09:46:40",
		o:    Options{DateTimeFormat: "%d %b %Y %H:%M:%S"},
	},
	{name: "timeuuid", typ: "timeuuid", text: "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"},
	{name: "uuid", typ: "uuid", text: "550e8400-e29b-41d4-a716-446655440000"},
	{name: "varint", typ: "varint", text: "-123456789012345678"},
	{name: "list", typ: "list<int>", text: "[1, 20, 300, 4000, 50000]"},
	{name: "set", typ: "set<text>", text: "{'alpha', 'beta', 'it''s'}"},
	{
		name: "map",
		typ:  "map<text, timestamp>",
		text: "{'a': '2015-12-13 09:46:40.123+0000', 'b': '2015-12-13 09:46:40.000+0000'}",
	},
	{name: "tuple", typ: "tuple<int, text, date>", text: "(1, 'two', None)"},
	{name: "udt", typ: "addr3", text: "{street: 'Main, it''s', zip: 12345, tags: ['x', 'y']}"},
	{name: "vector", typ: "vector<float, 4>", text: "[0.25, -1.5, 3.1415927, 100]"},
	{name: "vectorText", typ: "vector<text, 2>", text: "['alpha', 'beta']"},
}

// TestNoAllocations checks that no codec allocates if the buffer is large enough.
func TestNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 1024)
	for _, s := range samples {
		c, text := mustPlan(t, s.typ, s.o), []byte(s.text)
		_, err := c.AppendWire(nil, text)
		require.NoError(t, err, s.name)
		require.Zero(
			t, testing.AllocsPerRun(50, func() { buf, _ = c.AppendWire(buf[:0], text) }), s.name,
		)
		require.Zero(t, testing.AllocsPerRun(50, func() { c.IsNull(text) }), s.name)
	}
}

func BenchmarkAppendWire(b *testing.B) {
	for _, s := range samples {
		c, text := mustPlan(b, s.typ, s.o), []byte(s.text)
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
