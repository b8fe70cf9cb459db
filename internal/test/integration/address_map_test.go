//go:build integration

package integration

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNodesBehindForwardedPorts reaches all nodes at ports of one address, as behind NAT.
func TestNodesBehindForwardedPorts(t *testing.T) {
	t.Parallel()
	const name = "it1.forwarded"
	table(t, name, "(k int PRIMARY KEY, v text)")
	var pairs []string
	var counts []*atomic.Int64
	contact := ""
	for _, node := range strings.Split(testHosts(), ",") {
		address, count := forward(t, net.JoinHostPort(node, "9042"))
		pairs, counts = append(pairs, node+"="+address), append(counts, count)
		contact = address
	}
	input := "k,v\n"
	for k := range 300 {
		input += fmt.Sprintf("%d,x\n", k)
	}
	var r result
	for _, args := range [][]string{
		{"load", name, file(t, "in.csv", input)},
		{"scan", name, "-o", t.TempDir() + "/out.csv"},
	} {
		args = append(args, "--address-map", strings.Join(pairs, ","))
		r = cqlbulkOn(t, contact, args...)
		require.Zero(t, r.code, r.report)
	}
	require.Contains(t, r.report, "300 rows of "+name)
	for i, count := range counts {
		require.Positive(t, count.Load(), "connections to node %d", i+1)
	}
	for _, c := range []struct{ pair, want string }{
		{"node1=10.0.0.1", `"node1" is not the IP address of a node`},
		{"10.0.0.1=10.0.0.1:0", `"10.0.0.1:0" is not a name or an address`},
	} {
		r := cqlbulk(t, "scan", name, "--address-map", c.pair)
		require.NotZero(t, r.code)
		require.Contains(t, r.report, c.want)
	}
}

// TestOneProxyForAllNodes reaches the nodes by a proxy that passes each connection to the next one.
func TestOneProxyForAllNodes(t *testing.T) {
	t.Parallel()
	const name = "it1.proxied"
	table(t, name, "(k int PRIMARY KEY, v text)")
	nodes := strings.Split(testHosts(), ",")
	var at atomic.Int64
	address, _ := forwardToAny(t, func() string {
		return net.JoinHostPort(nodes[int(at.Add(1))%len(nodes)], "9042")
	})
	loadAndScan300(t, address, name, "--address-map", "*="+address)
}

// TestDeniedNode sends no request to a node, which is a replica all the same.
func TestDeniedNode(t *testing.T) {
	t.Parallel()
	const name = "it3.denied"
	table(t, name, "(k int PRIMARY KEY, v text)")
	var pairs []string
	var counts []*atomic.Int64
	nodes := strings.Split(testHosts(), ",")
	contact := ""
	for i, node := range nodes {
		address, count := forward(t, net.JoinHostPort(node, "9042"))
		pairs, counts = append(pairs, node+"="+address), append(counts, count)
		if i == 0 {
			contact = address
		}
	}
	last := len(nodes) - 1
	loadAndScan300(
		t, contact, name,
		"--address-map", strings.Join(pairs, ","), "--deny-nodes", nodes[last],
	)
	require.Positive(t, counts[0].Load())
	require.Zero(t, counts[last].Load(), "connections to the denied node")

	r := cqlbulk(t, "scan", name, "--deny-nodes", "192.0.2.1")
	require.NotZero(t, r.code)
	require.Contains(t, r.report, "--deny-nodes 192.0.2.1: no node of the cluster has this address")
}

// loadAndScan300 loads 300 rows into a table and scans them.
func loadAndScan300(t *testing.T, contact, name string, flags ...string) {
	t.Helper()
	input := "k,v\n"
	for k := range 300 {
		input += fmt.Sprintf("%d,x\n", k)
	}
	out := t.TempDir() + "/out.csv"
	for _, args := range [][]string{{"load", name, file(t, "in.csv", input)}, {"scan", name, "-o", out}} {
		r := cqlbulkOn(t, contact, append(args, flags...)...)
		require.Zero(t, r.code, r.report)
		require.Contains(t, r.report, "300 rows")
	}
	require.Len(t, strings.Split(strings.TrimSpace(read(t, out)), "\n"), 301)
}

// forward forwards the connections to a port of this host, until the test ends. It counts them.
func forward(t *testing.T, to string) (address string, count *atomic.Int64) {
	t.Helper()
	return forwardToAny(t, func() string { return to })
}

// forwardToAny forwards each connection to where next says.
func forwardToAny(t *testing.T, next func() string) (address string, count *atomic.Int64) {
	t.Helper()
	count = new(atomic.Int64)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			out, err := net.Dial("tcp", next())
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() {
				defer out.Close()
				_, _ = io.Copy(out, in)
			}()
			go func() {
				defer in.Close()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	return listener.Addr().String(), count
}
