package cqljson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// TestAppendJSON checks wire values, each written as its CQL text or in the raw form.
func TestAppendJSON(t *testing.T) {
	for _, c := range []struct{ typ, text, want string }{
		{"ascii", "", `""`},
		{"ascii", `say "hi" \ there`, `"say \"hi\" \\ there"`},
		{"text", "Größenwahn \U0001F600 e\u0301 \u00a0\u2028\ufeff", "\"Größenwahn \U0001F600 e\u0301 \u00a0\u2028\ufeff\""},
		{"text", "a\r\n\tb\b\f\x00\x1b\x7f/", `"a\r\n\tb\b\f\u0000\u001b` + "\x7f" + `/"`},
		{"text", "0xff", `"0xff"`},
		{"text", "null", `"null"`},

		{"tinyint", "-128", "-128"},
		{"smallint", "32767", "32767"},
		{"int", "-2147483648", "-2147483648"},
		{"int", "0", "0"},
		{"int", "0x", `"0x"`},
		{"bigint", "9223372036854775807", "9223372036854775807"},
		{"bigint", "0x", `"0x"`},
		{"counter", "-1", "-1"},
		{"varint", "-123456789012345678901234567890", "-123456789012345678901234567890"},
		{"varint", "0x0001", `"0x0001"`},
		{"varint", "0x", `"0x"`},

		{"decimal", "0.10", "0.10"},
		{"decimal", "1E+10", "1E+10"},
		{"decimal", "-1.5E-30", "-1.5E-30"},
		{"decimal", "0E-18", "0E-18"},
		{"decimal", "0E+3", "0E+3"},
		{"decimal", "1E+2147483648", "1E+2147483648"},
		{"decimal", "-0.00", "0.00"},
		{"decimal", "12345678901234567890.123456789", "12345678901234567890.123456789"},
		{"decimal", "0x000000000000", `"0x000000000000"`},
		{"decimal", "0x", `"0x"`},

		{"float", "1", "1"},
		{"float", "-0", "-0"},
		{"float", "3.1415927", "3.1415927"},
		{"float", "1e-45", "1e-45"},
		{"float", "3.4028235e+38", "3.4028235e+38"},
		{"float", "NaN", `"NaN"`},
		{"float", "Infinity", `"Infinity"`},
		{"float", "-Infinity", `"-Infinity"`},
		{"float", "0x7fc00001", `"0x7fc00001"`},
		{"float", "0x", `"0x"`},
		{"double", "0.1", "0.1"},
		{"double", "-0", "-0"},
		{"double", "0", "0"},
		{"double", "1e+21", "1e+21"},
		{"double", "1e-7", "1e-7"},
		{"double", "5e-324", "5e-324"},
		{"double", "-1.7976931348623157e+308", "-1.7976931348623157e+308"},
		{"double", "NaN", `"NaN"`},
		{"double", "-Infinity", `"-Infinity"`},
		{"double", "0xfff8000000000000", `"0xfff8000000000000"`},

		{"boolean", "true", "true"},
		{"boolean", "false", "false"},
		{"boolean", "0x02", `"0x02"`},
		{"boolean", "0x", `"0x"`},

		{"blob", "0x", `"0x"`},
		{"blob", "0x00ff22", `"0x00ff22"`},
		{"uuid", "550e8400-e29b-41d4-a716-446655440000", `"550e8400-e29b-41d4-a716-446655440000"`},
		{"uuid", "0x", `"0x"`},
		{"timeuuid", "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4", `"8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"`},
		{"inet", "192.168.100.200", `"192.168.100.200"`},
		{"inet", "::1", `"::1"`},
		{"inet", "::ffff:1.2.3.4", `"::ffff:1.2.3.4"`},
		{"date", "2015-12-13", `"2015-12-13"`},
		{"date", "-5877641-06-23", `"-5877641-06-23"`},
		{"time", "09:46:40.000000001", `"09:46:40.000000001"`},
		{"timestamp", "2015-12-13T09:46:40Z", `"2015-12-13T09:46:40Z"`},
		{"timestamp", "1969-12-31T23:59:59.999Z", `"1969-12-31T23:59:59.999Z"`},
		{"timestamp", "9223372036854775807", `"+292278994-08-17T07:12:55.807Z"`},
		{"timestamp", "0x", `"0x"`},
		{"duration", "1y2mo3d4h5m6s7ms8us9ns", `"1y2mo3d4h5m6s7ms8us9ns"`},
		{"duration", "-3d", `"-3d"`},
		{"duration", "0s", `"0s"`},
		{"duration", "0x00000000", `"0x00000000"`},
		{"'org.example.Odd'", "0x0123", `"0x0123"`},
		{"empty", "0x", `"0x"`},

		{"list<int>", "[1, 0x, -3]", `[1,"0x",-3]`},
		{"list<int>", "[]", "[]"},
		{"frozen<list<text>>", "['null', null, '']", `["null",null,""]`},
		{"frozen<list<int>>", "0x00000001fffffffe", `"0x00000001fffffffe"`},
		{"list<int>", "0xffffffff", `"0xffffffff"`},
		{"list<double>", "[NaN, 1.5, -Infinity]", `["NaN",1.5,"-Infinity"]`},
		{"set<text>", "{'it''s', '', 'a\"b'}", `["it's","","a\"b"]`},
		{"set<text>", "{}", "[]"},
		{"list<frozen<list<frozen<set<boolean>>>>>", "[[], [{}, {true}]]", "[[],[[],[true]]]"},
		{"vector<float, 3>", "[0.25, NaN, -0]", `[0.25,"NaN",-0]`},
		{"vector<text, 2>", "['alpha', '']", `["alpha",""]`},
		{"vector<text, 1>", "['" + strings.Repeat("x", 300) + "']", `["` + strings.Repeat("x", 300) + `"]`},
		{"vector<frozen<vector<smallint, 2>>, 2>", "[[1, 2], [3, 4]]", "[[1,2],[3,4]]"},
		{"vector<frozen<vector<int, 2>>, 2>", "[[1, 2], [3, 4]]", "[[1,2],[3,4]]"},

		{"tuple<int, text, boolean>", "(1, null, true)", `[1,null,true]`},
		{"tuple<int, text, boolean>", "(1)", `[1]`},
		{"tuple<int, text, boolean>", "()", `[]`},
		{"tuple<int, text>", "0xfffffffe", `"0xfffffffe"`},
		{"addr", `{street: 'x', zip: 5, "Mixed""Name": [1], "select": ('y')}`,
			`{"street":"x","zip":5,"Mixed\"Name":[1],"select":["y"]}`},
		{"addr", "{street: null, zip: 5}", `{"street":null,"zip":5}`},
		{"addr", "{}", "{}"},
		{"none", "{}", "{}"},
		{"outer", "{nested: {a: 1, b: null}, other: {'k': {a: 2}}}",
			`{"nested":{"a":1,"b":null},"other":{"k":{"a":2}}}`},

		{"map<text, int>", "{'a\"': 1, '': 2}", `{"a\"":1,"":2}`},
		{"map<int, text>", "{}", "{}"},
		{"map<int, text>", "{-1: 'x', 0x: 'y'}", `{"-1":"x","0x":"y"}`},
		{"map<boolean, boolean>", "{true: false}", `{"true":false}`},
		{"map<double, int>", "{NaN: 1, -0: 2, 0: 3, 0x7ff8000000000001: 4}", `{"NaN":1,"-0":2,"0":3,"0x7ff8000000000001":4}`},
		{"map<timestamp, inet>", "{'2015-12-13T09:46:40Z': '::1'}", `{"2015-12-13T09:46:40Z":"::1"}`},
		{"map<frozen<list<int>>, int>", "{[1, 2]: 3, []: 4}", `{"[1,2]":3,"[]":4}`},
		{"map<frozen<set<text>>, int>", "{{'a', 'b\"\\'}: 3}", `{"[\"a\",\"b\\\"\\\\\"]":3}`},
		{"map<frozen<inner>, int>", "{{a: 1, b: null}: 3}", `{"{\"a\":1,\"b\":null}":3}`},
		{"map<frozen<map<frozen<map<int, text>>, int>>, int>", "{{{1: 'x'}: 2}: 3}", `{"{\"{\\\"1\\\":\\\"x\\\"}\":2}":3}`},
		{"map<text, frozen<map<int, frozen<list<date>>>>>", "{'k': {7: ['2020-02-29']}}", `{"k":{"7":["2020-02-29"]}}`},
	} {
		t.Run(c.typ+" "+c.text, func(t *testing.T) {
			col := mustPlan(t, c.typ)
			wire := col.wire(t, c.text)
			got, err := col.encode(t, wire)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.True(t, json.Valid([]byte(got)))
			col.checkLossless(t, wire)
		})
	}
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct{ typ, wire, want string }{
		{"int", "0000", "malformed int value: 2 bytes, where 0 or 4 bytes are due"},
		{"uuid", "00", "malformed uuid value: 1 bytes, where 0 or 16 bytes are due"},
		{"duration", "0000", "malformed duration value: 2 bytes, where at least 3 bytes are due"},
		{"list<int>", "", "malformed list<int> value: 0 bytes, too few for the number of elements"},
		{"list<int>", "00000000 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"list<int>", "7fffffff", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "00000001 00000004 000000", "malformed list<int> value: element 0 is cut off"},
		{"set<int>", "00000001 ffffffff", "malformed set<int> value: element 0 has the length -1"},
		{"list<int>", "00000001 00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"set<text>", "00000001 00000000 00", "malformed set<text> value: 1 bytes left over after the last element"},
		{"map<int, int>", "000000", "malformed map<int, int> value: 3 bytes, too few for the number of elements"},
		{"map<int, int>", "00000001 00000000", "malformed map<int, int> value: element 1 is cut off"},
		{"map<int, int>", "00000001 ffffffff 00000000", "malformed map<int, int> value: element 0 has the length -1"},
		{"map<int, int>", "00000001 00000000 fffffffe", "malformed map<int, int> value: element 1 has the length -2"},
		{"map<int, int>", "00000001 00000001 00 00000000", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"map<int, int>", "00000001 00000000 00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"map<int, int>", "00000001 00000000 00000000 00", "malformed map<int, int> value: 1 bytes left over after the last element"},
		{"tuple<int>", "0000", "malformed tuple<int> value: element 0 is cut off"},
		{"tuple<int>", "00000000 ff", "malformed tuple<int> value: 1 bytes left over after the last element"},
		{"tuple<int>", "00000001 ff", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"inner", "00000001 ff", "field a: malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"vector<int, 2>", "00000000", "malformed vector<int, 2> value: element 1 is cut off"},
		{"vector<int, 1>", "0000000000", "malformed vector<int, 1> value: 1 bytes left over after the last element"},
		{"vector<text, 1>", "", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "800161", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "f080000000", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "f8ffffffffff", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "81", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<smallint, 1>", "0100", "malformed smallint value: 1 bytes, where 2 bytes are due"},
	} {
		t.Run(c.typ+" "+c.wire, func(t *testing.T) {
			col := mustPlan(t, c.typ)
			_, err := col.encode(t, testkit.Unhex(t, c.wire))
			require.EqualError(t, err, c.want)
			col.checkLossless(t, testkit.Unhex(t, c.wire))
		})
	}
}

// TestFixedLengths compares the lengths inside vectors with those of package cqltext, for every
// kind.
func TestFixedLengths(t *testing.T) {
	for typ, text := range map[string]string{
		"ascii": "'a'", "bigint": "1", "blob": "0x01", "boolean": "true", "counter": "1", "date": "'2020-01-01'",
		"decimal": "1", "double": "1", "duration": "1s", "empty": "0x", "float": "1", "inet": "'::1'", "int": "1",
		"smallint": "1", "text": "'a'", "time": "'10:00:00.000000000'", "timestamp": "'2020-01-01T00:00:00Z'",
		"timeuuid": "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4", "tinyint": "1", "varint": "1",
		"uuid": "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4", "'org.example.Odd'": "0x01",
		"list<int>": "[1]", "set<int>": "{1}", "map<int, int>": "{1: 1}", "tuple<int>": "(1)", "inner": "{a: 1}",
		"vector<float, 2>": "[1, 2]", "vector<tinyint, 2>": "[1, 2]",
	} {
		col := mustPlan(t, "vector<"+typ+", 2>")
		wire := col.wire(t, "["+text+", "+text+"]")
		got, err := col.encode(t, wire)
		require.NoError(t, err, typ)
		require.Contains(t, got, ",", typ)
		col.checkLossless(t, wire)
	}
}

func TestPlanErrors(t *testing.T) {
	_, err := Plan(nil)
	require.EqualError(t, err, "no codec for type invalid: a type is missing")
	_, err = Plan(&cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{{Kind: cqltype.Int}}})
	require.ErrorContains(t, err, "map has 1 element types, not 2")
}

// nestedKeys returns a type of n maps in each other's keys, with a list between them, and a value
// of it.
func nestedKeys(n int) (*cqltype.Type, string) {
	typ, text := &cqltype.Type{Kind: cqltype.Text}, `'"'`
	for range n {
		typ = &cqltype.Type{Kind: cqltype.List, Elems: []*cqltype.Type{typ}}
		typ = &cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{typ, {Kind: cqltype.Int}}}
		text = "{[" + text + "]: 1}"
	}
	return typ, text
}

func TestKeyDepth(t *testing.T) {
	typ, text := nestedKeys(maxKeyDepth)
	enc, err := Plan(typ)
	require.NoError(t, err)
	codec, err := cqltext.Plan(typ)
	require.NoError(t, err)
	dec, err := PlanDecoder(typ)
	require.NoError(t, err)
	col := column{typ, codec, enc, dec}
	col.checkLossless(t, col.wire(t, text))

	typ, _ = nestedKeys(maxKeyDepth + 1)
	_, err = Plan(typ)
	require.ErrorContains(t, err, "more than 8 maps are nested in each other's keys")
	_, err = PlanDecoder(typ)
	require.ErrorContains(t, err, "more than 8 maps are nested in each other's keys")
}
