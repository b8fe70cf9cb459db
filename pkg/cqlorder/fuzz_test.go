package cqlorder

import (
	"cmp"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// fuzzTypes are the types that the fuzz targets select by number. Append new types at the end, so
// that the saved inputs keep their meaning.
var fuzzTypes = []string{
	"int",
	"boolean",
	"float",
	"double",
	"timeuuid",
	"uuid",
	"varint",
	"decimal",
	"text",
	"empty",
	"'LexicalUUIDType'",
	"list<tinyint>",
	"set<decimal>",
	"map<varint, tinyint>",
	"tuple<tinyint, text>",
	"two",
	"vector<tinyint, 3>",
	"vector<float, 2>",
	"vector<empty, 3>",
	"list<frozen<set<decimal>>>",
	"map<frozen<set<tinyint>>, frozen<map<text, decimal>>>",
	"set<frozen<set<frozen<set<tinyint>>>>>",
	"list<frozen<vector<frozen<set<tinyint>>, 2>>>",
	"tuple<frozen<list<float>>>",
	"list<inet>",
	"set<inet>",
}

// addAll adds the values of the other tests as seeds.
func addAll(f *testing.F, add func(typ byte, a, b, c []byte)) {
	for i, typ := range fuzzTypes {
		values := ascending[typ]
		for j := 0; j+2 < len(values); j++ {
			add(
				byte(i),
				alternatives(f, values[j])[0],
				alternatives(f, values[j+1])[0],
				alternatives(f, values[j+2])[0],
			)
		}
		for _, c := range canonical {
			if c.typ == typ {
				add(byte(i), testkit.Unhex(f, c.in), testkit.Unhex(f, c.want), nil)
			}
		}
	}
}

// FuzzCompare checks that any three values, malformed or not, have an order, and that the order of
// their prefixes agrees with it.
func FuzzCompare(f *testing.F) {
	orders := planAll(f)
	addAll(f, func(typ byte, a, b, c []byte) { f.Add(typ, a, b, c) })
	f.Fuzz(func(t *testing.T, typ byte, a, b, c []byte) {
		o := orders[int(typ)%len(orders)]
		ab, bc, ac := o.Compare(a, b), o.Compare(b, c), o.Compare(a, c)
		require.Zero(t, o.Compare(a, a))
		require.Equal(t, ab, -o.Compare(b, a))
		require.Equal(t, bc, -o.Compare(c, b))
		require.Equal(t, ac, -o.Compare(c, a))
		prefixA, bitsA := o.Prefix(a)
		prefixB, bitsB := o.Prefix(b)
		require.Equal(t, bitsA, bitsB)
		require.Zero(t, prefixA<<bitsA, "only these bits count")
		switch {
		case ab == 0:
			require.Equal(t, prefixA, prefixB)
		case ab < 0:
			require.LessOrEqual(t, prefixA, prefixB)
		}
		if ab <= 0 && bc <= 0 {
			require.LessOrEqual(t, ac, 0)
			require.Equal(t, ab < 0 || bc < 0, ac < 0)
		}
	})
}

// FuzzDecimal compares decimals and varints with math/big.
func FuzzDecimal(f *testing.F) {
	f.Add(int16(0), []byte{1}, int16(1), []byte{10})
	f.Add(int16(-20), []byte{0x80, 0}, int16(5), []byte{0xff, 0xff, 0, 0, 0, 0, 0, 0, 0})
	f.Add(
		int16(0),
		[]byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		int16(1),
		[]byte{0x04, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf6},
	)
	varints, decimals := mustPlan(f, "varint"), mustPlan(f, "decimal")
	f.Fuzz(func(t *testing.T, scaleA int16, a []byte, scaleB int16, b []byte) {
		if len(a) == 0 || len(b) == 0 || len(a) > 100 || len(b) > 100 {
			return
		}
		numberA, numberB := cqlwire.BigInt(a), cqlwire.BigInt(b)
		require.Equal(t, numberA.Cmp(numberB), varints.Compare(a, b))
		wireA := append(cqlwire.AppendScale(nil, int32(scaleA)), a...)
		wireB := append(cqlwire.AppendScale(nil, int32(scaleB)), b...)
		// Both are multiplied by ten to the power of the greater scale.
		most := max(scaleA, scaleB)
		numberA.Mul(numberA, power(int64(most)-int64(scaleA)))
		numberB.Mul(numberB, power(int64(most)-int64(scaleB)))
		require.Equal(t, numberA.Cmp(numberB), decimals.Compare(wireA, wireB))

		// The same number at another scale is equal. The number plus one in the last place is not.
		shift := int64(uint16(scaleB) % 64)
		same := new(big.Int).Mul(cqlwire.BigInt(a), power(shift))
		equal := cqlwire.AppendBigInt(cqlwire.AppendScale(nil, int32(scaleA)+int32(shift)), same)
		more := cqlwire.AppendBigInt(
			cqlwire.AppendScale(nil, int32(scaleA)+int32(shift)), same.Add(same, big.NewInt(1)),
		)
		require.Zero(t, decimals.Compare(wireA, equal))
		require.Equal(t, -1, decimals.Compare(wireA, more))
		require.Equal(t, 1, decimals.Compare(more, wireA))
	})
}

func power(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// FuzzCanonical checks that AppendCanonical refuses a value or sorts it. The elements must come
// from the value, and a second call must not change it.
func FuzzCanonical(f *testing.F) {
	orders := planAll(f)
	addAll(f, func(typ byte, a, _, _ []byte) { f.Add(typ, a) })
	f.Fuzz(func(t *testing.T, typ byte, wire []byte) {
		o := orders[int(typ)%len(orders)]
		got, err := o.AppendCanonical(nil, wire)
		if err != nil {
			require.False(t, o.Canonical())
			return
		}
		require.LessOrEqual(t, len(got), len(wire))
		twice, err := o.AppendCanonical(nil, got)
		require.NoError(t, err)
		require.Equal(t, string(got), string(twice))
		requireSorted(t, o, got, true)
	})
}

// requireSorted checks that a value is in canonical form.
func requireSorted(t *testing.T, o *Order, wire []byte, outermost bool) {
	if len(wire) == 0 || o.plain || outermost && o.form == vector {
		return
	}
	per := len(o.elems)
	var before []byte
	w := o.layout.Walk(wire)
	for w.Next() {
		requireSorted(t, o.elems[w.Index()%per], w.Elem(), false)
		if (o.form == set || o.form == entries) && w.Index()%per == 0 {
			if w.Index() > 0 {
				most := 0
				if outermost {
					most = -1
				}
				require.LessOrEqual(t, cmp.Compare(o.elems[0].Compare(before, w.Elem()), 0), most)
				require.NotEqual(t, string(before), string(w.Elem()))
			}
			before = w.Elem()
		}
	}
	require.NoError(t, w.Err())
}

func planAll(f *testing.F) (orders []*Order) {
	for _, typ := range fuzzTypes {
		orders = append(orders, mustPlan(f, typ))
	}
	return orders
}
