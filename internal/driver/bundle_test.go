package driver

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/bundletest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// behindBundle connects to a simulated cluster by a bundle. The nodes' own addresses are not used.
func behindBundle(t *testing.T, o bundletest.Options) (
	c *simcluster.Cluster, d *bundletest.Database, s *Session, err error,
) {
	t.Helper()
	c, s, err = connectTo(t, func(c *simcluster.Cluster, cfg *Config) {
		nodes := make(map[string]string)
		for i, host := range c.Hosts() {
			nodes[c.HostID(i)] = net.JoinHostPort(host, fmt.Sprint(c.Port()))
		}
		d = bundletest.Start(t, nodes, o)
		var err error
		cfg.Hosts = []string{"192.0.2.1"}
		cfg.Bundle, err = LoadBundle(d.Bundle)
		require.NoError(t, err)
	})
	return c, d, s, err
}

func TestNodesBehindBundle(t *testing.T) {
	c, d, s, err := behindBundle(t, bundletest.Options{})
	require.NoError(t, err)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	wantMembers(t, c, nodes)
	require.Equal(t, "dc1", nodes.LocalDC)
	for i := range 3 {
		require.Positive(t, d.Opened(c.HostID(i)), "connections to node %d", i)
	}
}

func TestBundlesThatDoNotConnect(t *testing.T) {
	for want, o := range map[string]bundletest.Options{
		"503 Service Unavailable: is the database there, and not hibernated?": {
			Status: http.StatusServiceUnavailable,
		},
		"the certificate of the proxy": {ProxyName: "example.com"},
		"no node is in data center":    {DC: "elsewhere"},
	} {
		_, _, _, err := behindBundle(t, o)
		require.ErrorContains(t, err, want)
	}
	_, _, err := connectTo(t, func(c *simcluster.Cluster, cfg *Config) {
		d := bundletest.Start(t, map[string]string{"x": "127.0.0.1:1"}, bundletest.Options{})
		var err error
		cfg.Bundle, err = LoadBundle(d.Bundle)
		require.NoError(t, err)
		cfg.DC = "dc2"
	})
	require.ErrorContains(t, err, "is for the data center dc1")
}

func TestBundlesThatAreRefused(t *testing.T) {
	ended := bundletest.Start(t, nil, bundletest.Options{Ended: 36 * time.Hour}).Bundle
	_, err := LoadBundle(ended)
	require.ErrorContains(t, err, "its certificate ended on "+
		time.Now().Add(-36*time.Hour).UTC().Format(time.DateOnly))

	whole, err := os.ReadFile(ended)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text":  {[]byte("host: x"), "it is not a zip file"},
		"a cut": {whole[:len(whole)/2], "it is not a zip file"},
		"empty": {nil, "it is not a zip file"},
	} {
		path := filepath.Join(t.TempDir(), "b.zip")
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		_, err := LoadBundle(path)
		require.ErrorContains(t, err, path, name)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err = LoadBundle("/nowhere/b.zip")
	require.ErrorContains(t, err, "no such file")
}
