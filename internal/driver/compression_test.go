package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Frames of a node are compressed if the quickest of three answers took long. A node on this host
// always counts as near.
func TestCompressionOfFarNodes(t *testing.T) {
	c := newCompression(Config{Compress: true, CompressFrom: 2 * time.Millisecond})
	require.False(t, c.compresses("10.0.0.1"), "nothing is known of it")
	require.True(t, c.addRoundTrip("10.0.0.1", 5*time.Millisecond))
	require.True(t, c.addRoundTrip("10.0.0.1", 3*time.Millisecond))
	require.False(t, c.addRoundTrip("10.0.0.1", 4*time.Millisecond))
	require.True(t, c.compresses("10.0.0.1"))
	require.True(t, c.addRoundTrip("10.0.0.2", 5*time.Millisecond))
	require.False(t, c.addRoundTrip("10.0.0.2", time.Millisecond), "near after all")
	require.False(t, c.compresses("10.0.0.2"))
	for _, here := range []string{"127.0.0.1", "127.0.10.3", "::1"} {
		require.False(t, c.addRoundTrip(here, time.Second))
		require.False(t, c.compresses(here))
	}
}

// Rows are written and read over compressed connections. Connections to nodes that are near or on
// this host are not compressed.
func TestCompressedSession(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Nodes: 3, Factor: 1, Rows: 1000},
	)
	require.NoError(t, err)
	defer c.Close()
	for _, tc := range []struct {
		from  time.Duration
		nodes int
		name  string
	}{{0, 3, "lz4"}, {time.Nanosecond, 0, "none"}, {time.Hour, 0, "none"}} {
		s, err := Connect(
			t.Context(),
			Config{Hosts: c.Hosts(), Port: c.Port(), Compress: true, CompressFrom: tc.from},
		)
		require.NoError(t, err)
		require.Equal(t, tc.nodes, s.Compressed())
		require.Equal(t, tc.name, s.Compression())
		table, err := s.Table(t.Context(), "ks", "t")
		require.NoError(t, err)
		p, err := s.Reader(table, Query{Select: []string{"k", "v"}}, token.Murmur3).
			Page(t.Context(), "", token.Range{}, nil, 100)
		require.NoError(t, err)
		p.Close()
		key := row.Cell{State: row.Set, Bytes: []byte{0, 0, 0, 0, 0, 0, 0, 1}}
		one := row.Row{Cells: []row.Cell{key, {State: row.Null}}, Timestamp: 1}
		require.NoError(t, s.Writer(table, table.Columns).Write(t.Context(), "", []row.Row{one}))
		s.Close()
	}
}
