package cqltext

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// TestNested checks values with elements, exact in both directions.
func TestNested(t *testing.T) {
	for _, c := range []struct{ typ, wire, text string }{
		{"list<int>", "00000000", "[]"},
		{"list<int>", "00000002 00000004 00000001 00000000", "[1, 0x]"},
		{"list<int>", "ffffffff", "0xffffffff"},
		{"set<text>", "00000000", "{}"},
		{"set<text>", "00000002 00000004 6974277300000000", "{'it''s', ''}"},
		{"list<text>", "00000001 00000002 2727", "['''''']"},
		{"list<text>", "00000001 00000004 6e756c6c", "['null']"},
		{"list<text>", "00000001 00000006 5c0a000dc2a0", "['\\\n\x00\r\u00a0']"},
		{"list<ascii>", "00000001 00000003 2c5d7d", "[',]}']"},
		{"list<blob>", "00000002 00000000 00000001 ab", "[0x, 0xab]"},
		{"list<boolean>", "00000003 00000001 01 00000001 00 00000001 02", "[true, false, 0x02]"},
		{"list<double>", "00000001 00000008 7ff8000000000001", "[0x7ff8000000000001]"},
		{"list<timestamp>", "00000002 00000008 0000015198a30800 00000000", "['2015-12-13T00:00:00Z', 0x]"},
		{"list<date>", "00000001 00000004 80000000", "['1970-01-01']"},
		{"list<time>", "00000002 00000008 0000000000000001 00000008 ffffffffffffffff", "['00:00:00.000000001', 0xffffffffffffffff]"},
		{"list<inet>", "00000001 00000004 7f000001", "['127.0.0.1']"},
		{"list<duration>", "00000001 00000003 000000", "[0s]"},
		{"list<decimal>", "00000001 00000005 00000002 0a", "[0.10]"},
		{
			"list<uuid>", "00000001 00000010 550e8400e29b41d4a716446655440000",
			"[550e8400-e29b-41d4-a716-446655440000]",
		},
		{"map<text, int>", "00000000", "{}"},
		{"map<text, int>", "fffffffe", "0xfffffffe"},
		{"map<text, int>", "00000002 00000001 62 00000004 00000001 00000001 61 00000004 00000002", "{'b': 1, 'a': 2}"},
		{"map<timestamp, inet>", "00000001 00000008 0000000000000000 00000004 01020304", "{'1970-01-01T00:00:00Z': '1.2.3.4'}"},
		{"map<frozen<list<int>>, frozen<map<int, int>>>", "00000001 00000004 00000000 00000004 00000000", "{[]: {}}"},
		{"map<frozen<set<int>>, int>", "00000001 00000004 ffffffff 00000000", "{0xffffffff: 0x}"},
		{"tuple<int, text>", "", "()"},
		{"tuple<int, text>", "ffffffff ffffffff", "(null, null)"},
		{"tuple<int, text>", "00000004 00000001", "(1)"},
		{"tuple<int, text>", "00000000 00000000", "(0x, '')"},
		{"tuple<int, text>", "fffffffe 00000001 61", "0xfffffffe0000000161"},
		{"list<frozen<tuple<int>>>", "00000002 00000000 00000004 80000000", "[(), 0x80000000]"},
		{"addr", "", "{}"},
		{"addr", "ffffffff", "{street: null}"},
		{"addr", "00000001 78 00000004 00000005", "{street: 'x', zip: 5}"},
		{
			"addr", "ffffffff ffffffff 00000008 00000001 00000000 00000005 0000000179",
			`{street: null, zip: null, "Mixed""Name": [0x], "select": ('y')}`,
		},
		{"addr", "80000000", "0x80000000"},
		{"none", "", "{}"},
		{
			"outer", "0000000c 00000004 00000001 ffffffff 00000016 00000001 00000001 6b 00000009 ffffffff 0000000179",
			"{nested: {a: 1, b: null}, other: {'k': {a: null, b: 'y'}}}",
		},
		{"vector<float, 3>", "3f8000007fc0000080000000", "[1, NaN, -0]"},
		{"vector<float, 1>", "7fc00001", "[0x7fc00001]"},
		{"vector<boolean, 2>", "0100", "[true, false]"},
		{"frozen<list<int>>", "00000003 00000004 00000001 ffffffff 00000000", "[1, null, 0x]"},
		{"frozen<list<text>>", "00000003 ffffffff 00000000 00000004 6e756c6c", "[null, '', 'null']"},
		{"frozen<list<int>>", "00000001 fffffffe", "0x00000001fffffffe"},
		{"vector<boolean, 2>", "0200", "[0x02, false]"},
		{"vector<timestamp, 1>", "0000000000000000", "['1970-01-01T00:00:00Z']"},
		{"vector<smallint, 2>", "02 0001 02 ffff", "[1, -1]"},
		{"vector<date, 1>", "04 80000000", "['1970-01-01']"},
		{"vector<text, 3>", "01 61 00 01 27", "['a', '', '''']"},
		{"vector<vector<float, 1>, 2>", "3f800000 40000000", "[[1], [2]]"},
		{"vector<vector<text, 1>, 2>", "02 01 61 02 01 62", "[['a'], ['b']]"},
		{"vector<frozen<list<int>>, 1>", "04 00000000", "[[]]"},
		{"vector<frozen<map<int, int>>, 1>", "04 00000000", "[{}]"},
		{"vector<frozen<tuple<int>>, 2>", "00 04 ffffffff", "[(), (null)]"},
		{"vector<frozen<inner>, 1>", "04 ffffffff", "[{a: null}]"},
		{"list<vector<int, 1>>", "00000001 00000004 00000007", "[[7]]"},
		{"list<empty>", "00000001 00000000", "[0x]"},
		{"list<'org.example.Odd'>", "00000001 00000001 00", "[0x00]"},
	} {
		t.Run(c.typ+" "+c.text, func(t *testing.T) { exact(t, c.typ, c.wire, c.text) })
	}
	// A server refuses null in a type whose elements are cells. The text is still exact.
	exactText(
		t,
		"list<frozen<list<blob>>>",
		"00000002 ffffffff 00000008 00000001 00000000",
		"[null, [0x]]",
	)
}

