//go:build integration

package integration

import (
	"bytes"
	"net"
	command "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/internal/test/bundletest"
)

// TestNodesBehindABundle reaches the nodes by a secure connect bundle, through a proxy that chooses
// them by SNI. The Python driver reads the same bundle, and finds the rows.
func TestNodesBehindABundle(t *testing.T) {
	t.Parallel()
	const name = "it1.bundled"
	table(t, name, "(k int PRIMARY KEY, v text)")
	first, _, _ := strings.Cut(testHosts(), ",")
	nodes := make(map[string]string)
	for source, address := range map[string]string{"local": "rpc_address", "peers_v2": "native_address"} {
		out := cqlbulkOn(
			t, first, "scan", "system."+source, "--columns", "host_id,"+address, "--header=false",
		).out
		for line := range strings.Lines(out) {
			id, host, _ := strings.Cut(strings.TrimSpace(line), ",")
			nodes[id] = net.JoinHostPort(host, "9042")
		}
	}
	require.Len(t, nodes, len(strings.Split(testHosts(), ",")))
	database := bundletest.Start(t, nodes, bundletest.Options{})
	const input = "k,v\n1,x\n2,y\n3,z\n"
	for _, args := range [][]string{{"load", name, file(t, "in.csv", input)}, {"count", name}} {
		var out bytes.Buffer
		var report reports
		args = append(args, "--secure-connect-bundle", database.Bundle)
		code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &report)
		require.Zero(t, code, report.String())
	}
	for id := range nodes {
		require.Positive(t, database.Opened(id), "connections to node %s", id)
	}

	cqlsh, err := filepath.Abs(env("CQLBULK_TEST_CQLSH", "../../../.cache/cqlsh/bin/cqlsh"))
	require.NoError(t, err)
	script := "import sys\nfrom cassandra.cluster import Cluster\n" +
		"s = Cluster(cloud={'secure_connect_bundle': sys.argv[1]}).connect()\n" +
		"print(s.execute('SELECT count(*) FROM " + name + "').one()[0])\n"
	python := command.CommandContext(
		t.Context(), filepath.Join(filepath.Dir(cqlsh), "python"), "-c", script, database.Bundle,
	)
	found, err := python.CombinedOutput()
	require.NoError(t, err, string(found))
	require.Contains(t, string(found), "3")
}
