package cqltype

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testUDT returns a type for every name except "missing".
func testUDT(name string) (*Type, error) {
	if name == "missing" {
		return nil, errors.New("not in keyspace ks")
	}
	return &Type{
		Kind: UDT, Keyspace: "ks", Name: name,
		FieldNames: []string{"f"}, Elems: []*Type{{Kind: Int}},
	}, nil
}

func udt(name string, frozen bool) *Type {
	t, _ := testUDT(name)
	t.Frozen = frozen
	return t
}

func TestParse(t *testing.T) {
	integer, text, float := &Type{Kind: Int}, &Type{Kind: Text}, &Type{Kind: Float}
	for _, c := range []struct {
		in   string
		want *Type
		out  string // empty: equal to in
	}{
		{"varchar", text, "text"},
		{" INT ", integer, "int"},
		{"empty", &Type{Kind: Empty}, ""},
		{"list<int>", &Type{Kind: List, Elems: []*Type{integer}}, ""},
		{"frozen<list<int>>", &Type{Kind: List, Frozen: true, Elems: []*Type{integer}}, ""},
		{"frozen<frozen<set<text>>>", &Type{Kind: Set, Frozen: true, Elems: []*Type{text}}, "frozen<set<text>>"},
		{"map<text, frozen<addr>>", &Type{Kind: Map, Elems: []*Type{text, udt("addr", true)}}, ""},
		{"map < text ,int > ", &Type{Kind: Map, Elems: []*Type{text, integer}}, "map<text, int>"},
		{
			"frozen<tuple<int, frozen<tuple<text, int>>>>",
			&Type{Kind: Tuple, Frozen: true, Elems: []*Type{
				integer, {Kind: Tuple, Frozen: true, Elems: []*Type{text, integer}},
			}},
			"",
		},
		{"tuple<int>", &Type{Kind: Tuple, Elems: []*Type{integer}}, ""},
		{"vector<float, 3>", &Type{Kind: Vector, Elems: []*Type{float}, Dimension: 3}, ""},
		{
			"vector<vector<float,2>,3>",
			&Type{Kind: Vector, Dimension: 3, Elems: []*Type{
				{Kind: Vector, Dimension: 2, Elems: []*Type{float}},
			}},
			"vector<vector<float, 2>, 3>",
		},
		{"addr", udt("addr", false), ""},
		{`"MixedCase"`, udt("MixedCase", false), ""},
		{`frozen<"say ""hi""">`, udt(`say "hi"`, true), ""},
		{`"int"`, udt("int", false), ""},
		{"frozen<int>", udt("int", true), `frozen<"int">`},
		{"frozen<list>", udt("list", true), ""},
		{"ADDR", udt("addr", false), "addr"},
		{`"select"`, udt("select", false), ""},
		{"'org.example.Odd'", &Type{Kind: Custom, Class: "org.example.Odd"}, ""},
		{"'it''s'", &Type{Kind: Custom, Class: "it's"}, ""},
		{"list<'org.example.Odd'>", &Type{Kind: List, Elems: []*Type{{Kind: Custom, Class: "org.example.Odd"}}}, ""},
		{"'org.apache.cassandra.db.marshal.DurationType'", &Type{Kind: Duration}, "duration"},
		{"'org.apache.cassandra.db.marshal.DateType'", &Type{Kind: Timestamp, Class: DateClass}, ""},
		{"'LexicalUUIDType'", &Type{Kind: UUID, Class: LexicalUUIDClass}, "'org.apache.cassandra.db.marshal.LexicalUUIDType'"},
		{"'org.apache.cassandra.db.marshal.ReversedType(org.apache.cassandra.db.marshal.Int32Type)'", integer, "int"},
		{
			"'org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.FloatType , 3)'",
			&Type{Kind: Vector, Elems: []*Type{float}, Dimension: 3}, "vector<float, 3>",
		},
		{
			"'FrozenType(MapType(UTF8Type,ListType(Int32Type)))'",
			&Type{Kind: Map, Frozen: true, Elems: []*Type{
				text, {Kind: List, Elems: []*Type{integer}},
			}},
			"frozen<map<text, list<int>>>",
		},
		{"'TupleType(UTF8Type,Int32Type)'", &Type{Kind: Tuple, Elems: []*Type{text, integer}}, "tuple<text, int>"},
		{"'SetType(UTF8Type)'", &Type{Kind: Set, Elems: []*Type{text}}, "set<text>"},
		{
			"frozen<'ListType(Int32Type)'>",
			&Type{Kind: List, Frozen: true, Elems: []*Type{integer}}, "frozen<list<int>>",
		},
		// A class with an unknown part stays Custom.
		{"'CompositeType(UTF8Type,Int32Type)'", &Type{Kind: Custom, Class: "CompositeType(UTF8Type,Int32Type)"}, ""},
		{"'ListType(Odd)'", &Type{Kind: Custom, Class: "ListType(Odd)"}, ""},
		{"'MapType(UTF8Type)'", &Type{Kind: Custom, Class: "MapType(UTF8Type)"}, ""},
		{"'MapType(UTF8Type,Odd)'", &Type{Kind: Custom, Class: "MapType(UTF8Type,Odd)"}, ""},
		{"'TupleType(UTF8Type,Odd)'", &Type{Kind: Custom, Class: "TupleType(UTF8Type,Odd)"}, ""},
		{"'VectorType(FloatType)'", &Type{Kind: Custom, Class: "VectorType(FloatType)"}, ""},
		{"'FrozenType(Int32Type)'", &Type{Kind: Custom, Class: "FrozenType(Int32Type)"}, ""},
		{"'UserType(ks,61,62:Int32Type)'", &Type{Kind: Custom, Class: "UserType(ks,61,62:Int32Type)"}, ""},
		{"'Int32Type x'", &Type{Kind: Custom, Class: "Int32Type x"}, ""},
		{"'ListType(Int32Type'", &Type{Kind: Custom, Class: "ListType(Int32Type"}, ""},
	} {
		t.Run(c.in, func(t *testing.T) {
			got, err := Parse(c.in, testUDT)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			want := c.out
			if want == "" {
				want = c.in
			}
			require.Equal(t, want, got.String())
			reparsed, err := Parse(got.String(), testUDT)
			require.NoError(t, err)
			require.Equal(t, got, reparsed)
		})
	}
}

