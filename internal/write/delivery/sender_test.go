package delivery

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// counting is a limiter that counts what it lets pass.
type counting struct{ bytes atomic.Int64 }

func (c *counting) Wait(_ context.Context, n int) error {
	c.bytes.Add(int64(n))
	return nil
}

// One limiter sees the bytes of all files to all nodes.
func TestStreamsAreLimitedTogether(t *testing.T) {
	var all counting
	nodes := map[string]*internodetest.Node{"a": {}, "b": {}}
	addresses := map[string]string{"a": "127.0.0.1:7000", "b": "127.0.0.2:7000"}
	sender := &sender{
		address: func(node string) string { return addresses[node] },
		client: &internode.Client{
			Limiter: &all,
			Dial: func(_ context.Context, network, address string) (net.Conn, error) {
				node := map[string]*internodetest.Node{"127.0.0.1:7000": nodes["a"], "127.0.0.2:7000": nodes["b"]}[address]
				return node.Dial(t.Context())(t.Context(), network, address)
			},
		},
	}
	plain := make([]byte, 100_000) // that does not compress
	for i, r := 0, rand.NewChaCha8([32]byte{}); i < len(plain); i += 8 {
		binary.NativeEndian.PutUint64(plain[i:], r.Uint64())
	}
	file := stream.File{
		Header: make([]byte, 7),
		Keys:   1,
		Bytes:  int64(len(plain)),
		Open:   func() io.Reader { return bytes.NewReader(plain) },
	}
	for range 2 {
		for id := range nodes {
			require.NoError(t, sender.Send(t.Context(), id, file))
		}
	}
	var taken int64
	for _, n := range nodes {
		for _, s := range n.Complete() {
			require.Len(t, s.Files, 1)
			require.EqualValues(t, file.Bytes, len(s.Files[0].Plain))
			taken++
		}
	}
	require.EqualValues(t, 4, taken)
	require.Greater(t, all.bytes.Load(), 4*file.Bytes, "of all files, with their heads")
}
