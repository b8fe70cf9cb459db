//go:build integration

package integration

import (
	"context"
	"fmt"
	"os"
	command "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// server is a node of the test cluster, which is a process of this machine.
type server struct {
	dir string // its folder, as deploy/cassandra makes it
}

// clusterFolder is the folder of the test cluster, as its nodes call it.
func clusterFolder() string {
	dir, err := filepath.Abs(env("CQLBULK_TEST_LOGS", "../../../.cache/cassandra/test"))
	if err != nil { // there is no working directory
		panic(err)
	}
	if whole, err := filepath.EvalSymlinks(dir); err == nil {
		dir = whole
	}
	return dir
}

// servers are the nodes of the test cluster, for a test that means to harm them. Its name
// begins with TestNodes: `make test` runs these on a cluster of their own, beside the others.
// When the test ends all nodes are up again.
func servers(t *testing.T) []server {
	t.Helper()
	require.True(t, strings.HasPrefix(t.Name(), "TestNodes"), "the name of a test that harms nodes")
	dir := clusterFolder()
	all := []server{{dir + "/node1"}, {dir + "/node2"}, {dir + "/node3"}}
	exec(t, "CREATE TABLE IF NOT EXISTS it3.up (k int PRIMARY KEY)")
	t.Cleanup(func() {
		for _, s := range all {
			if pid, err := s.pid(); err == nil {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		startServers(t)
	})
	return all
}

// pid is the node's process. It is an error when that does not run.
func (s server) pid() (int, error) {
	text, err := os.ReadFile(s.dir + "/pid")
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, err
	}
	// The number may be another process's by now.
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return 0, err
	}
	if !strings.Contains(string(words), "\x00-Dcassandra.storagedir="+s.dir+"/data\x00") {
		return 0, fmt.Errorf("process %d is not the node of %s", pid, s.dir)
	}
	return pid, nil
}

// signal sends a signal to the node's process.
func (s server) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	pid, err := s.pid()
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, signal))
	t.Logf("%s %s: %v", time.Now().Format("15:04:05.000"), filepath.Base(s.dir), signal)
}

// administer runs a command of deploy/cassandra on the test cluster, and gives what it says.
func administer(t *testing.T, words ...string) string {
	t.Helper()
	out, err := administered(words...)
	require.NoError(t, err, out)
	return out
}

func administered(words ...string) (string, error) {
	dir := clusterFolder()
	words = append([]string{"--cluster", filepath.Base(dir), "--dir", filepath.Dir(dir)}, words...)
	out, err := command.Command("../../../deploy/cassandra/cassandra", words...).CombinedOutput()
	return string(out), err
}

// takeSnapshot has a node take a snapshot of tables of one keyspace, which are named with it. It
// flushes them before: a snapshot does not wait for a flush that is under way, and lacks its rows
// (snapshot in ColumnFamilyStore.java).
func takeSnapshot(node, tag string, tables ...string) error {
	flush := []string{"nodetool", node, "flush"}
	for i, name := range tables {
		keyspace, table, _ := strings.Cut(name, ".")
		if i == 0 {
			flush = append(flush, keyspace)
		}
		flush = append(flush, table)
	}
	for _, words := range [][]string{flush, {"nodetool", node, "snapshot", "-t", tag, "-kt", strings.Join(tables, ",")}} {
		if out, err := administered(words...); err != nil {
			return fmt.Errorf("node %s: %w: %s", node, err, out)
		}
	}
	return nil
}

// flush makes a node write a table to its disk. A node syncs its commit log every ten seconds, and
// if it is killed it loses what came after that.
func (s server) flush(t *testing.T, keyspace, table string) {
	t.Helper()
	administer(
		t,
		"nodetool",
		strings.TrimPrefix(filepath.Base(s.dir), "node"),
		"flush",
		keyspace,
		table,
	)
}

// startServers starts the nodes that do not run and waits until all are ready.
func startServers(t *testing.T) {
	t.Helper()
	administer(t, "up", "--timeout", "300")
	var err error
	require.Eventually(
		t,
		func() bool { err = allUp(); return err == nil },
		2*time.Minute,
		200*time.Millisecond,
	)
	t.Logf("%s all nodes are up", time.Now().Format("15:04:05.000"))
}

// allUp says which node the tests cannot reach, or sees another as down.
func allUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	cluster, err := session.Topology(ctx)
	if err != nil {
		return err
	}
	described, err := session.Table(ctx, "it3", "up")
	if err != nil {
		return err
	}
	selection, err := described.Selectors(nil)
	if err != nil {
		return err
	}
	// Of three replicas all have to answer, whichever node is asked.
	reader := session.Reader(described, driver.Columns(selection), nil)
	for _, n := range cluster.Nodes {
		page, err := reader.Page(ctx, n.ID, token.Range{}, nil, 1)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.Address, err)
		}
		page.Close()
	}
	return nil
}