// TestVectorLengths checks the lengths of elements on both sides of each size of vint.
func TestVectorLengths(t *testing.T) {
	for _, n := range []int{0, 127, 128, 16383, 16384, 2097151, 2097152} {
		text := "['" + strings.Repeat("a", n) + "', 'b']"
		c := mustPlan(t, "vector<text, 2>")
		wire, err := toWire(t, c, text)
		require.NoError(t, err)
		require.Len(t, wire, len(cqlwire.AppendUvint(nil, uint64(n)))+n+2)
		back, err := toText(t, c, []byte(wire))
		require.NoError(t, err)
		require.Equal(t, text, back)
	}
}

// TestMalformed checks bytes that no server stores.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ typ, wire, want string }{
		{"int", "01", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"boolean", "0101", "malformed boolean value: 2 bytes, where 0 or 1 bytes are due"},
		{"inet", "0101", "malformed inet value: 2 bytes, where 0, 4 or 16 bytes are due"},
		{"duration", "0000", "malformed duration value: 2 bytes, where at least 3 bytes are due"},
		{"empty", "00", "malformed empty value: 1 bytes, where 0 bytes are due"},
		{"list<int>", "", "malformed list<int> value: 0 bytes, too few for the number of elements"},
		{"list<int>", "00000001", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "7fffffff", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "00000001 00000004 0000", "malformed list<int> value: element 0 is cut off"},
		{"set<int>", "00000001 ffffffff", "malformed set<int> value: element 0 has the length -1"},
		{"list<int>", "00000001 00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"list<timestamp>", "00000001 00000001 00", "malformed timestamp value: 1 bytes, where 0 or 8 bytes are due"},
		{"list<int>", "00000000 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"list<int>", "ffffffff 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"list<int>", "00000001 00000000 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"map<int, int>", "00000001 00000000", "malformed map<int, int> value: element 1 is cut off"},
		{"map<int, int>", "00000001 00000000 00000000 00", "malformed map<int, int> value: 1 bytes left over after the last element"},
		{"map<int, int>", "00", "malformed map<int, int> value: 1 bytes, too few for the number of elements"},
		{"map<int, int>", "00000001 00000000 00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"tuple<int>", "00", "malformed tuple<int> value: element 0 is cut off"},
		{"tuple<int>", "00000000 00", "malformed tuple<int> value: 1 bytes left over after the last element"},
		{"tuple<int>", "80000000 00", "malformed tuple<int> value: 1 bytes left over after the last element"},
		{"tuple<int>", "00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"inner", "00", "malformed inner value: element 0 is cut off"},
		{"inner", "80000000 00000002 00", "malformed inner value: element 1 is cut off"},
		{"inner", "00000000 00000000 00", "malformed inner value: 1 bytes left over after the last element"},
		{"vector<float, 2>", "3f800000", "malformed vector<float, 2> value: element 1 is cut off"},
		{"vector<float, 1>", "3f80000000", "malformed vector<float, 1> value: 1 bytes left over after the last element"},
		{"vector<text, 1>", "", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "0261", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "800161", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "016100", "malformed vector<text, 1> value: 1 bytes left over after the last element"},
		{"vector<smallint, 1>", "0100", "malformed smallint value: 1 bytes, where 2 bytes are due"},
	} {
		t.Run(c.typ+" "+c.wire, func(t *testing.T) {
			codec, wire := mustPlan(t, c.typ), testkit.Unhex(t, c.wire)
			_, err := toText(t, codec, wire)
			require.EqualError(t, err, c.want)
			require.EqualError(t, mustLayout(t, c.typ).CheckAs(cqlwire.Compared, wire), c.want)
			_, err = toWire(t, codec, string(appendRaw(nil, wire)))
			require.Error(t, err)
		})
	}
	// The error also names the field.
	_, err := toText(t, mustPlan(t, "inner"), testkit.Unhex(t, "00000001 00"))
	require.EqualError(t, err, "field a: malformed int value: 1 bytes, where 0 or 4 bytes are due")
}

func TestPlanErrors(t *testing.T) {
	integer := &cqltype.Type{Kind: cqltype.Int}
	loop := &cqltype.Type{Kind: cqltype.List}
	loop.Elems = []*cqltype.Type{loop}
	for _, c := range []struct {
		typ  *cqltype.Type
		want string
	}{
		{nil, "no codec for type invalid: a type is missing"},
		{&cqltype.Type{}, "no codec for type invalid: unknown kind 0"},
		{&cqltype.Type{Kind: 200}, "no codec for type invalid: unknown kind 200"},
		{&cqltype.Type{Kind: cqltype.List}, "no codec for type list<>: list has 0 element types, not 1"},
		{
			&cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{integer}},
			"no codec for type map<int>: map has 1 element types, not 2",
		},
		{
			&cqltype.Type{Kind: cqltype.Set, Elems: []*cqltype.Type{nil}},
			"no codec for type set<invalid>: a type is missing",
		},
		{
			&cqltype.Type{Kind: cqltype.UDT, Name: "u", Elems: []*cqltype.Type{integer}},
			"no codec for type u: udt has 1 element types, not 0",
		},
		{
			&cqltype.Type{
				Kind: cqltype.UDT, Name: "u",
				Elems: []*cqltype.Type{integer, integer}, FieldNames: []string{"a", "a"},
			},
			`no codec for type u: two fields named "a"`,
		},
		{
			&cqltype.Type{Kind: cqltype.Vector, Elems: []*cqltype.Type{integer}},
			"no codec for type vector<int, 0>: vector dimension 0 is not positive",
		},
		{
			&cqltype.Type{
				Kind: cqltype.Vector, Elems: []*cqltype.Type{integer}, Dimension: math.MaxInt32,
			},
			"no codec for type vector<int, 2147483647>: a vector of 2147483647 elements of 4 bytes is longer than a value may be",
		},
		{loop, "more than 128 levels of nesting"},
	} {
		_, err := Plan(c.typ)
		require.ErrorContains(t, err, c.want)
	}
}

// TestManyFields uses more fields than a codec can process without an allocation.
func TestManyFields(t *testing.T) {
	typ := &cqltype.Type{Kind: cqltype.UDT, Name: "wide"}
	for i := range maxInline + 2 {
		typ.FieldNames = append(typ.FieldNames, "f"+strings.Repeat("x", i))
		typ.Elems = append(typ.Elems, &cqltype.Type{Kind: cqltype.Int})
	}
	c, err := Plan(typ)
	require.NoError(t, err)
	last := typ.FieldNames[len(typ.FieldNames)-1]
	wire, err := toWire(t, c, "{"+last+": 1, f: 2}")
	require.NoError(t, err)
	require.Len(t, wire, 4*(maxInline+2)+8)
	text, err := toText(t, c, []byte(wire))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text, "{f: 2, fx: null, "), text)
	require.True(t, strings.HasSuffix(text, last+": 1}"), text)
}

