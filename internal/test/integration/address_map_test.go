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

// forward forwards the connections to a port of this host, until the test ends. It counts them.
func forward(t *testing.T, to string) (address string, count *atomic.Int64) {
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
			out, err := net.Dial("tcp", to)
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
