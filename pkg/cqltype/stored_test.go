package cqltype

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// storedUDTs returns the user-defined types of the keyspace behind the class strings below.
func storedUDTs(name string) (*Type, error) {
	types := map[string]struct{ names, types []string }{
		"inner": {[]string{"x", "l"}, []string{"int", "frozen<list<text>>"}},
		"Ad Dr": {
			[]string{"Z é", "i", "t", "m"},
			[]string{
				"text",
				"frozen<inner>",
				"frozen<tuple<int, frozen<set<text>>>>",
				"frozen<map<text, int>>",
			},
		},
	}
	def, ok := types[name]
	if !ok {
		return nil, errUnknown
	}
	t := &Type{Kind: UDT, Keyspace: "ordks", Name: name, FieldNames: def.names}
	for _, s := range def.types {
		e, err := Parse(s, storedUDTs)
		if err != nil {
			return nil, err
		}
		t.Elems = append(t.Elems, e)
	}
	return t, nil
}

const (
	innerClass = "UserType(ordks,696e6e6572,78:Int32Type,6c:ListType(UTF8Type))"
	addrFrozen = "UserType(ordks,4164204472,5a20c3a9:UTF8Type,69:" + innerClass + ",74:TupleType(Int32Type,SetType(UTF8Type)),6d:MapType(UTF8Type,Int32Type))"
	addrCells  = "UserType(ordks,4164204472,5a20c3a9:UTF8Type,69:FrozenType(" + innerClass + "),74:TupleType(Int32Type,SetType(UTF8Type)),6d:FrozenType(MapType(UTF8Type,Int32Type)))"
)

// storedCases pairs column types with class strings, without packages. The types are from
// system_schema.columns of Cassandra 5.0.6, the classes from the Statistics.db that it flushed.
var storedCases = []struct{ cql, class string }{
	{"ascii", "AsciiType"},
	{"bigint", "LongType"},
	{"blob", "BytesType"},
	{"boolean", "BooleanType"},
	{"counter", "CounterColumnType"},
	{"date", "SimpleDateType"},
	{"decimal", "DecimalType"},
	{"double", "DoubleType"},
	{"duration", "DurationType"},
	{"empty", "EmptyType"},
	{"float", "FloatType"},
	{"inet", "InetAddressType"},
	{"int", "Int32Type"},
	{"smallint", "ShortType"},
	{"text", "UTF8Type"},
	{"time", "TimeType"},
	{"timestamp", "TimestampType"},
	{"timeuuid", "TimeUUIDType"},
	{"tinyint", "ByteType"},
	{"uuid", "UUIDType"},
	{"varint", "IntegerType"},
	{"'org.apache.cassandra.db.marshal.LexicalUUIDType'", "LexicalUUIDType"},
	{
		"'org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,org.apache.cassandra.db.marshal.UTF8Type)'",
		"CompositeType(Int32Type,UTF8Type)",
	},
	{"list<int>", "ListType(Int32Type)"},
	{"frozen<list<int>>", "FrozenType(ListType(Int32Type))"},
	{"list<frozen<list<int>>>", "ListType(FrozenType(ListType(Int32Type)))"},
	{"frozen<list<frozen<list<int>>>>", "FrozenType(ListType(ListType(Int32Type)))"},
	{"set<text>", "SetType(UTF8Type)"},
	{
		"map<text, frozen<map<int, frozen<set<uuid>>>>>",
		"MapType(UTF8Type,FrozenType(MapType(Int32Type,SetType(UUIDType))))",
	},
	{
		"frozen<tuple<int, frozen<list<frozen<inner>>>, frozen<tuple<text>>>>",
		"TupleType(Int32Type,ListType(" + innerClass + "),TupleType(UTF8Type))",
	},
	{"frozen<tuple<frozen<\"Ad Dr\">>>", "TupleType(" + addrFrozen + ")"},
	{"\"Ad Dr\"", addrCells},
	{"frozen<\"Ad Dr\">", "FrozenType(" + addrFrozen + ")"},
	{"list<frozen<inner>>", "ListType(FrozenType(" + innerClass + "))"},
	{"vector<float, 3>", "VectorType(FloatType , 3)"},
	{"vector<frozen<list<int>>, 2>", "VectorType(FrozenType(ListType(Int32Type)) , 2)"},
	{"vector<frozen<inner>, 2>", "VectorType(FrozenType(" + innerClass + ") , 2)"},
	{
		"vector<frozen<tuple<int, frozen<set<int>>>>, 1>",
		"VectorType(TupleType(Int32Type,SetType(Int32Type)) , 1)",
	},
	{"list<vector<int, 2>>", "ListType(VectorType(Int32Type , 2))"},
	{"frozen<list<vector<int, 2>>>", "FrozenType(ListType(VectorType(Int32Type , 2)))"},
}

