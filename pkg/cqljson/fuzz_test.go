package cqljson

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// fuzzTypes are the types that FuzzAppendJSON selects by number. Append new types at the end, so
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
	"map<frozen<map<frozen<list<text>>, double>>, boolean>",
	"map<float, int>",
	"vector<empty, 3>",
}

// FuzzAppendJSON checks that every value with a CQL text has equivalent JSON, and that no other
// value has JSON. Reading the JSON must give the same bytes.
func FuzzAppendJSON(f *testing.F) {
	columns := make([]column, len(fuzzTypes))
	place := make(map[string]byte)
	for i, typ := range fuzzTypes {
		columns[i] = mustPlan(f, typ)
		place[typ] = byte(i)
	}
	for _, s := range samples {
		if i, ok := place[s.typ]; ok {
			f.Add(i, columns[i].wire(f, s.text))
		}
	}
	for typ, wire := range map[string]string{
		"boolean":                   "02",
		"decimal":                   "00000000 0000",
		"double":                    "7ff8000000000001",
		"float":                     "ff800000",
		"inet":                      "00000000000000000000ffff01020304",
		"int":                       "",
		"list<int>":                 "ffffffff",
		"list<double>":              "00000001 00000008 7ff8000000000000",
		"map<float, int>":           "00000002 00000004 7fc00000 00000000 00000004 7fc00001 00000000",
		"outer":                     "0000000c fffffffe 00000004 61626364",
		"text":                      "27c080eda080 220a5c",
		"tuple<int, text, boolean>": "00000000 00000001 61 ffffffff",
		"varint":                    "008000000000000000",
		"vector<text, 2>":           "01 61 80ff",
		"map<frozen<map<frozen<list<text>>, double>>, boolean>": "00000001 00000021 00000001 0000000d " +
			"00000001 00000005 61225c0a7f 00000008 fff0000000000000 00000001 01",
	} {
		f.Add(place[typ], testkit.Unhex(f, wire))
	}
	f.Fuzz(func(t *testing.T, typ byte, wire []byte) {
		columns[int(typ)%len(columns)].checkLossless(t, wire)
	})
}

// FuzzAppendString checks that every text gives a string that decodes to it and has no needless
// escapes.
func FuzzAppendString(f *testing.F) {
	f.Add([]byte("plain ASCII of some length"))
	f.Add([]byte("\"\\\n\r\t\b\f\x00\x1f\x7f"))
	f.Add([]byte("Größe \U0001F600 \u2028\ufffd"))
	f.Add([]byte("1234567\xff\xed\xa0\x80\xc0\x80\xe2\x82"))
	f.Fuzz(func(t *testing.T, text []byte) { checkString(t, text) })
}

// FuzzAppendWire checks that an accepted input is JSON and that its value can be written. The new
// JSON must give the same bytes.
func FuzzAppendWire(f *testing.F) {
	columns := make([]column, len(fuzzTypes))
	place := make(map[string]byte)
	for i, typ := range fuzzTypes {
		columns[i] = mustPlan(f, typ)
		place[typ] = byte(i)
	}
	for _, s := range samples {
		if i, ok := place[s.typ]; ok {
			text, err := columns[i].json.AppendJSON(nil, columns[i].wire(f, s.text))
			require.NoError(f, err)
			f.Add(i, string(text))
		}
	}
	for typ, in := range map[string]string{
		"addr":                           `{"zip":"5","Mixed\u0022Name":"0x00000000", "street":null}`,
		"boolean":                        `"no"`,
		"double":                         `-1.5E+300`,
		"list<double>":                   `["NaN","0x",-0]`,
		"map<time, inet>":                `{"09:46":"::1","09:46:00":"0x"}`,
		"map<float, int>":                `{"NaN":1,"0x7fc00000":2}`,
		"map<frozen<outer>, float>":      `{"{\"other\":{\"k\":{\"b\":\"\\u0041\"}}}":1}`,
		"text":                           `"\ud83d\ude00\ud83d"`,
		"timestamp":                      `-1449999999123`,
		"tuple<int, text, boolean>":      `[null, 5, "y"]`,
		"vector<vector<smallint, 2>, 1>": `[[1,"0x"]]`,
	} {
		f.Add(place[typ], in)
	}
	f.Fuzz(func(t *testing.T, typ byte, in string) {
		c := columns[int(typ)%len(columns)]
		wire, err := c.decode(t, in)
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(in)))
		c.checkLossless(t, wire)
	})
}
