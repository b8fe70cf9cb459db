package internode

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainBlock returns bytes that compress to about a half.
func plainBlock() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, blockLen)
	for i := range b {
		b[i] = byte(r.IntN(4))
	}
	return b
}

func TestBlocksTakeNoMemory(t *testing.T) {
	c, plain := newCompressor(), plainBlock()
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if _, err := c.block(plain); err != nil {
			panic(err)
		}
	}))
}

func BenchmarkBlock(b *testing.B) {
	c, plain := newCompressor(), plainBlock()
	b.SetBytes(blockLen)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.block(plain); err != nil {
			b.Fatal(err)
		}
	}
}