// stored adds the package to each class.
func stored(class string) string {
	var b strings.Builder
	for i := 0; i < len(class); i++ {
		if c := class[i]; c >= 'A' && c <= 'Z' && (i == 0 || !wordByte(class[i-1])) {
			b.WriteString(marshalPackage)
		}
		b.WriteByte(class[i])
	}
	return b.String()
}

func TestStoredClassIsTheServers(t *testing.T) {
	for _, c := range storedCases {
		typ, err := Parse(c.cql, storedUDTs)
		require.NoError(t, err)
		require.Equal(t, stored(c.class), typ.StoredClass(), c.cql)
		require.Equal(t, stored("ReversedType("+c.class+")"), StoredReversed(typ), c.cql)
	}
}

func TestParseStoredReadsWhatTheServerWrites(t *testing.T) {
	for _, c := range storedCases {
		want := stored(c.class)
		for _, reversed := range []bool{false, true} {
			class := want
			if reversed {
				class = stored("ReversedType(" + c.class + ")")
			}
			got, is, err := ParseStored(class)
			require.NoError(t, err, c.cql)
			require.Equal(t, reversed, is, c.cql)
			require.Equal(t, want, got.StoredClass(), c.cql)
			require.Equal(
				t,
				strings.Contains(c.cql, "org.") && strings.Contains(c.cql, "("),
				got.Kind == Custom,
				c.cql,
			)
		}
	}
}

func TestParseStoredGivesNamesAndFrozen(t *testing.T) {
	got, _, err := ParseStored(
		stored(
			"ListType(FrozenType(UserType(ordks,4164204472,5a20c3a9:ListType(TupleType(Int32Type)))))",
		),
	)
	require.NoError(t, err)
	require.Equal(t, &Type{Kind: List, Elems: []*Type{{
		Kind: UDT, Frozen: true, Keyspace: "ordks", Name: "Ad Dr", FieldNames: []string{"Z é"},
		Elems: []*Type{{Kind: List, Elems: []*Type{{Kind: Tuple, Elems: []*Type{{Kind: Int}}}}}},
	}}}, got)
	require.Equal(t, `list<frozen<"Ad Dr">>`, got.String())
}

func TestStoredKey(t *testing.T) {
	const class = "CompositeType(Int32Type,FrozenType(ListType(UTF8Type)),FrozenType(MapType(Int32Type,SetType(UTF8Type))),FrozenType(" +
		innerClass + "),TupleType(Int32Type,ListType(Int32Type)))"
	var types []*Type
	for _, cql := range []string{
		"int", "frozen<list<text>>", "frozen<map<int, frozen<set<text>>>>", "frozen<inner>", "frozen<tuple<int, frozen<list<int>>>>",
	} {
		typ, err := Parse(cql, storedUDTs)
		require.NoError(t, err)
		types = append(types, typ)
	}
	require.Equal(t, stored(class), StoredKey(types))
	require.Equal(t, stored("Int32Type"), StoredKey(types[:1]))

	got, err := ParseStoredKey(stored(class))
	require.NoError(t, err)
	require.Len(t, got, len(types))
	require.Equal(t, stored(class), StoredKey(got))
	got, err = ParseStoredKey(stored("FrozenType(ListType(UTF8Type))"))
	require.NoError(t, err)
	require.Equal(t, []*Type{{Kind: List, Frozen: true, Elems: []*Type{{Kind: Text}}}}, got)
}

