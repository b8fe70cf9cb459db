package cqlorder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// benchmarked are pairs of values that differ only at or near their end.
var benchmarked = []struct{ typ, a, b string }{
	{"text", "61626364656667686970", "61626364656667686971"},
	{"int", "00000001", "00000002"},
	{"timestamp", "0000015198a30800", "0000015198a30801"},
	{"double", "3ff0000000000000", "3ff0000000000001"},
	{"timeuuid", "00000000 0000 1000 8080808080808080", "00000000 0000 1000 8080808080808081"},
	{"uuid", "00000000 0000 4000 8000000000000000", "00000000 0000 4000 8000000000000001"},
	{"varint", "010000000000000000000000", "010000000000000000000001"},
	{"decimal", "00000002 64", "00000001 0b"},
	{"decimal", "00000000 056bc75e2d631000000000", "00000001 0a"},
	{"tuple<int, text>", "00000004 00000001 00000001 61", "00000004 00000001 00000001 62"},
	{
		"list<int>",
		elems("00000001", "00000002", "00000003"),
		elems("00000001", "00000002", "00000004"),
	},
	{
		"map<text, int>",
		pairs("61", "00000002", "62", "00000004"),
		pairs("61", "00000002", "62", "00000005"),
	},
	{"vector<float, 2>", "3f800000 3f800000", "3f800000 3f800001"},
}

func BenchmarkCompare(b *testing.B) {
	for _, c := range benchmarked {
		o, x, y := mustPlan(b, c.typ), testkit.Unhex(b, c.a), testkit.Unhex(b, c.b)
		b.Run(c.typ, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.Compare(x, y)
			}
		})
	}
}

// BenchmarkCompareExactly compares decimals that only an exact calculation distinguishes.
func BenchmarkCompareExactly(b *testing.B) {
	o := mustPlan(b, "decimal")
	x, y := testkit.Unhex(b, "00000014 056bc75e2d63100001"), testkit.Unhex(b, "00000013 008ac7230489e80000")
	b.ReportAllocs()
	for b.Loop() {
		o.Compare(x, y)
	}
}

// uncanonical are values that are not stored unchanged.
var uncanonical = []struct{ typ, in string }{
	{"set<text>", elems("63", "61", "62", "61")},
	{"map<int, text>", pairs("00000002", "61", "00000001", "62", "00000002", "63")},
	{
		"map<frozen<set<int>>, frozen<set<text>>>",
		pairs(elems("00000002", "00000001"), elems("62", "61"), elems("00000001"), elems()),
	},
	{"list<frozen<set<decimal>>>", elems(elems(two, oneZeros, one, oneZero))},
}

func BenchmarkAppendCanonical(b *testing.B) {
	run := func(name string, o *Order, wire []byte) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(wire)))
			var dst []byte
			for b.Loop() {
				dst, _ = o.AppendCanonical(dst[:0], wire)
			}
		})
	}
	for _, c := range uncanonical {
		o, wire := mustPlan(b, c.typ), testkit.Unhex(b, c.in)
		run(c.typ, o, wire)
		sorted, err := o.AppendCanonical(nil, wire)
		require.NoError(b, err)
		run(c.typ+" in order", o, sorted)
	}
	wire, sorted := large(1000)
	run("set<int> of 1000, each twice", mustPlan(b, "set<int>"), wire)
	run("set<int> of 1000, in order", mustPlan(b, "set<int>"), sorted)
}

func TestNothingIsAllocatedForAValue(t *testing.T) {
	for _, c := range benchmarked {
		o, x, y := mustPlan(t, c.typ), testkit.Unhex(t, c.a), testkit.Unhex(t, c.b)
		require.Zero(
			t, testing.AllocsPerRun(100, func() { o.Compare(x, y) }), "%s %s %s", c.typ, c.a, c.b,
		)
	}
	for _, c := range uncanonical {
		o, wire := mustPlan(t, c.typ), testkit.Unhex(t, c.in)
		var dst []byte
		var s scratch // not from the pool: the race detector makes a pool drop some
		require.Zero(
			t,
			testing.AllocsPerRun(
				100, func() { dst, _ = o.appendCanonical(dst[:0], wire, &s, 0, true) },
			),
			c.typ,
		)
	}
}