func TestParseEveryNative(t *testing.T) {
	for k := Ascii; k <= Varint; k++ {
		got, err := Parse(k.String(), nil)
		require.NoError(t, err)
		require.Equal(t, &Type{Kind: k}, got)
		require.True(t, k.Scalar())
	}
	for _, k := range []Kind{Invalid, List, Set, Map, Tuple, UDT, Vector} {
		require.False(t, k.Scalar(), k)
	}
	require.True(t, Custom.Scalar())
	require.Equal(t, "invalid", Kind(200).String())
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("frozen<", MaxDepth+1) + "list<int>" + strings.Repeat(">", MaxDepth+1)
	for _, c := range []struct{ in, want string }{
		{"", `type "": offset 0: expected a type, found the end`},
		{"list<int", `type "list<int": offset 8: expected '>', found the end`},
		{"list<int, int>", `type "list<int, int>": offset 8: expected '>', found ","`},
		{"map<int>", `type "map<int>": offset 7: expected ',', found ">"`},
		{"map<int,,int>", `type "map<int,,int>": offset 8: expected a type, found ","`},
		{"int int", `type "int int": offset 4: expected end of the type, found "i"`},
		{"int<int>", `type "int<int>": offset 0: int takes no parameters`},
		{"vector<float>", `type "vector<float>": offset 12: expected ',', found ">"`},
		{"vector<float, 0>", `type "vector<float, 0>": offset 14: expected a vector's dimension, found "0"`},
		{"vector<float, x>", `type "vector<float, x>": offset 14: expected a vector's dimension, found "x"`},
		{"vector<float, 4294967296>", `type "vector<float, 4294967296>": offset 14: expected a vector's dimension, found "4"`},
		{`"open`, `type "\"open": offset 0: quote " is not closed`},
		{"'open", `type "'open": offset 0: quote ' is not closed`},
		{"''", `type "''": offset 0: empty class name`},
		{"list<missing>", `type "list<missing>": offset 5: user type "missing": not in keyspace ks`},
		{"tuple<>", `type "tuple<>": offset 6: expected a type, found ">"`},
		{deep, "more than 64 levels of nesting"},
	} {
		_, err := Parse(c.in, testUDT)
		require.ErrorContains(t, err, c.want)
	}
}

func TestParseErrorsAreShort(t *testing.T) {
	_, err := Parse(strings.Repeat("x<", 1000), testUDT)
	require.Less(t, len(err.Error()), 300)
}

func TestParseWrapsTheCallbacksError(t *testing.T) {
	gone := errors.New("gone")
	_, err := Parse(
		"list<addr>",
		func(name string) (*Type, error) { return nil, fmt.Errorf("%s: %w", name, gone) },
	)
	require.ErrorIs(t, err, gone)
	require.EqualError(t, err, `type "list<addr>": offset 5: user type "addr": addr: gone`)

	_, err = Parse("addr", nil)
	require.EqualError(t, err, `type "addr": offset 0: user type "addr": no such type`)
	_, err = Parse("addr", func(string) (*Type, error) { return nil, nil })
	require.EqualError(t, err, `type "addr": offset 0: user type "addr": no such type`)
}

func TestParseKeepsTheDefinitionAsItIs(t *testing.T) {
	def := udt("addr", false)
	got, err := Parse("frozen<addr>", func(string) (*Type, error) { return def, nil })
	require.NoError(t, err)
	require.True(t, got.Frozen)
	require.False(t, def.Frozen)
}

func TestStringOfWhatIsNotWhole(t *testing.T) {
	var none *Type
	require.Equal(t, "invalid", none.String())
	require.Equal(t, "invalid", (&Type{}).String())
	loop := &Type{Kind: List}
	loop.Elems = []*Type{loop}
	require.Contains(t, loop.String(), "...")
}

func TestQuoteIdent(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a", "a"},
		{"a_1", "a_1"},
		{"key", "key"},
		{"int", "int"},
		{"A", `"A"`},
		{"1a", `"1a"`},
		{"_a", `"_a"`},
		{"a b", `"a b"`},
		{`a"b`, `"a""b"`},
		{"", `""`},
		{"é", `"é"`},
		{"select", `"select"`},
		{"token", `"token"`},
		{"default", `"default"`},
	} {
		require.Equal(t, c.want, QuoteIdent(c.in), c.in)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"int", "frozen<list<int>>", "map<text, frozen<addr>>", `"Mixed""Case"`, "vector<float, 3>",
		"tuple<int, frozen<tuple<text, blob>>>", "'org.apache.cassandra.db.marshal.VectorType(FloatType , 3)'",
		"'FrozenType(ListType(ReversedType(UTF8Type)))'", "'o''dd'", "frozen<int>", "set<missing>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s, testUDT)
		if err != nil {
			return
		}
		reparsed, err := Parse(got.String(), testUDT)
		require.NoError(t, err)
		require.Equal(t, got, reparsed)
	})
}

func BenchmarkParse(b *testing.B) {
	const s = "map<text, frozen<tuple<int, frozen<list<timeuuid>>>>>"
	b.ReportAllocs()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := Parse(s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
