package simcluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func BenchmarkStartAndClose(b *testing.B) {
	for b.Loop() {
		c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere})
		require.NoError(b, err)
		c.Close()
	}
}

func BenchmarkStartConnectAndClose(b *testing.B) {
	for b.Loop() {
		c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere})
		require.NoError(b, err)
		s, err := driver.Connect(b.Context(), driver.Config{Hosts: c.Hosts(), Port: c.Port()})
		require.NoError(b, err)
		s.Close()
		c.Close()
	}
}

// BenchmarkPage reads pages of 100 rows through the driver.
func BenchmarkPage(b *testing.B) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere})
	require.NoError(b, err)
	defer c.Close()
	s, err := driver.Connect(b.Context(), driver.Config{Hosts: c.Hosts(), Port: c.Port()})
	require.NoError(b, err)
	defer s.Close()
	table, err := s.Table(b.Context(), "ks", "t")
	require.NoError(b, err)
	reader := s.Reader(table, driver.Query{Select: []string{"k", "v"}}, token.Murmur3)
	for b.Loop() {
		page, err := reader.Page(b.Context(), "", token.Whole(token.Murmur3), nil, 100)
		require.NoError(b, err)
		page.Close()
	}
}