// TestDeepNesting checks a value at the deepest nesting that can be parsed.
func TestDeepNesting(t *testing.T) {
	const depth = cqltype.MaxDepth
	c := mustPlan(t, strings.Repeat("list<", depth)+"int"+strings.Repeat(">", depth))
	text := strings.Repeat("[", depth) + "7" + strings.Repeat("]", depth)
	wire, err := toWire(t, c, text)
	require.NoError(t, err)
	back, err := toText(t, c, []byte(wire))
	require.NoError(t, err)
	require.Equal(t, text, back)
	_, err = toWire(t, c, strings.Repeat("[", 1<<20))
	require.Error(t, err)
}

// TestNullsInListsInside checks that nulls in inner lists are written but not read. Some tables
// contain them, and no server accepts them.
func TestNullsInListsInside(t *testing.T) {
	for _, c := range []struct{ typ, wire, text string }{
		{"frozen<list<frozen<list<blob>>>>", "00000002 ffffffff 0000000c 00000002 ffffffff 00000000", "[null, [null, 0x]]"},
		{"tuple<frozen<list<int>>>", "00000008 00000001 ffffffff", "([null])"},
	} {
		codec := mustPlan(t, c.typ)
		text, err := toText(t, codec, testkit.Unhex(t, c.wire))
		require.NoError(t, err)
		require.Equal(t, c.text, text)
		_, err = toWire(t, codec, text)
		require.ErrorContains(t, err, errNullHere.Error())
	}
}
