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
	database, nodes := behindABundle(t)
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

// behindABundle starts a proxy in front of the nodes. The addresses of the nodes are by host id.
func behindABundle(t *testing.T) (database *bundletest.Database, nodes map[string]string) {
	t.Helper()
	first, _, _ := strings.Cut(testHosts(), ",")
	nodes = make(map[string]string)
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
	return bundletest.Start(t, nodes, bundletest.Options{}), nodes
}

// TestDSBulkReadsABundle has DSBulk unload a table by the bundle that cqlbulk loads it by.
func TestDSBulkReadsABundle(t *testing.T) {
	jars := env("CQLBULK_TEST_DSBULK", "")
	if jars == "" {
		t.Skip("CQLBULK_TEST_DSBULK names no folder of DSBulk's jars: make test-peers does")
	}
	const name = "it1.bundled_dsbulk"
	table(t, name, "(k int PRIMARY KEY, v text)")
	database, _ := behindABundle(t)
	addKeyStores(t, database.Bundle)
	ok(t, "load", name, file(t, "in.csv", "k,v\n1,x\n2,y\n3,z\n"))
	run := func(program string, args ...string) string {
		out, err := command.CommandContext(t.Context(), program, args...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	out := t.TempDir()
	run("java", "-cp", jars+"/*", "com.datastax.oss.dsbulk.runner.DataStaxBulkLoader", "unload",
		"-b", database.Bundle, "-u", "user", "-p", "password", "-cl", "LOCAL_ONE",
		"-k", "it1", "-t", strings.TrimPrefix(name, "it1."), "-url", out+"/rows", "--log.directory", out+"/log")
	files, err := filepath.Glob(out + "/rows/*.csv")
	require.NoError(t, err)
	var lines []string
	for _, path := range files {
		_, rows, _ := strings.Cut(read(t, path), "\n")
		lines = append(lines, strings.Fields(rows)...)
	}
	require.ElementsMatch(t, []string{"1,x", "2,y", "3,z"}, lines)
}

// addKeyStores adds the key stores to a bundle that the Java driver reads in place of PEM files.
func addKeyStores(t *testing.T, bundle string) {
	t.Helper()
	dir := t.TempDir()
	out, err := command.CommandContext(
		t.Context(), "testdata/keystores", dir, bundle, bundletest.StorePassword,
	).CombinedOutput()
	require.NoError(t, err, string(out))
}
