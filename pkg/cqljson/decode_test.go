package cqljson

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// TestLenient checks JSON that this package never writes, and the JSON that it writes for the same
// value.
func TestLenient(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{"int", ` "42" `, "42"},
		{"int", "\t-7\r\n", "-7"},
		{"int", `"\u0034\u0032"`, "42"},
		{"int", "-0", "0"},
		{"int", `"0X0000002A"`, "42"},
		{"bigint", `"+9223372036854775807"`, "9223372036854775807"},
		{"varint", `"123456789012345678901234567890"`, "123456789012345678901234567890"},
		{"decimal", "1e2", "1E+2"},
		{"decimal", `"1.50"`, "1.50"},
		{"double", "1E2", "100"},
		{"double", "0.1000000000000000055511151231257827", "0.1"},
		{"double", `"inf"`, `"Infinity"`},
		{"float", "16777217", "16777216"},
		{"boolean", `"TRUE"`, "true"},
		{"boolean", `"no"`, "false"},
		{"boolean", `"1"`, "true"},
		{"timestamp", "1449999999123", `"2015-12-13T09:46:39.123Z"`},
		{"timestamp", "-1", `"1969-12-31T23:59:59.999Z"`},
		{"timestamp", `"1449999999123"`, `"2015-12-13T09:46:39.123Z"`},
		{"timestamp", `"2015-12-13 10:46:40+01:00"`, `"2015-12-13T09:46:40Z"`},
		{"date", `"2015-12-13"`, `"2015-12-13"`},
		{"time", `"09:46"`, `"09:46:00.000000000"`},
		{"uuid", `"{550E8400E29B41D4A716446655440000}"`, `"550e8400-e29b-41d4-a716-446655440000"`},
		{"blob", `"0XFF"`, `"0xff"`},
		{"duration", `"P1Y"`, `"1y"`},

		{"text", "5", `"5"`},
		{"text", "-1.50e+3", `"-1.50e+3"`},
		{"text", "true", `"true"`},
		{"ascii", "false", `"false"`},
		{"text", `"\/\u00e9\ud83d\ude00\u0000"`, "\"/é\U0001F600\\u0000\""},
		{"text", `"\ufffd"`, "\"\ufffd\""},
		{"text", `" 0xff "`, `" 0xff "`},

		{"list<int>", ` [ "1" , 2 ] `, "[1,2]"},
		{"list<int>", `"0x00000000"`, "[]"},
		{"list<int>", `"\u0030x00000000"`, "[]"},
		{"set<text>", `["b","a","b"]`, `["b","a","b"]`},
		{"vector<float, 2>", `["1", 2.50]`, "[1,2.5]"},
		{"vector<text, 2>", `[1, ""]`, `["1",""]`},
		{"tuple<int, text, boolean>", `[ null , null ]`, "[null,null]"},
		{"map<int, text>", `{ "0x0000002a" : 1 , " 7 " : "x" }`, `{"42":"1","7":"x"}`},
		{"map<text, int>", `{"a\u0062":1,"a\\b":2}`, `{"ab":1,"a\\b":2}`},
		{"map<boolean, int>", `{"yes":1,"f":0}`, `{"true":1,"false":0}`},
		{"map<frozen<list<int>>, int>", `{"[ 1 , \"2\" ]":3,"0x00000000":4}`, `{"[1,2]":3,"[]":4}`},
		{"map<frozen<inner>, int>", `{"{\"b\":\"x\",\"a\":1}":3}`, `{"{\"a\":1,\"b\":\"x\"}":3}`},

		{"inner", `{}`, `{}`},
		{"inner", `{ "a" : 1 }`, `{"a":1}`},
		{"inner", `{"b":"x"}`, `{"a":null,"b":"x"}`},
		{"inner", `{"b":"x","a":1}`, `{"a":1,"b":"x"}`},
		{"inner", `{"b":null,"a":null}`, `{"a":null,"b":null}`},
		{"inner", `{"\u0061":1}`, `{"a":1}`},
		{"addr", `{"select":["y"],"street":"x"}`, `{"street":"x","zip":null,"Mixed\"Name":null,"select":["y"]}`},
		{"addr", `{"zip":5,"Mixed\u0022Name":[1],"street":"x"}`, `{"street":"x","zip":5,"Mixed\"Name":[1]}`},
		{"addr", `{"street":"x","Mixed\"Name":[1]}`, `{"street":"x","zip":null,"Mixed\"Name":[1]}`},
		{"outer", `{"other":{"k":{"b":"x"}},"nested":{"a":7}}`, `{"nested":{"a":7},"other":{"k":{"a":null,"b":"x"}}}`},
		{"none", `{ }`, `{}`},
	} {
		t.Run(c.typ+" "+c.in, func(t *testing.T) {
			col := mustPlan(t, c.typ)
			wire, err := col.decode(t, c.in)
			require.NoError(t, err)
			got, err := col.encode(t, wire)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{"int", ``, `invalid int "" at offset 0: expected a number or a string, found the end`},
		{"int", `null`, `invalid int null at offset 0: null is only allowed in a tuple, a user type or an outermost list`},
		{"int", `true`, `invalid int true at offset 0: expected a number or a string, found true`},
		{"int", `[1]`, `invalid int [1] at offset 0: expected a number or a string, found an array`},
		{"int", `nul`, `invalid int nul at offset 0: expected a number or a string, found "nul"`},
		{"int", ` "x"`, `invalid int "x" at offset 1: not an integer`},
		{"int", `""`, `invalid int "" at offset 0: not an integer`},
		{"int", `1.0`, `invalid int 1.0 at offset 0: not an integer`},
		{"int", `01`, `invalid int 01 at offset 1: expected the end, found a number`},
		{"int", `1 2`, `invalid int 1 2 at offset 2: expected the end, found a number`},
		{"int", `2147483648`, `invalid int 2147483648 at offset 0: out of range -2147483648..2147483647 for int`},
		{"int", `"0x00"`, `invalid int "0x00" at offset 0: 1 bytes, where 0 or 4 bytes are due`},
		{"int", `"1`, `invalid int "1 at offset 0: string is not closed`},
		{"int", "\"1\n\"", `invalid int "\"1\n\"" at offset 2: control character "\n" in a string must be escaped`},
		{"int", `"\q"`, `invalid int "\q" at offset 1: invalid escape "\\q" in a string`},
		{"double", `NaN`, `invalid double NaN at offset 0: expected a number or a string, found "NaN"`},
		{"double", `1e999`, `invalid double 1e999 at offset 0: out of range for double`},
		{"double", `1.`, `invalid double 1. at offset 2: expected a digit, found the end`},
		{"boolean", `1`, `invalid boolean 1 at offset 0: expected true, false or a string, found a number`},
		{"boolean", `tru`, `invalid boolean tru at offset 0: expected a value, found "tru"`},
		{"boolean", `"x"`, `invalid boolean "x" at offset 0: not one of true, false, t, f, yes, no, y, n, 1, 0`},
		{"blob", `"ff"`, `invalid blob "ff" at offset 0: hex bytes must begin with 0x`},
		{"blob", `5`, `invalid blob 5 at offset 0: expected a string, found a number`},
		{"date", `5`, `invalid date 5 at offset 0: expected a string, found a number`},
		{"timestamp", `1.5`, `invalid timestamp 1.5 at offset 0: a timestamp given as a number must be a whole number of milliseconds, without an exponent`},
		{"timestamp", `1e3`, `invalid timestamp 1e3 at offset 0: a timestamp given as a number must be a whole number of milliseconds, without an exponent`},
		{"text", `{}`, `invalid text {} at offset 0: expected a string, a number, true or false, found an object`},
		{"text", `"ab\ud800"`, `invalid text "ab\ud800" at offset 3: \ud800 is half of a surrogate pair without the other`},
		{"text", "\"a\xff\"", `invalid text "\"a\xff\"" at offset 0: invalid UTF-8 byte 0xff at offset 1`},
		{"ascii", `"\u00e9"`, `invalid ascii "\u00e9" at offset 0: invalid ASCII byte 0xc3 at offset 0`},
		{"text", `"` + strings.Repeat("é", 99), `invalid text "` + strings.Repeat("é", 31) + `... (199 bytes) at offset 0: string is not closed`},

		{"list<int>", `[1,"x"]`, `invalid list<int> [1,"x"] at offset 3: invalid int "x": not an integer`},
		{"list<frozen<list<int>>>", `[[1,null]]`, `invalid list<frozen<list<int>>> [[1,null]] at offset 4: null is only allowed in a tuple, a user type or an outermost list`},
		{"set<int>", `[1,null]`, `invalid set<int> [1,null] at offset 3: null is only allowed in a tuple, a user type or an outermost list`},
		{"list<int>", `[1,]`, `invalid list<int> [1,] at offset 3: expected a number or a string, found "]"`},
		{"list<int>", `[1`, `invalid list<int> [1 at offset 2: expected ',' or ']', found the end`},
		{"list<int>", `[1}`, `invalid list<int> [1} at offset 2: expected ',' or ']', found "}"`},
		{"list<int>", `{}`, `invalid list<int> {} at offset 0: expected an array, found an object`},
		{"list<int>", `null`, `invalid list<int> null at offset 0: null is only allowed in a tuple, a user type or an outermost list`},
		{"list<int>", `"[1]"`, `invalid list<int> "[1]" at offset 0: expected an array or a string that begins with 0x, found a string`},
		{"inner", `"{}"`, `invalid inner "{}" at offset 0: expected an object or a string that begins with 0x, found a string`},
		{"list<int>", `"0x00"`, `invalid list<int> "0x00" at offset 0: invalid list<int> "0x00": offset 0: malformed list<int> value: 1 bytes, too few for the number of elements`},
		{"list<frozen<list<int>>>", ` [[1],[2,3.5]]`, `invalid list<frozen<list<int>>> [[1],[2,3.5]] at offset 9: invalid int "3.5": not an integer`},
		{"set<text>", `["a" "b"]`, `invalid set<text> ["a" "b"] at offset 5: expected ',' or ']', found a string`},
		{"vector<float, 2>", `[1]`, `invalid vector<float, 2> [1] at offset 0: 1 elements, where vector<float, 2> has 2`},
		{"vector<float, 2>", `[1,2,3]`, `invalid vector<float, 2> [1,2,3] at offset 5: more than the 2 elements of vector<float, 2>`},
		{"vector<float, 2>", `[1,"0x"]`, `invalid vector<float, 2> [1,"0x"] at offset 3: 0 bytes, where each element of vector<float, 2> has 4`},
		{"vector<float, 2>", `[1,null]`, `invalid vector<float, 2> [1,null] at offset 3: null is only allowed in a tuple, a user type or an outermost list`},
		{"tuple<int, text, boolean>", `[1,"x",true,1]`, `invalid tuple<int, text, boolean> [1,"x",true,1] at offset 12: more than the 3 elements of tuple<int, text, boolean>`},
		{"tuple<int, text, boolean>", `[nil]`, `invalid tuple<int, text, boolean> [nil] at offset 1: expected a number or a string, found "nil"`},

		{"map<int, text>", `{1:"x"}`, `invalid map<int, text> {1:"x"} at offset 1: expected a key in double quotes, found a number`},
		{"map<int, text>", `[]`, `invalid map<int, text> [] at offset 0: expected an object, found an array`},
		{"map<int, text>", `{"a":"x"}`, `invalid map<int, text> {"a":"x"} at offset 1: key: invalid int "a": not an integer`},
		{"map<int, text>", `{"1":null}`, `invalid map<int, text> {"1":null} at offset 5: null is only allowed in a tuple, a user type or an outermost list`},
		{"map<int, text>", `{"1" "x"}`, `invalid map<int, text> {"1" "x"} at offset 5: expected ':', found a string`},
		{"map<int, text>", `{"1":"x","2":"y","01":"z"}`, `invalid map<int, text> {"1":"x","2":"y","01":"z"} at offset 17: key occurs twice`},
		{"map<text, int>", `{"b":1, "a":{}}`, `invalid map<text, int> {"b":1, "a":{}} at offset 12: expected a number or a string, found an object`},
		{"map<text, int>", `{"b":1, "a":2, "\u0062":3, "a":4}`, `invalid map<text, int> {"b":1, "a":2, "\u0062":3, "a":4} at offset 15: key occurs twice`},
		{"map<text, int>", `{"b\ud800":1}`, `invalid map<text, int> {"b\ud800":1} at offset 3: \ud800 is half of a surrogate pair without the other`},
		{"map<frozen<list<int>>, int>", `{"[1,x]":1}`, `invalid map<frozen<list<int>>, int> {"[1,x]":1} at offset 1: key: offset 3: expected a number or a string, found "x"`},
		{"map<frozen<list<int>>, int>", `{"[1] ]":1}`, `invalid map<frozen<list<int>>, int> {"[1] ]":1} at offset 1: key: offset 4: expected the end, found "]"`},

		{"inner", `{"a":1,"a":2}`, `invalid inner {"a":1,"a":2} at offset 7: field a occurs twice`},
		{"inner", `{"b":null,"b":"x"}`, `invalid inner {"b":null,"b":"x"} at offset 10: field b occurs twice`},
		{"inner", `{"c":1}`, `invalid inner {"c":1} at offset 1: inner has no field "c", only a, b`},
		{"inner", `{"a":1,"b":[]}`, `invalid inner {"a":1,"b":[]} at offset 11: field b: expected a string, a number, true or false, found an array`},
		{"inner", `{"a":1 "b":2}`, `invalid inner {"a":1 "b":2} at offset 7: expected ',' or '}', found a string`},
		{"inner", `{"a"}`, `invalid inner {"a"} at offset 4: expected ':', found "}"`},
		{"inner", `{a:1}`, `invalid inner {a:1} at offset 1: expected the name of a field, found "a"`},
		{"inner", `{"\ud800":1}`, `invalid inner {"\ud800":1} at offset 2: \ud800 is half of a surrogate pair without the other`},
		{"inner", `[1]`, `invalid inner [1] at offset 0: expected an object, found an array`},
		{"none", `{"a":1}`, `invalid none {"a":1} at offset 1: none has no field "a", and no other`},
		{"addr", `{"Stret":1}`, `invalid addr {"Stret":1} at offset 1: addr has no field "Stret"; the nearest of its 4 are street, "select", zip`},
		{"outer", `{"other":{"k":{"a":"x"}}}`, `invalid outer {"other":{"k":{"a":"x"}}} at offset 19: field other: field a: invalid int "x": not an integer`},
	} {
		t.Run(c.typ+" "+c.in, func(t *testing.T) {
			_, err := mustPlan(t, c.typ).decode(t, c.in)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestDecodeErrorUnwraps(t *testing.T) {
	_, err := mustPlan(t, "set<int>").decode(t, "[null]")
	require.ErrorIs(t, err, errNullHere)
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, &Error{Type: "set<int>", JSON: "[null]", Offset: 1, Err: errNullHere}, e)
}

func TestPlanDecoderErrors(t *testing.T) {
	_, err := PlanDecoder(nil)
	require.EqualError(t, err, "no codec for type invalid: a type is missing")
	_, err = PlanDecoder(
		&cqltype.Type{Kind: cqltype.Vector, Elems: []*cqltype.Type{{Kind: cqltype.Int}}},
	)
	require.ErrorContains(t, err, "vector dimension 0 is not positive")
}

// TestManyKeys checks keys whose wire bytes do not ascend, then the same with a duplicate.
func TestManyKeys(t *testing.T) {
	col := mustPlan(t, "map<int, int>")
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `,"%d":%d`, i*7919%3000, i)
	}
	object := "{" + b.String()[1:]
	wire, err := col.decode(t, object+"}")
	require.NoError(t, err)
	back, err := col.encode(t, wire)
	require.NoError(t, err)
	require.Equal(t, object+"}", back)

	_, err = col.decode(t, object+`,"+7":0}`)
	require.ErrorIs(t, err, errKeyTwice)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, len(object)+1, e.Offset)
}

// TestManyFields checks more fields than a reader can process without an allocation, in reverse
// order.
func TestManyFields(t *testing.T) {
	typ := &cqltype.Type{Kind: cqltype.UDT, Name: "wide"}
	var in, want strings.Builder
	for i := range 3 * maxInline {
		typ.FieldNames = append(typ.FieldNames, fmt.Sprintf("f%d", i))
		typ.Elems = append(typ.Elems, &cqltype.Type{Kind: cqltype.Int})
		fmt.Fprintf(&want, `,"f%d":%d`, i, i)
		fmt.Fprintf(&in, `,"f%d":%d`, 3*maxInline-1-i, 3*maxInline-1-i)
	}
	dec, err := PlanDecoder(typ)
	require.NoError(t, err)
	enc, err := Plan(typ)
	require.NoError(t, err)
	wire, err := dec.AppendWire(nil, []byte("{"+in.String()[1:]+"}"))
	require.NoError(t, err)
	back, err := enc.AppendJSON(nil, wire)
	require.NoError(t, err)
	require.Equal(t, "{"+want.String()[1:]+"}", string(back))
}

// TestVectorLengths checks elements whose lengths have one to four bytes.
func TestVectorLengths(t *testing.T) {
	col := mustPlan(t, "vector<text, 1>")
	for _, n := range []int{0, 1, 127, 128, 16383, 16384, 2097151, 2097152} {
		in := `["` + strings.Repeat("x", n) + `"]`
		wire, err := col.decode(t, in)
		require.NoError(t, err)
		text, err := col.text.AppendWire(nil, []byte("['"+strings.Repeat("x", n)+"']"))
		require.NoError(t, err)
		require.True(t, string(text) == string(wire), "length %d", n)
	}
}
