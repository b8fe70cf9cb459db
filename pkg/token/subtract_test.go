package token

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func span(a, b int64) Range { return Range{at(a), at(b)} }

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name         string
		ranges, want []Range
	}{
		{"none", nil, []Range{}},
		{"one", []Range{span(1, 5)}, []Range{span(1, 5)}},
		{"touching", []Range{span(5, 9), span(1, 5)}, []Range{span(1, 9)}},
		{"one token apart", []Range{span(6, 9), span(1, 5)}, []Range{span(1, 5), span(6, 9)}},
		{"overlapping", []Range{span(1, 6), span(4, 9)}, []Range{span(1, 9)}},
		{"inside", []Range{span(1, 9), span(2, 3), span(8, 9)}, []Range{span(1, 9)}},
		{"twice", []Range{span(1, 9), span(1, 9)}, []Range{span(1, 9)}},
		{"no ranges", []Range{span(3, 3), span(9, 1), span(4, 5)}, []Range{span(4, 5)}},
		{"two ends of the ring", []Range{{Murmur3.Min(), at(0)}, {at(0), Murmur3.Max()}}, []Range{Whole(Murmur3)}},
	} {
		given := slices.Clone(c.ranges)
		require.Equal(t, c.want, append([]Range{}, Merge(c.ranges)...), c.name)
		require.Equal(t, given, c.ranges, c.name)
	}
}

func TestSubtract(t *testing.T) {
	for _, c := range []struct {
		name               string
		ranges, done, want []Range
	}{
		{"nothing", nil, []Range{span(1, 2)}, nil},
		{"nothing done", []Range{span(5, 9), span(1, 5)}, nil, []Range{span(5, 9), span(1, 5)}},
		{"all done", []Range{span(5, 9), span(1, 5)}, []Range{span(1, 9)}, nil},
		{"done in touching pieces", []Range{span(1, 9)}, []Range{span(5, 9), span(1, 5)}, nil},
		{"beginning", []Range{span(1, 9)}, []Range{span(-4, 5)}, []Range{span(5, 9)}},
		{"end", []Range{span(1, 9)}, []Range{span(5, 20)}, []Range{span(1, 5)}},
		{"middle", []Range{span(1, 9)}, []Range{span(4, 5)}, []Range{span(1, 4), span(5, 9)}},
		{"first and last token", []Range{span(0, 9)}, []Range{span(8, 9), span(0, 1)}, []Range{span(1, 8)}},
		{"all but one token", []Range{span(0, 9)}, []Range{span(0, 4), span(5, 9)}, []Range{span(4, 5)}},
		{"only touching", []Range{span(1, 9)}, []Range{span(0, 1), span(9, 12)}, []Range{span(1, 9)}},
		{"overlapping done", []Range{span(0, 9)}, []Range{span(2, 5), span(1, 3), span(2, 4)}, []Range{span(0, 1), span(5, 9)}},
		{"one piece over two ranges", []Range{span(5, 9), span(1, 5)}, []Range{span(4, 6)}, []Range{span(6, 9), span(1, 4)}},
		{"borders stay", []Range{span(1, 5), span(5, 9)}, []Range{span(1, 2)}, []Range{span(2, 5), span(5, 9)}},
		{"no ranges", []Range{span(3, 3), span(9, 1), span(1, 2)}, []Range{span(2, 1), span(2, 2)}, []Range{span(1, 2)}},
		{"whole ring", []Range{Whole(Murmur3)}, []Range{span(-1<<63, 0)}, []Range{span(0, 1<<63-1)}},
	} {
		ranges, done := slices.Clone(c.ranges), slices.Clone(c.done)
		require.Equal(t, c.want, Subtract(c.ranges, c.done), c.name)
		require.Equal(t, ranges, c.ranges, c.name)
		require.Equal(t, done, c.done, c.name)
	}
}

// requireSubtracted checks every border and its neighbours; between them nothing can change. It
// also checks the order and the borders of the parts.
func requireSubtracted(t *testing.T, ranges, done []Range) {
	t.Helper()
	left, merged := Subtract(ranges, done), Merge(done)
	holds := func(ranges []Range, v Token) int {
		n := 0
		for _, r := range ranges {
			if r.Contains(v) {
				n++
			}
		}
		return n
	}
	for _, r := range slices.Concat(ranges, done) {
		for _, border := range []Token{r.Start, r.End} {
			for _, v := range []Token{border.sub(one), border, border.add(one)} {
				want := holds(ranges, v)
				if holds(done, v) > 0 {
					want = 0
				}
				require.Equal(t, want, holds(left, v))
				require.Equal(t, min(1, holds(done, v)), holds(merged, v))
			}
		}
	}
	for i := 1; i < len(merged); i++ {
		require.True(t, merged[i-1].End.Less(merged[i].Start))
	}
	of := 0
	for i, piece := range left {
		require.True(t, piece.Start.Less(piece.End))
		inside := func() bool {
			return !piece.Start.Less(ranges[of].Start) && !ranges[of].End.Less(piece.End)
		}
		later := i > 0 && piece.Start.Less(left[i-1].End) // the next part of one range comes later
		for !inside() || later {
			later = false
			of++
			require.Less(t, of, len(ranges), "pieces come in the order of the ranges")
		}
	}
}

