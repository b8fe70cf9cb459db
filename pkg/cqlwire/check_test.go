package cqlwire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// TestCheckAs checks values that a server accepts in some uses only. Each was bound to a column of
// Cassandra 5.0.6, 4.1.10 and 4.0.19.
func TestCheckAs(t *testing.T) {
	const (
		none = 0
		b    = 1 << Bound
		k    = 1 << BoundKey
		c    = 1 << BoundClustering
		o    = 1 << Compared
		s    = 1 << Stored
		all  = b | k | c | o | s
	)
	for _, test := range []struct {
		typ, wire string
		taken     int
	}{
		{"text", "c080", all},
		{"text", "c081", none},
		{"decimal", "", all},
		{"decimal", "000000", none},
		{"decimal", "00000000", b | k | s},
		{"decimal", "0000000001", all},
		{"smallint", "", none},
		{"timeuuid", "550e8400e29b41d4a716446655440000", none},
		{"duration", "00000001", all},
		{"duration", "8000000000", all},
		{"duration", "020100", none},
		{"frozen<list<int>>", "ffffffff", o | s},
		{"frozen<list<int>>", "00000001 ffffffff", b | s},
		{"list<int>", "00000001 ffffffff", s},
		{"frozen<list<int>>", "00000001 00000000", b | o | s},
		{"list<int>", "00000001 00000000", o | s},
		{"frozen<list<text>>", "00000001 00000000", all},
		{"frozen<list<text>>", "00000001 00000002 c080", o | s},
		{"frozen<list<decimal>>", "00000001 00000004 00000000", s},
		{"frozen<list<frozen<list<int>>>>", "00000001 00000008 00000001 ffffffff", none},
		{"frozen<list<frozen<list<int>>>>", "00000001 00000008 00000001 00000000", all},
		{"frozen<set<int>>", "", none},
		{"frozen<set<int>>", "00000001 00000000", all},
		{"frozen<set<int>>", "00000001 ffffffff", none},
		{"frozen<set<frozen<tuple<decimal>>>>", "00000001 00000008 00000004 00000000", s},
		{"frozen<map<frozen<tuple<decimal>>, int>>", "00000001 00000008 00000004 00000000 00000000", s},
		{"frozen<map<int, frozen<tuple<decimal>>>>", "00000001 00000000 00000008 00000004 00000000", b | k | s},
		{"frozen<tuple<decimal>>", "", all},
		{"frozen<tuple<decimal>>", "00000004 00000000", b | k | s},
		{"frozen<tuple<frozen<list<int>>>>", "00000004 ffffffff", all},
		{"frozen<tuple<frozen<list<int>>>>", "00000008 00000001 ffffffff", none},
		{"frozen<tuple<frozen<list<text>>>>", "0000000a 00000001 00000002 c080", all},
		{"vector<int, 1>", "", none},
		{"vector<varint, 1>", "00", all},
		{"frozen<list<vector<varint, 1>>>", "00000001 00000001 00", o | s},
		{"vector<frozen<list<int>>, 1>", "04 ffffffff", all},
		{"frozen<list<vector<frozen<list<int>>, 1>>>", "00000001 00000005 04 ffffffff", o | s},
	} {
		l := mustPlan(t, test.typ)
		for use := range uses {
			err := l.CheckAs(use, testkit.Unhex(t, test.wire))
			require.Equal(
				t,
				test.taken>>use&1 != 0,
				err == nil,
				"%s %s, use %d: %v",
				test.typ,
				test.wire,
				use,
				err,
			)
		}
	}
}

func TestCheckable(t *testing.T) {
	require.True(t, mustPlan(t, "map<int, frozen<tuple<text, two>>>").Checkable())
	require.False(t, mustPlan(t, "'org.example.Odd'").Checkable())
	require.False(t, mustPlan(t, "map<int, 'org.example.Odd'>").Checkable())
}

// FuzzCheck checks that CheckAs returns for any bytes. A value that it accepts must divide into its
// elements at every depth, apart from the nulls of a list. A value that may be bound to a key must
// be storable, and one for a clustering must be accepted for a key.
func FuzzCheck(f *testing.F) {
	layouts := make([]*Layout, len(fuzzTypes))
	for i, typ := range fuzzTypes {
		layouts[i] = mustPlan(f, typ)
	}
	for i, wire := range []string{
		"00000001 ffffffff", "00000001 00000002 c080", "00000001 00000001 61 00000004 ffffffff", "00000004 00000001", "ffffffff", "", "0100",
		"06 02 0001 02 0002", "", "00000001 00000008 00000004 00000000", "00000001 00000004 ffffffff 00", "00000000", "020100", "80", "00",
	} {
		f.Add(byte(i), testkit.Unhex(f, wire))
	}
	f.Fuzz(func(t *testing.T, typ byte, wire []byte) {
		l := layouts[int(typ)%len(layouts)]
		var taken [uses]bool
		for use := range uses {
			taken[use] = l.CheckAs(use, wire) == nil
		}
		if taken[BoundKey] || taken[Compared] {
			_, ok := rewrite(t, l, wire)
			require.True(t, ok)
			require.True(t, taken[Stored])
		}
		require.True(t, taken[BoundKey] || !taken[BoundClustering])
		if l.form == scalar {
			require.Equal(t, taken[Bound], l.CheckScalar(wire) == nil)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct{ typ, wire string }{
		{"int", "00000001"},
		{"text", "6162636465666768696a6b6c6d6e6f707172737475767778"},
		{"timeuuid", "8f3b1c2e5a4d11ee9a7b1c2d3e4f5a6b"},
		{"list<int>", "00000003 00000004 00000001 00000004 00000002 00000004 00000003"},
		{"map<text, frozen<tuple<int, text>>>", "00000001 00000001 61 0000000d 00000004 00000001 00000001 61"},
		{"vector<float, 4>", "3f800000 3f800000 3f800000 3f800000"},
	} {
		l, wire := mustPlan(b, c.typ), testkit.Unhex(b, c.wire)
		b.Run(c.typ, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Check(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
