package source

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkRead(b *testing.B) {
	text := sample(8 << 20)
	for name, compress := range makers {
		b.Run(name, func(b *testing.B) {
			data := compress(text)
			p := make([]byte, 1<<20)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := newReader("stdin", bytes.NewReader(data), -1)
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, p)
				require.NoError(b, err)
				require.EqualValues(b, len(text), n)
				require.NoError(b, r.Close())
			}
		})
	}
}
