package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMurmur2IsCassandras(t *testing.T) {
	require.Equal(t, uint64(0x4fb1a8c3fb9eda53), Murmur2Sum64([]byte{0, 0, 0, 1}))
	key := []byte("a key of more than sixteen bytes")
	require.Zero(t, testing.AllocsPerRun(100, func() { Murmur2Sum64(key) }))
}

func TestMurmur3Sum128HasBothWords(t *testing.T) {
	h1, h2 := Murmur3Sum128([]byte{0, 0, 0, 1})
	require.Equal(t, uint64(0xc78499982ae4e0cf), h1)
	require.Equal(t, uint64(0x798c330cbcdfe0e6), h2)
}
