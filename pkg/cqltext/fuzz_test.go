package cqltext

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// fuzzTypes are the types that the fuzz targets select by number. Append new types at the end, so
// that the saved inputs keep their meaning.
var fuzzTypes = []string{
	"ascii",
	"bigint",
	"blob",
	"boolean",
	"counter",
	"date",
	"decimal",
	"double",
	"duration",
	"empty",
	"float",
	"inet",
	"int",
	"smallint",
	"text",
	"time",
	"timestamp",
	"timeuuid",
	"tinyint",
	"uuid",
	"varint",
	"'org.example.Odd'",
	"list<int>",
	"set<text>",
	"map<text, frozen<list<timestamp>>>",
	"map<time, inet>",
	"tuple<int, text, boolean>",
	"addr",
	"outer",
	"none",
	"vector<float, 2>",
	"vector<text, 2>",
	"vector<vector<smallint, 2>, 1>",
	"vector<timestamp, 1>",
	"list<frozen<tuple<decimal, duration, frozen<inner>>>>",
	"map<frozen<set<blob>>, varint>",
	"tuple<frozen<tuple<frozen<tuple<uuid>>>>>",
	"list<double>",
	"list<date>",
	"map<frozen<outer>, float>",
}

// planned is a type with its codec and the check of its bytes.
type planned struct {
	Codec
	wire *cqlwire.Layout
}

func fuzzCodecs(f *testing.F) []planned {
	codecs := make([]planned, len(fuzzTypes))
	for i, typ := range fuzzTypes {
		codecs[i] = planned{mustPlan(f, typ), mustLayout(f, typ)}
	}
	return codecs
}

// fuzzSeeds passes every exact pair of a few types to add, as a seed.
func fuzzSeeds(f *testing.F, add func(typ byte, wire, text string)) {
	seeds := map[string][][2]string{
		"decimal": {
			{"00000002 0a", "0.10"},
			{"80000000 01", "1E+2147483648"},
			{"00000000 0000", "0x000000000000"},
		},
		"duration": {
			{"1c0602", "1y2mo3d1ns"},
			{"1b0501", "-1y2mo3d1ns"},
			{"020100", "P1Y2M3DT4H5M6S"},
		},
		"double": {{"7ff8000000000000", "NaN"}, {"7ff0000000000001", "1e-7"}},
		"float":  {{"00000001", "1e-45"}, {"ffc00000", "-inf"}},
		"inet":   {{"00000000000000000000ffff01020304", "::ffff:1.2.3.4"}},
		"text":   {{"27c080eda080", "it's"}},
		"time":   {{"00004e94914effff", "23:59:59.999999999"}},
		"timestamp": {
			{"8000000000000000", "-292275055-05-16T16:47:04.192Z"},
			{"", "2015-12-13 09:46:40.123 +01:30"},
		},
		"date": {{"00000000", "-5877641-06-23"}},
		"timeuuid": {
			{"8ac6d1dc08e111e58e9f19f5b5e2a3c4", "{8AC6D1DC08E111E58E9F19F5B5E2A3C4}"},
		},
		"varint":    {{"ff7f", "-129"}, {"008000000000000000", "9223372036854775808"}},
		"set<text>": {{"00000002 00000004 6974277300000000", "{'it''s', ''}"}},
		"list<int>": {
			{"00000002 00000004 00000001 00000000", "[1, 0x]"},
			{"ffffffff", "0xffffffff"},
		},
		"map<time, inet>":  {{"00000000", "{'09:46': ::1}"}},
		"vector<text, 2>":  {{"01610162", "['a', 'b']"}},
		"vector<float, 2>": {{"3f8000007fc00001", "[1, 0x7fc00001]"}},
		"addr": {
			{"00000001 78 00000004 00000005", "{zip: 5, street: 'x'}"},
			{"80000000", `{"Mixed""Name": [0x], "select": ('y')}`},
		},
		"tuple<int, text, boolean>": {{"ffffffff 00000001 61", "(null, 'a', YES)"}},
		"map<text, frozen<list<timestamp>>>": {
			{
				"00000001 00000001 6b 00000010 00000001 00000008 0000015198a30800",
				"{'k': [2015-12-13, '1']}",
			},
		},
	}
	for i, typ := range fuzzTypes {
		for _, s := range seeds[typ] {
			add(byte(i), string(testkit.Unhex(f, s[0])), s[1])
		}
	}
}

// FuzzWireTextWire checks exactness: every value that a server accepts has a text, and the text
// gives the same bytes.
func FuzzWireTextWire(f *testing.F) {
	codecs := fuzzCodecs(f)
	fuzzSeeds(f, func(typ byte, wire, _ string) { f.Add(typ, []byte(wire)) })
	f.Fuzz(func(t *testing.T, typ byte, wire []byte) {
		c := codecs[int(typ)%len(codecs)]
		taken := c.wire.CheckAs(cqlwire.Stored, wire) == nil
		text, err := c.AppendText([]byte(prefix), wire)
		if taken {
			require.NoError(t, err)
		}
		if err != nil {
			require.Equal(t, prefix, string(text))
			return
		}
		back, err := c.AppendWire([]byte(prefix), text[len(prefix):])
		if taken {
			require.NoError(t, err, "text %q", text)
		}
		if err == nil {
			require.Equal(t, prefix+string(wire), string(back), "text %q", text)
		}
	})
}

// FuzzTextWireText checks that every value that is read is accepted by a server, can be written,
// and reads back as the same bytes.
func FuzzTextWireText(f *testing.F) {
	codecs := fuzzCodecs(f)
	fuzzSeeds(f, func(typ byte, _, text string) { f.Add(typ, []byte(text)) })
	f.Fuzz(func(t *testing.T, typ byte, text []byte) {
		c := codecs[int(typ)%len(codecs)]
		before := bytes.Clone(text)
		wire, err := c.AppendWire(nil, text)
		require.Equal(t, before, text)
		if err != nil {
			require.Empty(t, wire)
			return
		}
		require.NoError(t, c.wire.CheckAs(cqlwire.Stored, wire))
		canonical, err := c.AppendText(nil, wire)
		require.NoError(t, err)
		back, err := c.AppendWire(nil, canonical)
		require.NoError(t, err, "text %q", canonical)
		require.Equal(t, string(wire), string(back), "text %q", canonical)
	})
}
