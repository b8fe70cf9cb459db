package rowsum

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOrder builds rows from the input. It checks that their checksum is the same in every order of
// rows, elements of sets and entries of maps. It also checks that the checksum changes if one byte
// of a row does.
func FuzzOrder(f *testing.F) {
	f.Add([]byte("alpha beta gamma"), uint64(1))
	f.Add([]byte{}, uint64(2))
	f.Add([]byte("\x00\x00\x00\xff\xff\xff\xff same same same"), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		words := bytes.Split(data, []byte(" "))
		h := hasherOf(
			t, "text", "set<text>", "map<text, frozen<set<text>>>", "list<frozen<set<text>>>",
		)
		var sum, second Sum
		for i := range words {
			sum = sum.Add(h.Row(rowOf(words, i, nil)))
		}
		for _, i := range shuffled(r, indexes(len(words))) {
			second = second.Add(h.Row(rowOf(words, i, r)))
		}
		require.Equal(t, sum, second)

		cells := rowOf(words, 0, nil)
		before := h.Row(cells)
		column := r.IntN(len(cells))
		if len(cells[column]) > 0 {
			cells[column] = bytes.Clone(cells[column])
			cells[column][r.IntN(len(cells[column]))] ^= byte(1 + r.IntN(255))
			require.NotEqual(t, before, h.Row(cells))
		}
	})
}

// rowOf returns row i. r decides the order of its sets and maps; nil keeps the order of the words.
func rowOf(words [][]byte, i int, r *rand.Rand) [][]byte {
	mix := func(elems [][]byte) [][]byte {
		if r == nil {
			return elems
		}
		return shuffled(r, elems)
	}
	some := words[i:]
	entries := indexes(len(some))
	if r != nil {
		entries = shuffled(r, entries)
	}
	var kvs [][]byte
	for _, k := range entries {
		kvs = append(kvs, some[k], coll(mix(some[k:])...))
	}
	return [][]byte{
		words[i],
		coll(mix(some)...),
		mapping(kvs...),
		coll(coll(mix(words)...), coll(mix(some)...)),
	}
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// FuzzRow passes any bytes to every kind of nesting. Row must not panic and must be repeatable, and
// a value that is its own form must have the hash of a blob.
func FuzzRow(f *testing.F) {
	types := []string{
		"set<text>",
		"map<int, text>",
		"list<frozen<set<text>>>",
		"set<frozen<map<text, frozen<set<int>>>>>",
		"tuple<int, set<text>>",
		"person",
		"vector<frozen<set<text>>, 2>",
		"vector<frozen<tuple<set<text>>>, 1>",
	}
	f.Add(uint8(0), coll(a, b))
	f.Add(uint8(1), mapping(i4(1), b))
	f.Add(uint8(2), coll(coll(a), coll()))
	f.Add(uint8(3), coll(mapping(a, coll(i4(1)))))
	f.Add(uint8(4), tuple(nil, coll(a)))
	f.Add(uint8(5), tuple(a, coll(a), tuple(b, i4(1))))
	f.Add(uint8(6), append([]byte{9}, append(coll(a), append([]byte{4}, coll()...)...)...))
	f.Add(uint8(6), []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(uint8(0), []byte("\x7f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, which uint8, v []byte) {
		h := hasherOf(t, types[int(which)%len(types)])
		kept := slices.Clone(v)
		sum := h.Row([][]byte{v})
		require.Equal(t, sum, h.Row([][]byte{v}))
		require.Equal(t, kept, v)
		form, ok := h.plans[0].appendForm([]byte{}, v)
		if !ok && v != nil {
			require.Equal(t, one(t, "blob", v), sum)
		}
		if ok && v != nil {
			require.Equal(t, one(t, "blob", form), sum)
		}
	})
}
