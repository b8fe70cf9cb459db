//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// heardByGossip is what a node has heard of all nodes, by the address of their storage ports.
func heardByGossip(t *testing.T, node string) map[string]internode.Endpoint {
	t.Helper()
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	l, err := internode.Listen(":0", nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	client := internode.Client{}
	heard, err := client.Gossip(
		t.Context(),
		node,
		l,
		internode.Syn{Cluster: cluster.Name, Partitioner: cluster.Partitioner},
	)
	require.NoError(t, err)
	all := make(map[string]internode.Endpoint)
	for _, e := range heard {
		all[e.Address.String()] = e
	}
	return all
}

// TestGossipOfNodes asks nodes by gossip. Their answers about tokens and addresses agree with their
// tables.
func TestGossipOfNodes(t *testing.T) {
	t.Parallel()
	places, err := session.Places(t.Context())
	require.NoError(t, err)
	addresses, err := session.StorageAddresses(t.Context())
	require.NoError(t, err)
	for _, node := range storageAddresses(t) {
		heard := heardByGossip(t, node)
		for id, address := range addresses {
			e := heard[address]
			require.Equal(t, id, e.Get(internode.StateHostID))
			require.Equal(t, places[id].DC, e.Get(internode.StateDC))
			require.Equal(t, places[id].Rack, e.Get(internode.StateRack))
			require.True(t, strings.HasPrefix(e.Get(internode.StateStatusWithPort), "NORMAL,"))
			tokens, err := e.Tokens()
			require.NoError(t, err)
			var texts []string
			for _, wire := range tokens {
				at, err := token.Murmur3.ReadWire(wire)
				require.NoError(t, err)
				texts = append(texts, string(token.Murmur3.Append(nil, at)))
			}
			slices.Sort(texts)
			require.Equal(t, places[id].Tokens, strings.Join(texts, " "))
		}
	}
}

// TestReplicationThatGrowsWhileRowsAreStreamed gives a keyspace more replicas while a slice of rows
// is on its way. Those rows are sent to the further replicas too before they count as loaded.
func TestReplicationThatGrowsWhileRowsAreStreamed(t *testing.T) {
	t.Parallel()
	const rows = 1500
	exec(
		t,
		"CREATE KEYSPACE IF NOT EXISTS grows WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"ALTER KEYSPACE grows WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
	)
	table(t, "grows.t", "(k int PRIMARY KEY, v text)")
	dir := filepath.Join(t.TempDir(), "run")
	loading := spawn(
		t,
		nil,
		"load",
		"grows.t",
		ringRows(t, rows),
		"--via",
		"stream",
		"--hosts",
		testHosts(),
		"--max-bytes-per-sec",
		"10KiB",
		"--run-dir",
		dir,
	)
	loading.until(t, "nodes are streamed to", func() bool {
		_, err := os.Stat(filepath.Join(dir, "streams.json"))
		return err == nil
	})
	// On a busy cluster the statement may take longer than the load.
	require.NoError(t, loading.cmd.Process.Signal(syscall.SIGSTOP))
	exec(
		t,
		"ALTER KEYSPACE grows WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
	)
	require.NoError(t, loading.cmd.Process.Signal(syscall.SIGCONT))
	r := loading.end(t)
	require.Zero(t, r.code, r.report)
	require.Contains(t, r.report, "what was sent meanwhile is sent again")
	requireHolders(t, "grows", "t", rows, 3)
}

// ringRows is an input of rows that hardly compress.
func ringRows(t *testing.T, rows int) string {
	t.Helper()
	var in strings.Builder
	in.WriteString("k,v\n")
	for k := range rows {
		fmt.Fprintf(&in, "%d,%x\n", k, token.Murmur3.Hash([]byte(strconv.Itoa(k))).Lo)
	}
	return file(t, "rows.csv", in.String())
}

// requireHolders requires that the given number of nodes have each of the partitions on their own
// disks.
func requireHolders(t *testing.T, keyspace, name string, partitions, copies int) {
	t.Helper()
	holders := make(map[string]map[string]bool)
	for _, n := range tablesOnDisk(t, keyspace, name) {
		for _, d := range n.names {
			for key := range partitionTexts(t, n.folder, d) {
				if holders[key] == nil {
					holders[key] = make(map[string]bool)
				}
				holders[key][n.node] = true
			}
		}
	}
	require.Len(t, holders, partitions, "%s.%s", keyspace, name)
	for key, nodes := range holders {
		require.Len(t, nodes, copies, "nodes of %s.%s that have partition %x", keyspace, name, key)
	}
}

// TestNodesJoinAndLeaveUnderStreaming streams rows in while a node joins, and while it leaves: each
// replica has all of its rows afterwards, whatever the number of replicas.
func TestNodesJoinAndLeaveUnderStreaming(t *testing.T) {
	lengthy(t)
	const rows = 20_000
	input := ringRows(t, rows)
	keyspaces := []string{"changing1", "changing2", "changing3"}
	for i, keyspace := range keyspaces {
		exec(
			t,
			fmt.Sprintf(
				"CREATE KEYSPACE IF NOT EXISTS %s WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': %d}",
				keyspace,
				i+1,
			),
		)
		for _, name := range []string{"joined", "joining", "leaving"} {
			table(t, keyspace+"."+name, "(k int PRIMARY KEY, v text)")
		}
	}
	contact := strings.Split(testHosts(), ",")[0] + ":7000"
	said := strings.Fields(administer(t, "join", "--ring-delay", "20"))
	node := said[len(said)-1]
	dir := filepath.Join(clusterFolder(), "node"+node)
	remove := sync.OnceFunc(func() {
		pid, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(dir, "pid"))))
		require.NoError(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
		require.NoError(t, os.RemoveAll(dir))
	})
	defer remove()
	status := func() (status string) {
		for _, e := range heardByGossip(t, contact) {
			if first, _, _ := strings.Cut(
				e.Get(internode.StateStatusWithPort),
				",",
			); first != "NORMAL" && first != "" &&
				first != "shutdown" {
				status = first
			}
		}
		return status
	}
	wait := func(want string) {
		t.Helper()
		require.Eventually(
			t,
			func() bool { return status() == want },
			10*time.Minute,
			500*time.Millisecond,
			"a node that is %q",
			want,
		)
	}
	var loads []*child
	slow := func(name string) { // from before the change until after it
		for i, keyspace := range keyspaces {
			loads = append(
				loads,
				spawn(
					t,
					nil,
					"load",
					keyspace+"."+name,
					input,
					"--via",
					"stream",
					"--hosts",
					testHosts(),
					"--slice",
					"1MiB",
					"--max-bytes-per-sec",
					fmt.Sprintf("%dKiB", 15*(i+1)),
				),
			)
		}
	}
	requireAll := func(names ...string) {
		t.Helper()
		for _, load := range loads {
			r := load.end(t)
			require.Zero(t, r.code, r.report)
		}
		loads = nil
		for _, n := range tablesOnDisk(t, keyspaces[0], "joined") { // so that none has more than its own
			administer(t, slices.Concat([]string{"nodetool", n.node, "cleanup"})...)
		}
		for i, keyspace := range keyspaces {
			for _, name := range names {
				requireHolders(t, keyspace, name, rows, i+1)
				require.Equal(
					t,
					fmt.Sprint(rows),
					strings.TrimSpace(
						ok(t, "count", keyspace+"."+name, "--consistency", "QUORUM").out,
					),
				)
				require.Equal(
					t,
					fmt.Sprint(rows),
					strings.TrimSpace(
						ok(
							t,
							"count",
							keyspace+"."+name,
							"--via",
							"stream",
							"--listen",
							":0",
							"--consistency",
							"ONE",
						).out,
					),
				)
			}
		}
	}
	slow("joined")
	wait("BOOT")
	for _, keyspace := range keyspaces {
		require.Contains(
			t,
			ok(t, "load", keyspace+".joining", input, "--via", "stream").report,
			"is joining",
		)
	}
	wait("")
	requireAll("joined", "joining")

	slow("leaving")
	left := make(chan error, 1)
	go func() {
		out, err := administered("nodetool", node, "decommission")
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		left <- err
	}()
	wait("LEAVING")
	wait("LEFT")
	require.NoError(t, <-left)
	for _, load := range loads { // those that the node still takes part in
		load.end(t)
	}
	remove() // what it has counts no more
	requireAll("leaving")
}
