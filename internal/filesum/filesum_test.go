package filesum

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sums are those that xxh64sum and sha256sum print.
func TestKnownSums(t *testing.T) {
	for algorithm, want := range map[string]Sum{
		"":     {XXH64: "44bc2cf5ad770999"},
		XXH64:  {XXH64: "44bc2cf5ad770999"},
		SHA256: {SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	} {
		h := New(algorithm)
		_, err := h.Write([]byte("abc"))
		require.NoError(t, err)
		require.Equal(t, want, h.Result())
		require.NoError(t, want.Check())
		require.Equal(t, want, OfBytes(algorithm, want.AppendBytes(nil)))
		require.Len(t, want.AppendBytes(nil), Size(algorithm))
	}
}

// A sum continues from a saved state, by the algorithm of that state.
func TestResume(t *testing.T) {
	for _, algorithm := range Algorithms() {
		whole, begun := New(algorithm), New(algorithm)
		text := []byte(strings.Repeat("Some rows of a table. ", 100))
		_, _ = whole.Write(text)
		_, _ = begun.Write(text[:777])
		state, err := begun.State()
		require.NoError(t, err)
		resumed, err := Resume(state)
		require.NoError(t, err)
		require.Equal(t, begun.Result(), resumed.Result())
		_, _ = resumed.Write(text[777:])
		require.Equal(t, whole.Result(), resumed.Result())
		require.Equal(t, algorithm, resumed.Result().Algorithm())
		_, err = Resume(state[:len(state)-1])
		require.ErrorContains(t, err, "state of a checksum by "+algorithm)
	}
	_, err := Resume([]byte("md5 or so"))
	require.ErrorContains(t, err, "no known algorithm")
}

func TestSum(t *testing.T) {
	x, s := Sum{XXH64: "44bc2cf5ad770999"}, Sum{SHA256: strings.Repeat("ab", 32)}
	require.True(t, x.Equal(Sum{XXH64: "44BC2CF5AD770999"}))
	require.False(t, x.Equal(s))
	require.False(t, x.Equal(Sum{}))
	require.True(t, Sum{}.IsZero())
	require.Equal(t, "XXH64 44bc2cf5ad770999", x.String())
	require.Equal(t, "no checksum", Sum{}.String())
	for _, wrong := range []Sum{{}, {XXH64: "44"}, {XXH64: "44BC2CF5AD770999"}, {SHA256: x.XXH64}, {XXH64: x.XXH64, SHA256: s.SHA256}} {
		require.Error(t, wrong.Check(), wrong)
	}
	text, err := json.Marshal(struct {
		Name string
		Sum
	}{"a", x})
	require.NoError(t, err)
	require.JSONEq(t, `{"Name":"a","xxh64":"44bc2cf5ad770999"}`, string(text))
}