func TestSubtractRandomly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() []Range {
		var ranges []Range
		for range random.IntN(7) {
			ranges = append(
				ranges, Range{Token{Lo: 1 + random.Uint64N(30)}, Token{Lo: 1 + random.Uint64N(30)}},
			)
		}
		return ranges
	}
	for range 3000 {
		requireSubtracted(t, some(), some())
	}
}

// What remains and what is done cover the ring.
func TestSubtractFromAPlan(t *testing.T) {
	for _, p := range []Partitioner{Murmur3, Random} {
		r, err := NewRing(p, []Node{{ID: "a", Tokens: []Token{{Lo: 77}, {Lo: 1 << 40}, p.Max()}}})
		require.NoError(t, err)
		splits := rangesOf(r.Place(Strategy{kind: kindSimple, factor: 1}).Plan(500, 7))
		var done, rest []Range
		for i, s := range splits {
			a, b, ok := Halve(s)
			switch {
			case i%3 == 0:
				done = append(done, s)
			case i%3 == 1 && ok:
				done, rest = append(done, a), append(rest, b)
			default:
				rest = append(rest, s)
			}
		}
		require.Equal(t, rest, Subtract(splits, done), "in the order of the plan")
		require.NoError(t, Cover(p, Whole(p), append(done, rest...)))
		require.Equal(t, []Range{Whole(p)}, Merge(append(done, rest...)))
	}
}

func TestRangeText(t *testing.T) {
	for _, p := range []Partitioner{Murmur3, Random} {
		middle := Range{p.Min().add(one), p.Max().sub(one)}
		for _, r := range []Range{Whole(p), middle, {p.Max().sub(one), p.Max()}} {
			reparsed, err := ParseRange(p, string(AppendRange(nil, p, r)))
			require.NoError(t, err)
			require.Equal(t, r, reparsed)
		}
	}
	require.Equal(t, "x(-5, 7]", string(AppendRange([]byte("x"), Murmur3, span(-5, 7))))
	for s, want := range map[string]string{
		"":           "not of the form (start, end]",
		"(-5, 7":     "not of the form (start, end]",
		"(-5,7]":     "not of the form (start, end]",
		"(-5, 7)":    "not of the form (start, end]",
		"(x, 7]":     `murmur3 token "x": not a whole decimal number`,
		"(-5,  7]":   `murmur3 token " 7": not a whole decimal number`,
		"(1, 1e9]":   `murmur3 token "1e9": not a whole decimal number`,
		"(7, 7]":     "the start is not before the end",
		"(7, -5]":    "the start is not before the end",
		"(-1, 2, 3]": `murmur3 token "2, 3": not a whole decimal number`,
	} {
		_, err := ParseRange(Murmur3, s)
		require.ErrorContains(t, err, "token range \""+s+"\": ")
		require.ErrorContains(t, err, want)
	}
}

func FuzzParseRange(f *testing.F) {
	f.Add("(-5, 7]")
	f.Add("(-1, 170141183460469231731687303715884105728]")
	f.Add("(7, 7]")
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range []Partitioner{Murmur3, Random} {
			r, err := ParseRange(p, s)
			if err != nil {
				continue
			}
			require.True(t, r.Start.Less(r.End))
			require.False(t, p.Max().Less(r.End))
			reparsed, err := ParseRange(p, string(AppendRange(nil, p, r)))
			require.NoError(t, err)
			require.Equal(t, r, reparsed)
		}
	})
}

// FuzzSubtract builds ranges from pairs of bytes. The first part of them are the ranges, the rest
// are done.
func FuzzSubtract(f *testing.F) {
	f.Add([]byte("\x01\x09\x04\x05"), uint8(1))
	f.Add([]byte("\x05\x09\x01\x05\x04\x06\x06\x07"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, first uint8) {
		var ranges []Range
		for i := 0; i+1 < len(data) && i < 64; i += 2 {
			ranges = append(
				ranges, Range{Token{Lo: 1 + uint64(data[i])}, Token{Lo: 1 + uint64(data[i+1])}},
			)
		}
		n := min(int(first), len(ranges))
		requireSubtracted(t, ranges[:n], ranges[n:])
	})
}
