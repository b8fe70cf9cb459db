package driver

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// connectTo connects to a simulated cluster of three nodes. Its warnings fail the test.
func connectTo(
	t *testing.T,
	set func(c *simcluster.Cluster, cfg *Config),
) (*simcluster.Cluster, *Session, error) {
	t.Helper()
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Cores: 4})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	cfg := Config{
		Hosts: c.Hosts()[:1],
		Port:  c.Port(),
		Logf:  t.Logf,
		Warnf: func(format string, args ...any) { t.Errorf(format, args...) },
	}
	set(c, &cfg)
	s, err := Connect(t.Context(), cfg)
	if err == nil {
		t.Cleanup(s.Close)
	}
	return c, s, err
}

// No request goes to an excluded node. It counts as up, and requests for it go to others.
func TestExcludedNode(t *testing.T) {
	for name, list := range map[string]func(hosts []string) NodeLists{
		"denied":      func(hosts []string) NodeLists { return NodeLists{Deny: hosts[2:]} },
		"not allowed": func(hosts []string) NodeLists { return NodeLists{Allow: hosts[:2]} },
	} {
		t.Run(name, func(t *testing.T) {
			c, s, err := connectTo(t, func(c *simcluster.Cluster, cfg *Config) {
				cfg.Nodes = list(c.Hosts())
			})
			require.NoError(t, err)
			nodes, err := s.Topology(t.Context())
			require.NoError(t, err)
			wantMembers(t, c, nodes)
			for _, n := range nodes.Nodes {
				require.Equal(t, n.ID == c.HostID(2), n.Excluded, n.Address)
			}
			took, errs := s.PingAll(t.Context(), nodes.Nodes)
			require.Len(t, took, 3)
			require.Equal(t, []error{nil, nil, nil}, errs)
			require.NotEmpty(t, c.Requests())
			for _, r := range c.Requests() {
				require.NotEqual(t, 2, r.Node, "%+v", r)
			}
		})
	}
}

func TestNodeListsThatAreRefused(t *testing.T) {
	for want, list := range map[string]func(hosts []string) NodeLists{
		"--deny-nodes 10.99.0.1: no node of the cluster has this address": func([]string) NodeLists {
			return NodeLists{Deny: []string{"10.99.0.1"}}
		},
		"all contact points are excluded by --allow-nodes or --deny-nodes": func(hosts []string) NodeLists {
			return NodeLists{Allow: hosts[1:]}
		},
	} {
		_, _, err := connectTo(t, func(c *simcluster.Cluster, cfg *Config) {
			cfg.Nodes = list(c.Hosts())
		})
		require.ErrorContains(t, err, want)
	}
}

// A proxy passes each connection to any node. The nodes are members all the same, and up.
func TestOneProxyForAllNodes(t *testing.T) {
	for range 20 {
		c, s, err := connectTo(t, func(c *simcluster.Cluster, cfg *Config) {
			address := proxyTo(t, func() string {
				node := c.Hosts()[rand.IntN(3)]
				return net.JoinHostPort(node, fmt.Sprint(c.Port()))
			})
			cfg.Hosts, cfg.Addresses = []string{address}, AddressMap{AnyNode: address}
		})
		require.NoError(t, err)
		nodes, err := s.Topology(t.Context())
		require.NoError(t, err)
		wantMembers(t, c, nodes)
	}
}

// proxyTo passes the connections to an address of this host on, until the test ends.
func proxyTo(t *testing.T, next func() string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // it ends with the connection
		_ = to.Close()
	}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", next())
			if err != nil {
				_ = in.Close()
				continue
			}
			go pass(out, in)
			go pass(in, out)
		}
	}()
	return listener.Addr().String()
}