func TestParseStoredTakesAnUnknownClassForCustom(t *testing.T) {
	for _, c := range []struct {
		class string
		want  *Type
	}{
		{"org.example.Odd", &Type{Kind: Custom, Class: "org.example.Odd"}},
		{"org.example.Odd$In(a=>b(c),d)", &Type{Kind: Custom, Class: "org.example.Odd$In(a=>b(c),d)"}},
		{"ListType( org.example.Odd )", &Type{Kind: List, Elems: []*Type{{Kind: Custom, Class: "org.example.Odd"}}}},
		{"TupleType(org.example.Odd(a),Int32Type)", &Type{
			Kind: Tuple, Elems: []*Type{{Kind: Custom, Class: "org.example.Odd(a)"}, {Kind: Int}},
		}},
	} {
		got, _, err := ParseStored(c.class)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestParseStoredErrors(t *testing.T) {
	deep := strings.Repeat("ListType(", MaxDepth+1) + "Int32Type" + strings.Repeat(")", MaxDepth+1)
	for _, c := range []struct{ in, want string }{
		{"", `class "": offset 0: expected a class, found the end`},
		{"ListType(Int32Type", `class "ListType(Int32Type": offset 18: expected ')', found the end`},
		{"ListType(Int32Type,Int32Type)", `offset 18: expected ')', found ","`},
		{"MapType(Int32Type)", `offset 17: expected ',', found ")"`},
		{"MapType(Int32Type,Int32Type,Int32Type)", `offset 27: expected ')', found ","`},
		{"TupleType()", `offset 10: expected a class, found ")"`},
		{"FrozenType(Int32Type)", `FrozenType of int`},
		{"VectorType(FloatType)", `offset 20: expected ',', found ")"`},
		{"VectorType(FloatType , -1)", `offset 23: expected a vector's dimension, found "-"`},
		{"UserType()", `offset 9: expected a keyspace, found ")"`},
		{"UserType(ks)", `offset 11: expected ',', found ")"`},
		{"UserType(ks,6)", `offset 12: expected a name in hex, found "6"`},
		{"UserType(ks,61,zz:Int32Type)", `offset 15: expected a name in hex, found "z"`},
		{"UserType(ks,61,62)", `offset 17: expected ':', found ")"`},
		{"UserType(ks,61,62:)", `offset 18: expected a class, found ")"`},
		{"ReversedType(Int32Type", `offset 22: expected ')', found the end`},
		{"Int32Type)", `offset 9: expected end of the class, found ")"`},
		{"org.example.Odd(a(b)", `offset 20: expected ')', found the end`},
		{deep, "more than 64 levels of nesting"},
	} {
		_, _, err := ParseStored(c.in)
		require.ErrorContains(t, err, c.want)
		_, err = ParseStoredKey(c.in)
		require.Error(t, err)
		require.Less(t, len(err.Error()), 400)
	}
	_, err := ParseStoredKey("CompositeType(Int32Type,")
	require.EqualError(
		t,
		err,
		`class "CompositeType(Int32Type,": offset 24: expected a class, found the end`,
	)
	_, err = ParseStoredKey("CompositeType(Int32Type")
	require.EqualError(
		t,
		err,
		`class "CompositeType(Int32Type": offset 23: expected ')', found the end`,
	)
}

func TestStoredClassOfWhatIsNotWhole(t *testing.T) {
	var none *Type
	require.Equal(t, "invalid", none.StoredClass())
	require.Equal(t, "invalid", (&Type{}).StoredClass())
	require.Equal(t, "invalid", (&Type{Kind: Custom}).StoredClass())
	loop := &Type{Kind: List}
	loop.Elems = []*Type{loop}
	require.Contains(t, loop.StoredClass(), "...")
}

// FuzzParseStored checks that every class that can be read can be written and read again unchanged.
func FuzzParseStored(f *testing.F) {
	for _, c := range storedCases {
		f.Add(stored(c.class))
		f.Add("ReversedType(" + c.class + ")")
	}
	f.Add("CompositeType(Int32Type,UTF8Type)")
	f.Fuzz(func(t *testing.T, class string) {
		if got, reversed, err := ParseStored(class); err == nil {
			written := got.StoredClass()
			if reversed {
				written = StoredReversed(got)
			}
			reparsed, is, err := ParseStored(written)
			require.NoError(t, err)
			require.Equal(t, reversed, is)
			require.Equal(t, got.StoredClass(), reparsed.StoredClass())
		}
		types, err := ParseStoredKey(class)
		if err != nil || len(types) == 1 {
			return
		}
		reparsed, err := ParseStoredKey(StoredKey(types))
		require.NoError(t, err)
		require.Equal(t, StoredKey(types), StoredKey(reparsed))
	})
}
