package cqlwire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// TestAppend writes a value of each form and reads it back.
func TestAppend(t *testing.T) {
	for _, c := range []struct{ typ, elems, wire string }{
		{"list<int>", "00000001", "00000001 00000004 00000001"},
		{"map<int, text>", "00000001 61", "00000001 00000004 00000001 00000001 61"},
		{"tuple<int, text>", "00000001 61", "00000004 00000001 00000001 61"},
		{"two", "00000001", "00000004 00000001"},
		{"vector<int, 2>", "00000001 00000002", "00000001 00000002"},
		{"vector<text, 2>", "61 6262", "01 61 02 6262"},
	} {
		l := mustPlan(t, c.typ)
		var dst []byte
		if l.form == counted {
			dst = AppendCount(dst, 0)
			PutCount(dst, 0, 1)
		}
		for _, elem := range bytes.Fields([]byte(c.elems)) {
			mark := len(dst)
			var err error
			dst, err = l.Close(append(l.Open(dst), testkit.Unhex(t, string(elem))...), mark)
			require.NoError(t, err)
		}
		require.Equal(t, testkit.Unhex(t, c.wire), dst, c.typ)
	}
	require.Equal(
		t,
		testkit.Unhex(t, "00000001 61 ffffffff 00000000"),
		AppendElem(AppendElem(AppendElem(nil, []byte("a")), nil), []byte{}),
	)
}

// TestLengthsOfVectorElements uses elements on both sides of each size of vint.
func TestLengthsOfVectorElements(t *testing.T) {
	l := mustPlan(t, "vector<blob, 2>")
	for n, size := range map[int]int{
		0: 1, 127: 1, 128: 2, 16383: 2, 16384: 3, 2097151: 3, 2097152: 4,
	} {
		elem := bytes.Repeat([]byte{'a'}, n)
		dst, err := l.Close(append(l.Open([]byte{}), elem...), 0)
		require.NoError(t, err)
		require.Len(t, dst, size+n)
		mark := len(dst)
		dst, err = l.Close(append(l.Open(dst), 'b'), mark)
		require.NoError(t, err)
		w := l.Walk(dst)
		require.True(t, w.Next())
		require.Equal(t, elem, w.Elem())
		require.True(t, w.Next())
		require.Equal(t, []byte("b"), w.Elem())
		require.False(t, w.Next())
		require.True(t, w.Whole())
	}
}

func TestElementsOfAnotherLengthAreRefused(t *testing.T) {
	l := mustPlan(t, "vector<int, 2>")
	_, err := l.Close(l.Open(nil), 0)
	require.EqualError(t, err, "0 bytes, where each element of vector<int, 2> has 4")
}
