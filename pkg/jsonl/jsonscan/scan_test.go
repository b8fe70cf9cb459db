package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// scan checks that b is one value with optional blanks around it.
func scan(b []byte) error {
	next, err := Value(b, Blanks(b, 0), 0)
	if err != nil {
		return err
	}
	if next = Blanks(b, next); next < len(b) {
		return Unexpected(b, next, "the end")
	}
	return nil
}

var values = []struct{ in, err string }{
	{`{"a":[1,-0.5e+3,true,false,null,"x\u00e9\n"],"b":{}}`, ""},
	{" [ ] ", ""},
	{"\t{\r\n\"\" : { } , \"\" : 0 }\n", ""},
	{"0", ""},
	{"-0", ""},
	{"1E5", ""},
	{"\"\xff\xed\xa0\x80\x7f\"", ""},
	{`"\ud800"`, ""},
	{strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), ""},

	{"", "offset 0: expected a value, found the end"},
	{" ", "offset 1: expected a value, found the end"},
	{"[1,]", `offset 3: expected a value, found "]"`},
	{"[1 2]", "offset 3: expected ',' or ']', found a number"},
	{"[1", "offset 2: expected ',' or ']', found the end"},
	{"[", "offset 1: expected a value, found the end"},
	{`{"a" 1}`, "offset 5: expected ':', found a number"},
	{`{"a":}`, `offset 5: expected a value, found "}"`},
	{`{"a":1,}`, `offset 7: expected the name of a member in double quotes, found "}"`},
	{`{a:1}`, `offset 1: expected the name of a member in double quotes, found "a"`},
	{`{"a":1 "b":2}`, "offset 7: expected ',' or '}', found a string"},
	{`{"a":1]`, `offset 6: expected ',' or '}', found "]"`},
	{"NaN", `offset 0: expected a value, found "NaN"`},
	{"nul", `offset 0: expected a value, found "nul"`},
	{"nulls", `offset 0: expected a value, found "nulls"`},
	{"True", `offset 0: expected a value, found "True"`},
	{"abcdefghijklmnopqrstuvwxyz", `offset 0: expected a value, found "abcdefghijklmnop"`},
	{"true false", "offset 5: expected the end, found false"},
	{"{} {", "offset 3: expected the end, found an object"},
	{"{} [", "offset 3: expected the end, found an array"},
	{"01", "offset 1: expected the end, found a number"},
	{"+1", `offset 0: expected a value, found "+"`},
	{"-", "offset 1: expected a digit, found the end"},
	{"1.", "offset 2: expected a digit, found the end"},
	{".5", `offset 0: expected a value, found "."`},
	{"1e+x", `offset 3: expected a digit, found "x"`},
	{"\u00e9", `offset 0: expected a value, found "é"`},
	{"\xff", `offset 0: expected a value, found "\xff"`},
	{`"a`, "offset 0: string is not closed"},
	{`["a\"]`, "offset 1: string is not closed"},
	{"\"a\nb\"", `offset 2: control character "\n" in a string must be escaped`},
	{`"\x41"`, `offset 1: invalid escape "\\x" in a string`},
	{`"\u12g4"`, `offset 1: invalid escape "\\u12g4" in a string`},
	{`"\u12`, `offset 1: invalid escape "\\u12" in a string`},
	{`"\`, `offset 1: invalid escape "\\" in a string`},
	{`"\é"`, `offset 1: invalid escape "\\é" in a string`},
	{strings.Repeat("[", MaxDepth+1), "offset 10000: more than 10000 nested arrays and objects"},
	{strings.Repeat(`{"":`, MaxDepth+1), "offset 40000: more than 10000 nested arrays and objects"},
}

func TestValue(t *testing.T) {
	for _, c := range values {
		name := c.in[:min(len(c.in), 40)]
		t.Run(name, func(t *testing.T) {
			err := scan([]byte(c.in))
			require.Equal(t, json.Valid([]byte(c.in)), err == nil)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.err)
			}
		})
	}
}

func TestValueStopsAtItsEnd(t *testing.T) {
	for in, end := range map[string]int{"1,": 1, `"a"b`: 3, "[1]]": 3, "{}}": 2, "null]": 4, "-1.5e3x": 6} {
		next, err := Value([]byte(in), 0, 0)
		require.NoError(t, err, in)
		require.Equal(t, end, next, in)
	}
}

func TestAppendText(t *testing.T) {
	for _, c := range []struct{ body, want, err string }{
		{body: "", want: ""},
		{body: `plain text of some length`, want: "plain text of some length"},
		{body: `\"\\\/\b\f\n\r\t`, want: "\"\\/\b\f\n\r\t"},
		{body: `\u0000\u00E9\u20ac`, want: "\x00é€"},
		{body: `\ud83d\ude00x`, want: "\U0001F600x"},
		{body: `\uDBFF\uDFFF`, want: "\U0010FFFF"},
		{body: `\ufffd`, want: "\ufffd"},
		{body: "\xff" + `\n`, want: "\xff\n"},
		{body: `ab\ud83d`, err: `offset 2: \ud83d is half of a surrogate pair without the other`},
		{body: `\ud83dx`, err: `offset 0: \ud83d is half of a surrogate pair without the other`},
		{body: `\ud83d\n12345`, err: `offset 0: \ud83d is half of a surrogate pair without the other`},
		{body: `\ud83d\ud83d`, err: `offset 0: \ud83d is half of a surrogate pair without the other`},
		{body: `\ud83d\u0041`, err: `offset 0: \ud83d is half of a surrogate pair without the other`},
		{body: `\ude00\ud83d`, err: `offset 0: \ude00 is half of a surrogate pair without the other`},
	} {
		next, _, err := String([]byte(`"`+c.body+`"`), 0)
		require.NoError(t, err, c.body)
		require.Equal(t, len(c.body)+2, next, c.body)
		out, err := AppendText([]byte("kept"), []byte(c.body))
		require.Equal(t, "kept"+c.want, string(out))
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.err)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, c := range values {
		if len(c.in) < 100 {
			f.Add([]byte(c.in))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		keep := bytes.Clone(in)
		err := scan(in)
		require.Equal(t, keep, in)
		require.Equal(t, json.Valid(in), err == nil, "%v", err)
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e))
			require.LessOrEqual(t, e.Offset, len(in))
			require.GreaterOrEqual(t, e.Offset, 0)
		}
	})
}

