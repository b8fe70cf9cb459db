package cqlorder

import (
	"bytes"
	"encoding/hex"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

const (
	one      = "0000000001" // decimals: 1, 1.0, 1.00, 2
	oneZero  = "000000010a"
	oneZeros = "0000000264"
	two      = "0000000002"

	mapped4 = "00000000000000000000ffff7f000001" // ::ffff:127.0.0.1
)

// canonical has values and the form in which the server stores them.
var canonical = []struct{ typ, in, want string }{
	{"int", "00000001", "00000001"},
	{"set<tinyint>", "", ""},
	{"set<tinyint>", elems(), elems()},
	{"set<tinyint>", "ffffffff", elems()},
	{"set<tinyint>", elems("80", "ff", "00"), elems("80", "ff", "00")},
	{"set<tinyint>", elems("00", "80", "ff", "80", "00"), elems("80", "ff", "00")},
	{"set<text>", elems("", "61", ""), elems("", "61")},
	{"set<int>", elems("00000001", "", "80000000"), elems("", "80000000", "00000001")},
	{
		"map<tinyint, text>",
		pairs("01", "61", "ff", "62", "01", "63"),
		pairs("ff", "62", "01", "63"),
	},
	{"map<text, text>", pairs("61", "", "", "61", "", ""), pairs("", "", "61", "")},
	// Of equal elements the first remains.
	{"set<decimal>", elems(two, oneZero, one, oneZero), elems(oneZero, two)},
	// Of equal keys the first remains, with the value of the key whose first occurrence is last.
	{"map<decimal, text>", pairs(one, "61", oneZero, "62"), pairs(one, "62")},
	{"map<decimal, text>", pairs(one, "61", oneZero, "62", one, "63"), pairs(one, "62")},
	{
		"map<decimal, text>",
		pairs(one, "61", oneZero, "62", oneZeros, "63", oneZero, "64"),
		pairs(one, "63"),
	},
	{"map<decimal, text>", pairs(oneZero, "61", one, "62", one, "63"), pairs(oneZero, "63")},
	// Inside a collection, equal elements with different bytes remain, in the order of the value.
	{
		"list<frozen<set<decimal>>>",
		elems(elems(two, oneZeros, one, oneZeros, oneZero)),
		elems(elems(oneZeros, one, oneZero, two)),
	},
	{
		"list<frozen<map<decimal, tinyint>>>",
		elems(pairs(two, "00", oneZero, "01", one, "02", oneZero, "03")),
		elems(pairs(oneZero, "03", one, "02", two, "00")),
	},
	{
		"set<frozen<set<tinyint>>>",
		elems(elems("02", "01"), elems("01", "02", "01"), elems("01")),
		elems(elems("01"), elems("01", "02")),
	},
	{
		"map<frozen<set<tinyint>>, frozen<map<tinyint, frozen<list<frozen<set<tinyint>>>>>>>",
		pairs(
			elems("02", "01"),
			pairs("02", elems(elems("02", "01"), elems("02", "02")), "01", elems()),
			elems("01"),
			pairs(),
		),
		pairs(
			elems("01"),
			pairs(),
			elems("01", "02"),
			pairs("01", elems(), "02", elems(elems("01", "02"), elems("02"))),
		),
	},
	{
		"set<frozen<list<frozen<set<tinyint>>>>>",
		elems(elems(elems("02", "01"))),
		elems(elems(elems("01", "02"))),
	},
	{"list<frozen<set<tinyint>>>", "ffffffff", elems()},
	{"list<frozen<set<tinyint>>>", elems("", elems("01", "01")), elems("", elems("01"))},
	{"set<frozen<set<tinyint>>>", elems(""), elems("")},
	{
		"list<frozen<vector<frozen<set<tinyint>>, 1>>>",
		elems("0e" + elems("02", "01")),
		elems("0e" + elems("01", "02")),
	},
	{
		"list<frozen<vector<frozen<set<tinyint>>, 1>>>",
		elems("13" + elems("02", "01", "01")),
		elems("0e" + elems("01", "02")),
	},
	{
		"list<inet>",
		elems(mapped4, "01010101", mapped4+"00"),
		elems("7f000001", "01010101", mapped4+"00"),
	},
	{"list<int>", "00000003 00000000 fffffffe 00000000", "00000003 ffffffff ffffffff ffffffff"},
	{
		"list<text>",
		"00000003 00000000 fffffffe 00000001 61",
		"00000003 00000000 ffffffff 00000001 61",
	},
	{
		"list<frozen<list<int>>>",
		elems(elems(""), elems("00000001")),
		elems(elems(""), elems("00000001")),
	},
	{
		"list<frozen<set<int>>>",
		"00000002 ffffffff 00000014" + elems("00000002", "00000001"),
		"00000002 ffffffff 00000014" + elems("00000001", "00000002"),
	},
	{"two", "fffffffe fffffffd", "ffffffff ffffffff"},
	{"list<two>", elems("fffffffe"), elems("fffffffe")},
	{"set<inet>", elems("7f000001", mapped4, "01010101"), elems("01010101", "7f000001")},
	{
		"map<int, frozen<list<vector<inet, 1>>>>",
		pairs("", elems("10"+mapped4)),
		pairs("", elems("047f000001")),
	},
	// The server stores these values unchanged.
	{"inet", mapped4, mapped4},
	{"tuple<inet>", "00000010" + mapped4, "00000010" + mapped4},
	{"tuple<frozen<set<tinyint>>>", "0000000e" + elems("02", "01"), "0000000e" + elems("02", "01")},
	{"two", "ffffffff 0000000e" + elems("62", "61"), "ffffffff 0000000e" + elems("62", "61")},
	{"vector<frozen<set<tinyint>>, 1>", "0e" + elems("02", "01"), "0e" + elems("02", "01")},
	{
		"set<frozen<tuple<frozen<set<tinyint>>>>>",
		elems("0000000e"+elems("02", "01"), "0000000e"+elems("01", "02")),
		elems("0000000e"+elems("01", "02"), "0000000e"+elems("02", "01")),
	},
}

func TestAppendCanonicalIsWhatTheServerStores(t *testing.T) {
	for _, c := range canonical {
		o := mustPlan(t, c.typ)
		wire, want := testkit.Unhex(t, c.in), testkit.Unhex(t, c.want)
		for range 2 {
			before := bytes.Clone(wire)
			got, err := o.AppendCanonical([]byte("x"), wire)
			require.NoError(t, err)
			require.Equal(
				t, "78"+hex.EncodeToString(want), hex.EncodeToString(got), "%s %s", c.typ, c.in,
			)
			require.Equal(t, before, wire)
			wire = want
		}
		if o.Canonical() {
			require.Equal(t, c.in, c.want)
		}
	}
}

func TestCanonicalSaysWhichTypesNeverChange(t *testing.T) {
	for typ, want := range map[string]bool{
		"int": true, "list<text>": false, "two": false, "tuple<frozen<set<int>>>": true, "vector<frozen<set<int>>, 2>": true,
		"list<two>": false, "inet": true, "list<inet>": false, "vector<inet, 2>": true, "set<int>": false, "map<int, int>": false, "list<frozen<set<int>>>": false,
		"list<frozen<vector<frozen<set<int>>, 2>>>": false, "'org.example.Odd'": true,
	} {
		require.Equal(t, want, mustPlan(t, typ).Canonical(), typ)
	}
}

func TestAppendCanonicalRefusesWhatIsNotWhole(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{"set<int>", "000000", "malformed set<int> value: 3 bytes, too few for the number of elements"},
		{"set<int>", "00000002 00000001 61", "malformed set<int> value: element 1 is cut off"},
		{"set<int>", "00000001 ffffffff", "malformed set<int> value: element 0 has the length -1"},
		{"set<int>", "00000000 61", "malformed set<int> value: 1 bytes left over after the last element"},
		{"set<int>", "ffffffff 61", "malformed set<int> value: 1 bytes left over after the last element"},
		{"map<int, int>", "00000001 00000000", "malformed map<int, int> value: element 1 is cut off"},
		{"list<frozen<set<int>>>", elems("00"), "malformed frozen<set<int>> value: 1 bytes, too few for the number of elements"},
		{"set<frozen<set<int>>>", elems("00"), "malformed frozen<set<int>> value: 1 bytes, too few for the number of elements"},
		{"set<frozen<set<int>>>", elems() + "00", "malformed set<frozen<set<int>>> value: 1 bytes left over after the last element"},
		{"list<frozen<set<int>>>", elems() + "00", "malformed list<frozen<set<int>>> value: 1 bytes left over after the last element"},
	} {
		_, err := mustPlan(t, c.typ).AppendCanonical(nil, testkit.Unhex(t, c.in))
		require.EqualError(t, err, c.want, c.in)
	}
}

