//go:build integration

// Package integration holds the tests that need a real Apache Cassandra. They
// run the program as a user would, through its command line, and look at the
// database with the driver.
//
// The build tag integration selects them. `make test` brings up what they need. By hand:
//
//	deploy/cassandra/cassandra up --cluster test --nodes 3 --first-ip 127.0.10.1 --heap 512M
//	deploy/cassandra/cassandra up --cluster test-auth --auth --tls --internode-tls \
//	  --first-ip 127.0.10.11 --heap 512M
//
// Other addresses can be given in CQLBULK_TEST_HOSTS and CQLBULK_TEST_AUTH_HOST, and
// the folder of the second cluster's certificates in CQLBULK_TEST_TLS.
//
// The tests whose names begin with TestNodes stop and kill nodes, and start them again; `make
// test` runs them on a third cluster, beside the others. They find the nodes' processes and
// logs in the first cluster's folder, CQLBULK_TEST_LOGS.
package integration

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/run/history"
)

// testHosts are the contact points of a cluster of three nodes.
func testHosts() string { return env("CQLBULK_TEST_HOSTS", "127.0.10.1,127.0.10.2,127.0.10.3") }

// authHost is a node that asks for passwords; its superuser is cassandra/cassandra.
func authHost() string { return env("CQLBULK_TEST_AUTH_HOST", "127.0.10.11") }

// tlsPort is where that node speaks TLS, and asks for a client's certificate.
const tlsPort = "9142"

// tlsFile is the path of one of the files for its clients: ca.pem, client.pem and
// client-key.pem.
func tlsFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(
		filepath.Join(env("CQLBULK_TEST_TLS", "../../../.cache/cassandra/test-auth/tls"), name),
	)
	require.NoError(t, err)
	require.FileExists(t, path, "the cluster test-auth was made without --tls")
	return path
}

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// consistency is the level of all requests that do not set another. A test that writes and then
// reads must see on any replica what it wrote.
const consistency = "ALL"

// session is shared by all tests: one connection to look at the database with.
var session *driver.Session

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	var err error
	session, err = driver.Connect(ctx, driver.Config{
		Hosts: strings.Split(testHosts(), ","), Timeout: time.Minute, Consistency: consistency,
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, `the integration tests need a Cassandra of three nodes: %v
run "make test", which starts one, or
  deploy/cassandra/cassandra up --cluster test --nodes 3 --first-ip 127.0.10.1 --heap 512M
  deploy/cassandra/cassandra up --cluster test-auth --auth --tls --internode-tls \
    --first-ip 127.0.10.11 --heap 512M
or name another in CQLBULK_TEST_HOSTS
`, err)
		return 1
	}
	defer session.Close()
	// loads that have their run directory here are recorded here
	defer func() { _ = os.Remove(history.FileName) }()
	// Most tables are small. The thousands of requests of a plan for a large table would take most
	// of the time of their scans. Three nodes of 16 tokens have this number of ranges. The
	// program's own processes inherit the variable.
	if splits := either("48", ""); splits != "" && os.Setenv("CQLBULK_SPLITS", splits) != nil {
		return 1
	}
	// A test to which replicas do not matter takes it1: each further one is as much work for the
	// nodes again.
	for name, factor := range map[string]int{"it1": 1, "it2": 2, "it3": 3} {
		err := session.Exec(ctx, fmt.Sprintf(
			"CREATE KEYSPACE IF NOT EXISTS %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}",
			name,
			factor,
		))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// schemaChange makes the tests change the schema one at a time. Of two changes at once, each would
// wait for the nodes to agree on both.
var schemaChange sync.Mutex

// exec runs CQL statements.
func exec(t *testing.T, stmts ...string) {
	t.Helper()
	for _, stmt := range stmts {
		require.NoError(t, execOne(t.Context(), stmt), stmt)
	}
}

func execOne(ctx context.Context, stmt string) error {
	switch verb, _, _ := strings.Cut(stmt, " "); verb {
	case "CREATE", "ALTER", "DROP":
		schemaChange.Lock()
		defer schemaChange.Unlock()
	}
	return session.Exec(ctx, stmt)
}

// atLeast says whether the cluster is of that major version of Cassandra, or a later one.
func atLeast(t *testing.T, major int) bool {
	t.Helper()
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	text, _, _ := strings.Cut(cluster.Nodes[0].Version, ".")
	has, err := strconv.Atoi(text)
	require.NoError(t, err)
	return has >= major
}

// table creates a table of a fixed name, and drops what an earlier run left. body stands between
// the name and the end of CREATE TABLE.
func table(t *testing.T, name, body string) {
	t.Helper()
	exec(t, "DROP TABLE IF EXISTS "+name, "CREATE TABLE "+name+" "+body)
}

// result is what a run of the program left.
type result struct {
	code        int
	out, report string // standard output and standard error
}

// cqlbulk runs the program on the test cluster, in a working directory of its own.
func cqlbulk(t *testing.T, args ...string) result {
	t.Helper()
	return cqlbulkOn(t, testHosts(), args...)
}

func cqlbulkOn(t *testing.T, hosts string, args ...string) result {
	t.Helper()
	var out bytes.Buffer
	var report reports
	args = append(args, "--hosts", hosts, "--timeout", "60s")
	streamed := args[0] == "load" &&
		(slices.Contains(args, "stream") || slices.Contains(args, "sstables")) // which has no level
	if !slices.Contains(args, "--consistency") && !streamed {
		args = append(args, "--consistency", consistency)
	}
	code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &report)
	return result{code, out.String(), report.String()}
}

// reports is a standard error: warnings may come while progress is shown.
type reports struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *reports) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *reports) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// cqlbulkOffline runs a command that needs no database.
func cqlbulkOffline(t *testing.T, args ...string) result {
	t.Helper()
	var out, report bytes.Buffer
	code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &report)
	return result{code, out.String(), report.String()}
}

// ok runs the program and wants exit code 0.
func ok(t *testing.T, args ...string) result {
	t.Helper()
	r := cqlbulk(t, args...)
	require.Zero(t, r.code, "cqlbulk %s\n%s", strings.Join(args, " "), r.report)
	return r
}

// file writes a file of the test's own and returns its path.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := t.TempDir() + "/" + name
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// read returns a file's content.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// execAll runs CQL statements, several at a time and in no order.
func execAll(t *testing.T, stmts []string) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(8)
	for _, stmt := range stmts {
		group.Go(func() error { return session.Exec(ctx, stmt) })
	}
	require.NoError(t, group.Wait())
}
