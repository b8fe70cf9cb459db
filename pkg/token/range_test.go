package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRangeContains(t *testing.T) {
	r := Range{at(-5), at(5)}
	for v, want := range map[int64]bool{
		-6: false, -5: false, -4: true, 0: true, 5: true, 6: false,
	} {
		require.Equal(t, want, r.Contains(at(v)), v)
	}
	for _, p := range []Partitioner{Murmur3, Random} {
		require.False(t, Whole(p).Contains(p.Min()))
		require.True(t, Whole(p).Contains(p.Max()))
	}
}

func TestHalve(t *testing.T) {
	for _, c := range []struct {
		name                string
		start, middle, last int64
	}{
		{"two tokens", 7, 8, 9},
		{"odd", 7, 8, 10},
		{"across zero", -4, 0, 4},
		{"whole", -1 << 63, -1, 1<<63 - 1},
	} {
		a, b, ok := Halve(Range{at(c.start), at(c.last)})
		require.True(t, ok, c.name)
		require.Equal(t, Range{at(c.start), at(c.middle)}, a, c.name)
		require.Equal(t, Range{at(c.middle), at(c.last)}, b, c.name)
	}
	for name, r := range map[string]Range{
		"one token": {at(7), at(8)}, "empty": {at(7), at(7)}, "backwards": {at(8), at(-8)},
	} {
		a, _, ok := Halve(r)
		require.False(t, ok, name)
		require.Equal(t, r, a, name)
	}
	a, b, ok := Halve(Whole(Random))
	require.True(t, ok)
	require.NoError(t, Cover(Random, Whole(Random), []Range{b, a}))
	require.Equal(t, "85070591730234615865843651857942052863", string(Random.Append(nil, a.End)))
}

func TestFraction(t *testing.T) {
	for _, p := range []Partitioner{Murmur3, Random} {
		require.Equal(t, 1.0, Fraction(Whole(p), p))
		a, b, _ := Halve(Whole(p))
		require.InDelta(t, 0.5, Fraction(a, p), 1e-15)
		require.InDelta(t, 0.5, Fraction(b, p), 1e-15)
		first := Range{p.Min(), p.Min().add(one)}
		require.Positive(t, Fraction(first, p))
	}
}

func TestCover(t *testing.T) {
	within := Range{at(0), at(100)}
	for _, c := range []struct {
		name   string
		ranges []Range
		want   string
	}{
		{"one", []Range{within}, ""},
		{"any order", []Range{{at(40), at(100)}, {at(0), at(1)}, {at(1), at(40)}}, ""},
		{"none", nil, "gap: (0, 100]"},
		{"gap at the start", []Range{{at(1), at(100)}}, "gap: (0, 1]"},
		{"gap at the end", []Range{{at(0), at(99)}}, "gap: (99, 100]"},
		{"first gap", []Range{{at(80), at(90)}, {at(0), at(10)}, {at(20), at(70)}}, "gap: (10, 20]"},
		{"overlap", []Range{{at(0), at(50)}, {at(49), at(100)}}, "overlap: (49, 50]"},
		{"twice", []Range{within, within}, "overlap: (0, 100]"},
		{"inside another", []Range{within, {at(3), at(4)}}, "overlap: (3, 4]"},
		{"overlap before gap", []Range{{at(0), at(50)}, {at(40), at(60)}, {at(70), at(100)}}, "overlap: (40, 50]"},
		{"empty range", []Range{{at(0), at(50)}, {at(50), at(50)}, {at(50), at(100)}}, "not a range: (50, 50]"},
		{"wrapping range", []Range{{at(0), at(50)}, {at(90), at(10)}}, "not a range: (90, 10]"},
		{"before", []Range{{at(-7), at(100)}}, "out of bounds: (-7, 0]"},
		{"all before", []Range{{at(-7), at(-3)}, within}, "out of bounds: (-7, -3]"},
		{"beyond", []Range{{at(0), at(101)}}, "out of bounds: (100, 101]"},
		{"all beyond", []Range{within, {at(200), at(300)}}, "out of bounds: (200, 300]"},
		{"gap then beyond", []Range{{at(0), at(90)}, {at(200), at(300)}}, "gap: (90, 100]"},
	} {
		given := append([]Range(nil), c.ranges...)
		err := Cover(Murmur3, within, c.ranges)
		require.Equal(t, given, c.ranges, c.name)
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.EqualError(t, err, "token ranges: "+c.want, c.name)
	}
	require.ErrorContains(
		t,
		Cover(Random, Range{Random.Max(), Random.Min()}, nil),
		"not a range: (170141183460469231731687303715884105728, -1]",
	)
}

func TestIntersections(t *testing.T) {
	r := Range{at(0), at(10)}
	for _, c := range []struct {
		other Range
		both  Range
		ok    bool
	}{
		{Range{at(-5), at(5)}, Range{at(0), at(5)}, true},
		{Range{at(2), at(3)}, Range{at(2), at(3)}, true},
		{Range{at(-5), at(50)}, r, true},
		{Range{at(-5), at(0)}, Range{}, false}, // a range excludes its start
		{Range{at(10), at(20)}, Range{}, false},
	} {
		both, ok := Intersect(r, c.other)
		require.Equal(t, c.ok, ok, c.other)
		if ok {
			require.Equal(t, c.both, both, c.other)
		}
	}
	require.Equal(
		t,
		[]Range{{at(1), at(2)}, {at(8), at(10)}},
		Intersections(r, []Range{{at(1), at(2)}, {at(8), at(20)}, {at(30), at(40)}}),
	)
}
