package cqlwire

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// spell walks over a value at every depth and returns its elements in hex, nulls as null. Brackets
// enclose the elements of a type with elements.
func spell(t testing.TB, l *Layout, wire []byte) string {
	t.Helper()
	if len(l.elems) == 0 {
		return hex.EncodeToString(wire)
	}
	var parts []string
	w := l.Walk(wire)
	for w.Next() {
		require.Equal(t, len(parts), w.Index())
		require.Equal(t, len(w.Elem()), cap(w.Elem()), "there is room after the element")
		if w.Null() {
			parts = append(parts, "null")
			continue
		}
		parts = append(parts, spell(t, w.Type(), w.Elem()))
	}
	require.NoError(t, w.Err())
	require.True(t, w.Whole())
	require.Equal(t, len(wire), w.End())
	require.False(t, w.Next(), "Next returns true after the end")
	return "[" + strings.Join(parts, " ") + "]"
}

// TestWalk walks over complete values.
func TestWalk(t *testing.T) {
	for _, c := range []struct{ typ, wire, want string }{
		{"int", "00000001", "00000001"},
		{"list<int>", "00000000", "[]"},
		{"list<int>", "ffffffff", "[]"},
		{"list<int>", "00000002 00000004 00000001 00000000", "[00000001 ]"},
		{"set<text>", "00000002 00000001 61 00000002 6262", "[61 6262]"},
		{"map<int, text>", "00000002 00000004 00000001 00000001 61 00000000 00000000", "[00000001 61  ]"},
		{"map<tinyint, frozen<list<int>>>", "00000001 00000001 07 0000000c 00000001 00000004 00000009", "[07 [00000009]]"},
		{"tuple<int, text>", "", "[]"},
		{"tuple<int, text>", "ffffffff", "[null]"},
		{"tuple<int, text>", "80000000 00000000", "[null ]"},
		{"two", "00000004 00000001 00000001 61", "[00000001 61]"},
		{"vector<float, 2>", "3f80000000000000", "[3f800000 00000000]"},
		{"vector<empty, 3>", "", "[  ]"},
		{"vector<text, 2>", "01 61 00", "[61 ]"},
		{"vector<vector<text, 1>, 2>", "02 01 61 02 01 62", "[[61] [62]]"},
		{"vector<frozen<tuple<int>>, 2>", "00 04 ffffffff", "[[] [null]]"},
	} {
		l := mustPlan(t, c.typ)
		wire := testkit.Unhex(t, c.wire)
		require.Equal(t, c.want, spell(t, l, wire), "%s %s", c.typ, c.wire)
		if c.typ != "vector<empty, 3>" { // servers refuse a vector of no bytes
			require.NoError(t, l.CheckAs(Stored, wire))
		}
	}
}

// TestMalformed checks the errors of malformed values.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ typ, wire, want string }{
		{"list<int>", "", "malformed list<int> value: 0 bytes, too few for the number of elements"},
		{"list<int>", "00000001", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "7fffffff", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "00000001 00000004 0000", "malformed list<int> value: element 0 is cut off"},
		{"list<int>", "00000001 7fffffff 0000", "malformed list<int> value: element 0 is cut off"},
		{"set<int>", "00000002 00000000 ffffffff", "malformed set<int> value: element 1 has the length -1"},
		{"list<int>", "00000000 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"list<int>", "ffffffff 00", "malformed list<int> value: 1 bytes left over after the last element"},
		{"map<int, int>", "00000001 00000000", "malformed map<int, int> value: element 1 is cut off"},
		{"map<int, int>", "00000001 00000000 fffffffe", "malformed map<int, int> value: element 1 has the length -2"},
		{"tuple<int>", "00", "malformed tuple<int> value: element 0 is cut off"},
		{"tuple<int>", "00000000 0000", "malformed tuple<int> value: 2 bytes left over after the last element"},
		{"two", "80000000 00000002 00", "malformed two value: element 1 is cut off"},
		{"vector<float, 2>", "3f800000", "malformed vector<float, 2> value: element 1 is cut off"},
		{"vector<float, 1>", "3f80000000", "malformed vector<float, 1> value: 1 bytes left over after the last element"},
		{"vector<text, 1>", "", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "800161", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "ffffffffffffffffff", "malformed vector<text, 1> value: element 0 is cut off"},
		{"vector<text, 1>", "016100", "malformed vector<text, 1> value: 1 bytes left over after the last element"},
	} {
		l, wire := mustPlan(t, c.typ), testkit.Unhex(t, c.wire)
		w := l.Walk(wire)
		for w.Next() {
			require.LessOrEqual(t, w.End(), len(wire))
		}
		require.False(t, w.Whole())
		require.False(t, w.Next(), "Next returns true after the end")
		require.EqualError(t, w.Err(), c.want)
		require.EqualError(t, l.CheckAs(Compared, wire), c.want)
	}
}

// TestCheckIsDeep checks that a fault at the innermost level is found.
func TestCheckIsDeep(t *testing.T) {
	for _, c := range []struct{ typ, wire, want string }{
		{"list<int>", "00000001 00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"map<int, text>", "00000001 00000000 00000001 ff", "malformed text value: invalid UTF-8 byte 0xff at offset 0"},
		{"tuple<int, ascii>", "ffffffff 00000001 80", "malformed ascii value: invalid ASCII byte 0x80 at offset 0"},
		{"two", "00000001 00", "malformed int value: 1 bytes, where 0 or 4 bytes are due"},
		{"vector<smallint, 1>", "0100", "malformed smallint value: 1 bytes, where 2 bytes are due"},
	} {
		require.EqualError(t, mustPlan(t, c.typ).Check(testkit.Unhex(t, c.wire)), c.want)
	}
}

// TestLengthsAndCounts checks that lengths and counts are returned as written.
func TestLengthsAndCounts(t *testing.T) {
	w := mustPlan(t, "tuple<int, int>").Walk(testkit.Unhex(t, "fffffffe 00000000"))
	require.Equal(t, 0, w.End())
	require.True(t, w.Next())
	require.Equal(t, []any{-2, true, 4}, []any{w.Length(), w.Null(), w.End()})
	require.True(t, w.Next())
	require.Equal(t, []any{0, false, 8}, []any{w.Length(), w.Null(), w.End()})

	w = mustPlan(t, "map<int, int>").Walk(testkit.Unhex(t, "80000000"))
	require.Equal(t, []any{-1 << 31, 4}, []any{w.Count(), w.End()})
	w = mustPlan(t, "map<int, int>").Walk(testkit.Unhex(t, "7fffffff"))
	require.Equal(t, 1<<31-1, w.Count())
	_, ok := Count(make([]byte, 3))
	require.False(t, ok)
}

// TestWalkAllocatesNothing checks that a walk and a check do not allocate on the heap.
func TestWalkAllocatesNothing(t *testing.T) {
	l := mustPlan(t, "map<int, frozen<tuple<int, text>>>")
	wire := testkit.Unhex(t, "00000001 00000000 00000009 ffffffff 00000001 61")
	sum := 0
	require.Zero(t, testing.AllocsPerRun(50, func() {
		w := l.Walk(wire)
		for w.Next() {
			sum += len(w.Elem())
		}
		if !w.Whole() || l.Check(wire) != nil {
			sum = -1 << 30
		}
	}))
	require.Positive(t, sum)
}
