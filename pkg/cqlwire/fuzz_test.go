package cqlwire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// fuzzTypes are the types that FuzzWalk selects by number. Append new types at the end, so that the
// saved inputs keep their meaning.
var fuzzTypes = []string{
	"list<int>",
	"set<text>",
	"map<text, frozen<list<timestamp>>>",
	"tuple<int, text, boolean>",
	"two",
	"vector<float, 2>",
	"vector<text, 2>",
	"vector<vector<smallint, 2>, 1>",
	"vector<empty, 3>",
	"list<frozen<tuple<decimal, duration, frozen<two>>>>",
	"map<frozen<set<blob>>, varint>",
	"tuple<frozen<tuple<frozen<tuple<uuid>>>>>",
	"duration",
	"ascii",
	"'org.example.Odd'",
}

// FuzzWalk checks that a walk over any bytes ends and stays within them. If the value is whole,
// rewriting it from its elements must give the same bytes.
func FuzzWalk(f *testing.F) {
	layouts := make([]*Layout, len(fuzzTypes))
	place := make(map[string]byte)
	for i, typ := range fuzzTypes {
		layouts[i] = mustPlan(f, typ)
		place[typ] = byte(i)
	}
	for typ, wires := range map[string][]string{
		"list<int>":                          {"00000002 00000004 00000001 00000000", "ffffffff", "7fffffff", "00000001 ffffffff"},
		"set<text>":                          {"00000002 00000001 61 00000001 c3"},
		"map<text, frozen<list<timestamp>>>": {"00000001 00000001 6b 00000010 00000001 00000008 0000015198a30800"},
		"tuple<int, text, boolean>":          {"ffffffff 00000001 61", "fffffffe", "80000000 80000000 80000000 00"},
		"vector<text, 2>":                    {"01610162", "800161", "ffffffffffffffffff"},
		"vector<vector<smallint, 2>, 1>":     {"06 02 0001 02 0002"},
		"duration":                           {"1c0602", "800000", "f100000000 00 00"},
	} {
		for _, wire := range wires {
			f.Add(place[typ], testkit.Unhex(f, wire))
		}
	}
	f.Fuzz(func(t *testing.T, typ byte, wire []byte) {
		l := layouts[int(typ)%len(layouts)]
		rewritten, ok := rewrite(t, l, wire)
		if err := l.Check(wire); err == nil {
			require.True(t, ok)
		}
		if ok {
			require.Equal(t, string(wire), string(rewritten))
		}
		if months, days, nanos, ok := Duration(wire); ok {
			require.Equal(t, wire, AppendDuration(nil, months, days, nanos))
		}
		if len(wire) > 0 {
			require.Equal(t, Minimal(wire), string(AppendBigInt(nil, BigInt(wire))) == string(wire))
		}
	})
}

// rewrite walks over a value and writes its elements. ok is false if the value, or one inside, is
// malformed.
func rewrite(t *testing.T, l *Layout, wire []byte) (out []byte, ok bool) {
	if len(l.elems) == 0 {
		return wire, true
	}
	w := l.Walk(wire)
	ok = true
	if l.form == counted && len(wire) >= 4 {
		out = AppendCount(out, w.Count())
	}
	for n := 1; w.Next(); n++ {
		require.LessOrEqual(t, n, max(len(wire), l.limit), "more elements than bytes")
		require.LessOrEqual(t, w.End(), len(wire))
		if w.Null() {
			out = AppendCount(out, w.Length())
			continue
		}
		elem, whole := rewrite(t, w.Type(), w.Elem())
		ok = ok && whole
		mark := len(out)
		var err error
		out, err = l.Close(append(l.Open(out), elem...), mark)
		require.True(t, err == nil || !ok, "an element that was read could not be written: %v", err)
	}
	return out, ok && w.Whole()
}

// FuzzVint checks that every number can be read back, and that every vint that can be read is in
// the form that would be written.
func FuzzVint(f *testing.F) {
	f.Add(uint64(0), []byte{0x80, 0x00})
	f.Add(uint64(1)<<63, []byte{0xff, 0x80, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint64(1)<<56-1, []byte{0xfe, 0xff})
	f.Fuzz(func(t *testing.T, u uint64, wire []byte) {
		back, n := Uvint(append(AppendUvint(nil, u), wire...))
		require.Equal(t, u, back)
		require.Len(t, AppendUvint(nil, u), n)
		v, _ := Vint(AppendVint(nil, int64(u)))
		require.Equal(t, int64(u), v)
		if v, n := Uvint(wire); n > 0 {
			require.Equal(t, wire[:n], AppendUvint(nil, v))
		}
	})
}