// FuzzText compares with encoding/json. It writes U+FFFD where this package returns an error, and
// for bytes that are not UTF-8.
func FuzzText(f *testing.F) {
	for _, s := range []string{`plain`, `\ud83d\ude00`, `\ud83d\u0041`, `\u00e9\/\b`, `a\`, "\xff\\n", `"`, `\ufffd`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		in := append(append([]byte{'"'}, body...), '"')
		next, escaped, err := String(in, 0)
		valid := err == nil && next == len(in)
		require.Equal(t, json.Valid(in), valid)
		if !valid {
			return
		}
		require.Equal(t, bytes.IndexByte(body, '\\') >= 0, escaped)
		out, err := AppendText(nil, body)
		var want string
		require.NoError(t, json.Unmarshal(in, &want))
		if err != nil {
			require.Empty(t, out)
			require.True(t, strings.ContainsRune(want, utf8.RuneError))
			return
		}
		require.Equal(t, want, string([]rune(string(out))))
	})
}

func BenchmarkValue(b *testing.B) {
	for name, in := range map[string]string{
		"numbers": "[" + strings.Repeat("1,20,300,-4000.5,", 1000) + "0]",
		"strings": "[" + strings.Repeat(`"some words of text, about forty bytes",`, 1000) + `""]`,
		"objects": "[" + strings.Repeat(`{"id":1,"name":"x","on":true},`, 1000) + `{}]`,
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(in)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Value(data, 0, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