// large returns a set of n ints in descending order, each twice, and its canonical form.
func large(n int) (wire, want []byte) {
	number := func(i int) []byte {
		return []byte{0, 0, 0, 4, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}
	}
	wire, want = number(0)[:0], number(0)[:0]
	wire, want = append(wire, number(2 * n)[4:]...), append(want, number(n)[4:]...)
	for i := range n {
		wire = append(append(wire, number(n-i)...), number(n-i)...)
		want = append(want, number(i+1)...)
	}
	return wire, want
}

func TestAppendCanonicalOfALargeSet(t *testing.T) {
	wire, want := large(maxKept)
	got, err := mustPlan(t, "set<int>").AppendCanonical(nil, wire)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

func TestAnOrderIsSafeForConcurrentUse(t *testing.T) {
	o := mustPlan(t, "map<frozen<set<int>>, frozen<set<int>>>")
	wire, want := large(50)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var dst []byte
			for range 200 {
				in := testkit.Unhex(t, pairs(elems("00000002", "00000001"), ""))
				in = slices.Concat(
					in[:len(in)-4], []byte{0, 0, byte(len(wire) >> 8), byte(len(wire))}, wire,
				)
				var err error
				if dst, err = o.AppendCanonical(dst[:0], in); err != nil ||
					!bytes.HasSuffix(dst, want) {
					t.Errorf("%v: %x", err, dst)
				}
			}
		})
	}
	group.Wait()
}
