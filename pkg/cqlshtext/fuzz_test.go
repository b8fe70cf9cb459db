package cqlshtext

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// fuzzTypes and fuzzOptions are selected by number. Append new ones at the end, so that the saved
// inputs keep their meaning.
var (
	fuzzTypes = []string{
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
		"map<inet, boolean>",
		"tuple<int, text, boolean>",
		"addr3",
		"odd",
		"none",
		"vector<float, 2>",
		"vector<text, 2>",
		"vector<vector<smallint, 2>, 1>",
		"list<frozen<tuple<decimal, duration, frozen<odd>>>>",
		"map<frozen<set<blob>>, varint>",
		"map<int, ascii>",
	}
	fuzzOptions = []Options{
		{},
		{Unescape: true},
		{Null: `\N`},
		{Null: "NULL", Unescape: true},
		{DecimalSep: ",", ThousandsSep: "."},
		{
			DateTimeFormat: "%d/%m/%y %I:%M:%S%p",
		},
		{DateTimeFormat: "%Y%m%d%H%M%S"},
		{BoolTrue: "yes", BoolFalse: "no"},
	}
)

// FuzzAppendWire checks that nothing panics and that the input is unchanged. The server must accept
// a value that is read: package cqltext must write it and read it back as the same bytes.
func FuzzAppendWire(f *testing.F) {
	codecs := make([]Codec, 0, len(fuzzTypes)*len(fuzzOptions))
	writers := make([]cqltext.Codec, len(fuzzTypes))
	for i, typ := range fuzzTypes {
		for _, o := range fuzzOptions {
			codecs = append(codecs, mustPlan(f, typ, o))
		}
		w, err := cqltext.Plan(mustParse(f, typ))
		require.NoError(f, err)
		writers[i] = w
	}
	for i, typ := range fuzzTypes {
		for _, s := range samples {
			if s.typ == typ {
				f.Add(byte(i), byte(0), []byte(s.text))
			}
		}
	}
	for _, s := range []struct {
		typ, o byte
		text   string
	}{
		{14, 1, `a\\\n\xa0b`}, {23, 3, `{'it''s\t', ''}`}, {6, 4, "1.234,5"}, {16, 5, "13/12/15 12:46:40AM"},
		{16, 6, "20151213094640"}, {24, 0, "{'k': ['2015-12-13''T''09:46', 1, '2015-12-13'T'09:46']}"},
		{25, 0, "{12:34:56.5: ::1, 1:02:03: '1.2'}"}, {26, 7, "{::1: yes}"}, {27, 3, "(None, NULL, null)"},
		{29, 1, `{field_0_: , a,b: 3, a: x:y, x\ty: 0, "_z": True, back\\slash: {zip: 1}}`}, {30, 0, "{ }"},
		{34, 2, `[(1_0, 1mo, {class: \N}), ]`}, {35, 0, "{{0x00, 0x}: 1, {}: }"}, {36, 0, "{1: , 2: ''}"},
	} {
		f.Add(s.typ, s.o, []byte(s.text))
	}
	f.Fuzz(func(t *testing.T, typ, option byte, text []byte) {
		place := int(typ) % len(fuzzTypes)
		c := codecs[place*len(fuzzOptions)+int(option)%len(fuzzOptions)]
		before := bytes.Clone(text)
		c.IsNull(text)
		out, err := c.AppendWire([]byte(prefix), text)
		require.Equal(t, before, text)
		require.True(t, bytes.HasPrefix(out, []byte(prefix)))
		if err != nil {
			require.Len(t, out, len(prefix))
			return
		}
		wire := out[len(prefix):]
		written, err := writers[place].AppendText(nil, wire)
		require.NoError(t, err)
		back, err := writers[place].AppendWire(nil, written)
		require.NoError(t, err, "text %q", written)
		require.Equal(t, string(wire), string(back), "text %q", written)
	})
}
