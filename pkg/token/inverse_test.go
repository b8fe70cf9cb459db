package token

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendMurmur3Key(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 7))
	prefix := []byte("kept")
	for range 2000 {
		v := Token{Lo: source.Uint64() | 1}
		key := AppendMurmur3Key(prefix, v)
		require.Equal(t, "kept", string(key[:4]))
		require.Equal(t, v, Murmur3.Hash(key[4:]))
	}
	key := make([]byte, 0, 16)
	require.Zero(
		t, testing.AllocsPerRun(100, func() { key = AppendMurmur3Key(key[:0], at(12345)) }),
	)
}
