package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows are written and read over connections with compressed frames, and over those to nodes that
// are near, which have none.
func TestCompressedSession(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Nodes: 3, Factor: 1, Rows: 1000})
	require.NoError(t, err)
	defer c.Close()
	for _, tc := range []struct {
		from  time.Duration
		nodes int
		name  string
	}{{0, 3, "lz4"}, {time.Nanosecond, 3, "lz4"}, {time.Hour, 0, "none"}} {
		s, err := Connect(t.Context(), Config{Hosts: c.Hosts(), Port: c.Port(), Compress: true, CompressFrom: tc.from})
		require.NoError(t, err)
		require.Equal(t, tc.nodes, s.Compressed())
		require.Equal(t, tc.name, s.Compression())
		table, err := s.Table(t.Context(), "ks", "t")
		require.NoError(t, err)
		p, err := s.Reader(table, Query{Select: []string{"k", "v"}}, token.Murmur3).Page(t.Context(), "", token.Range{}, nil, 100)
		require.NoError(t, err)
		p.Close()
		key := row.Cell{State: row.Set, Bytes: []byte{0, 0, 0, 0, 0, 0, 0, 1}}
		one := row.Row{Cells: []row.Cell{key, {State: row.Null}}, Timestamp: 1}
		require.NoError(t, s.Writer(table, table.Columns).Write(t.Context(), "", []row.Row{one}))
		s.Close()
	}
}
