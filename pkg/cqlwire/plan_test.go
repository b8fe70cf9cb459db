package cqlwire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestPlanErrors(t *testing.T) {
	integer := &cqltype.Type{Kind: cqltype.Int}
	loop := &cqltype.Type{Kind: cqltype.List}
	loop.Elems = []*cqltype.Type{loop}
	vector := func(dimension int) *cqltype.Type {
		return &cqltype.Type{
			Kind:      cqltype.Vector,
			Elems:     []*cqltype.Type{integer},
			Dimension: dimension,
		}
	}
	for _, c := range []struct {
		typ  *cqltype.Type
		want string
	}{
		{nil, "a type is missing"},
		{&cqltype.Type{}, "unknown kind 0"},
		{&cqltype.Type{Kind: 200}, "unknown kind 200"},
		{&cqltype.Type{Kind: cqltype.List}, "list has 0 element types, not 1"},
		{&cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{integer}}, "map has 1 element types, not 2"},
		{&cqltype.Type{Kind: cqltype.Set, Elems: []*cqltype.Type{nil}}, "a type is missing"},
		{&cqltype.Type{Kind: cqltype.UDT, Name: "u", Elems: []*cqltype.Type{integer}}, "udt has 1 element types, not 0"},
		{vector(0), "vector dimension 0 is not positive"},
		{vector(math.MaxInt32), "a vector of 2147483647 elements of 4 bytes is longer than a value may be"},
		{loop, "more than 128 levels of nesting"},
	} {
		_, err := Plan(c.typ)
		require.EqualError(t, err, c.want)
	}
}

// TestFixedLen checks the lengths of AbstractType.valueLengthIfFixed in Apache Cassandra 5.0.
func TestFixedLen(t *testing.T) {
	fixed := map[string]int{
		"bigint":                        8,
		"boolean":                       1,
		"double":                        8,
		"empty":                         0,
		"float":                         4,
		"int":                           4,
		"timestamp":                     8,
		"timeuuid":                      16,
		"uuid":                          16,
		"vector<float, 3>":              12,
		"vector<vector<boolean, 2>, 3>": 6,
		"vector<empty, 3>":              0,
	}
	for kind := cqltype.Ascii; kind <= cqltype.Varint; kind++ {
		if _, ok := fixed[kind.String()]; !ok {
			fixed[kind.String()] = -1
		}
	}
	for _, typ := range []string{"list<int>", "map<int, int>", "tuple<int>", "two", "vector<smallint, 2>", "'org.example.Odd'"} {
		fixed[typ] = -1
	}
	for typ, want := range fixed {
		require.Equal(t, want, mustPlan(t, typ).FixedLen(), typ)
	}
}

// TestSizes checks each length up to 20 bytes.
func TestSizes(t *testing.T) {
	for typ, allowed := range map[string][]int{
		"bigint": {0, 8}, "boolean": {0, 1}, "counter": {8}, "date": {4}, "double": {0, 8}, "empty": {0}, "float": {0, 4},
		"inet": {0, 4, 16}, "int": {0, 4}, "smallint": {2}, "time": {8}, "timestamp": {0, 8}, "timeuuid": {0, 16},
		"tinyint": {1}, "uuid": {0, 16},
	} {
		l, in := mustPlan(t, typ), make(map[int]bool)
		for _, n := range allowed {
			in[n] = true
		}
		for n := range 20 {
			require.Equal(t, in[n], l.AllowsSize(n), "%d bytes of %s", n, typ)
			wire := make([]byte, n)
			if typ == "timeuuid" && n == 16 {
				wire[6] = 0x10
			}
			require.Equal(t, in[n], l.CheckScalar(wire) == nil)
			require.Equal(t, in[n], l.Check(wire) == nil)
		}
	}
	for _, typ := range []string{"ascii", "blob", "decimal", "text", "varint", "'org.example.Odd'"} {
		require.NoError(t, mustPlan(t, typ).Check(nil))
		require.NoError(t, mustPlan(t, typ).Check(make([]byte, 1000)))
	}
	require.EqualError(
		t,
		mustPlan(t, "inet").CheckScalar(make([]byte, 5)),
		"5 bytes, where 0, 4 or 16 bytes are due",
	)
	require.EqualError(
		t,
		mustPlan(t, "duration").CheckScalar(make([]byte, 2)),
		"2 bytes, where at least 3 bytes are due",
	)
	require.NoError(t, mustPlan(t, "duration").CheckScalar(make([]byte, 40)))
}
