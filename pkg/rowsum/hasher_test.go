package rowsum

import (
	"testing"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/stretchr/testify/require"
)

var a, b, c, none = []byte("a"), []byte("b"), []byte("c"), []byte{}

func one(t testing.TB, typ string, v []byte) Sum {
	t.Helper()
	return hasherOf(t, typ).Row([][]byte{v})
}

func TestOrderDoesNotCount(t *testing.T) {
	tests := []struct {
		typ         string
		left, right []byte
	}{
		{"set<text>", coll(a, b, c), coll(c, a, b)},
		{"frozen<set<text>>", coll(a, b), coll(b, a)},
		{"map<text, text>", mapping(a, b, c, none), mapping(c, none, a, b)},
		{"set<frozen<set<text>>>", coll(coll(a, b), coll(c)), coll(coll(c), coll(b, a))},
		{"list<frozen<set<text>>>", coll(coll(a, b), coll(c)), coll(coll(b, a), coll(c))},
		{"map<frozen<set<text>>, int>", mapping(coll(a, b), i4(1)), mapping(coll(b, a), i4(1))},
		{
			"map<text, frozen<map<text, text>>>",
			mapping(a, mapping(a, b, b, c)),
			mapping(a, mapping(b, c, a, b)),
		},
		{"tuple<text, frozen<set<text>>>", tuple(a, coll(a, b)), tuple(a, coll(b, a))},
		{"person", tuple(a, coll(a, b), tuple(c)), tuple(a, coll(b, a), tuple(c))},
		{
			"vector<frozen<set<text>>, 1>",
			append([]byte{14}, coll(a, b)...),
			append([]byte{14}, coll(b, a)...),
		},
	}
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			require.NotEqual(t, tt.left, tt.right)
			require.Equal(t, one(t, tt.typ, tt.left), one(t, tt.typ, tt.right))
		})
	}
}

func TestDifferencesCount(t *testing.T) {
	tests := []struct {
		name, typ   string
		left, right []byte
	}{
		{"null and empty", "text", nil, none},
		{"null and no elements", "set<text>", nil, coll()},
		{"no bytes and no elements", "set<text>", none, coll()},
		{"order of a list", "list<text>", coll(a, b), coll(b, a)},
		{
			"order of a list of sets",
			"list<frozen<set<text>>>",
			coll(coll(a), coll(b)),
			coll(coll(b), coll(a)),
		},
		{
			"between the sets of a list",
			"list<frozen<set<text>>>",
			coll(coll(a, b), coll(c)),
			coll(coll(a), coll(b, c)),
		},
		{
			"order in a tuple",
			"tuple<text, text, set<text>>",
			tuple(a, b, coll()),
			tuple(b, a, coll()),
		},
		{"order in a vector", "vector<text, 2>", []byte("\x01a\x01b"), []byte("\x01b\x01a")},
		{"an element more than once", "set<text>", coll(a), coll(a, a)},
		{
			"a value moved to another key",
			"map<text, text>",
			mapping(a, b, c, c),
			mapping(a, c, c, b),
		},
		{"key and value swapped", "map<text, text>", mapping(a, b), mapping(b, a)},
		{
			"bytes moved from key to value",
			"map<text, text>",
			mapping([]byte("ab"), c),
			mapping(a, []byte("bc")),
		},
		{"absent and null", "tuple<text, set<text>>", tuple(a), tuple(a, nil)},
		{
			"null and empty inside",
			"tuple<text, set<text>>",
			tuple(nil, coll()),
			tuple(none, coll()),
		},
		{
			"another negative length",
			"tuple<text, set<text>>",
			tuple(nil),
			[]byte{0xff, 0xff, 0xff, 0xfe},
		},
		{"malformed, in another order", "set<text>", append(coll(a, b), 0), append(coll(b, a), 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEqual(t, one(t, tt.typ, tt.left), one(t, tt.typ, tt.right))
		})
	}
}

func TestColumnsCount(t *testing.T) {
	h := hasherOf(t, "text", "text")
	sums := map[Sum]bool{}
	rows := [][][]byte{
		{a, b},
		{b, a},
		{a, nil},
		{nil, a},
		{a, none},
		{none, a},
		{[]byte("ab"), none},
		{nil, nil},
		{none, none},
	}
	for _, row := range rows {
		sums[h.Row(row)] = true
	}
	require.Len(t, sums, len(rows))
}

// TestTypesThatAreNotWhole checks that values of incomplete types are hashed unchanged.
func TestTypesThatAreNotWhole(t *testing.T) {
	text := &cqltype.Type{Kind: cqltype.Text}
	set := &cqltype.Type{Kind: cqltype.Set, Elems: []*cqltype.Type{text}}
	types := []*cqltype.Type{
		nil,
		{Kind: cqltype.Set},
		{Kind: cqltype.Map, Elems: []*cqltype.Type{text}},
		{Kind: cqltype.List, Elems: []*cqltype.Type{set, set}},
		{Kind: cqltype.Tuple, Elems: []*cqltype.Type{nil}},
		{Kind: cqltype.Custom, Class: "org.example.Odd"},
		{Elems: []*cqltype.Type{set}},
	}
	want := one(t, "blob", coll(a, b))
	for i, typ := range types {
		require.Equal(t, want, New([]*cqltype.Type{typ}).Row([][]byte{coll(a, b)}), "type %d", i)
	}
}

func TestRowPanicsOnAnotherWidth(t *testing.T) {
	require.PanicsWithValue(
		t,
		"rowsum: 1 cells in a row of 2 columns",
		func() { hasherOf(t, "int", "int").Row([][]byte{nil}) },
	)
}

// TestScratchIsBounded checks that a huge blob is not copied.
func TestScratchIsBounded(t *testing.T) {
	h := hasherOf(t, "int", "blob", "set<text>", "int")
	h.Row([][]byte{i4(1), make([]byte, 1<<20), coll(a), i4(2)})
	require.LessOrEqual(t, cap(h.buf), 2*chunk)
}

func TestNoAllocations(t *testing.T) {
	tests := []struct {
		typ string
		v   []byte
	}{
		{"blob", pattern(0, 34)},
		{"blob", pattern(0, 2*chunk)},
		{"set<text>", coll(a, b, c)},
		{"map<text, frozen<set<text>>>", mapping(a, coll(b, c), b, coll())},
		{"person", tuple(a, coll(a, b), tuple(c))},
		{"set<text>", append(coll(a, b), 0)},
	}
	for _, tt := range tests {
		h, row := hasherOf(t, tt.typ, tt.typ), [][]byte{tt.v, nil}
		require.Zero(t, testing.AllocsPerRun(50, func() { h.Row(row) }), tt.typ)
	}
}
