package simcluster_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// changing is a cluster whose nodes hold rows of their own, of a table with 40 rows.
func changing(t *testing.T, o simcluster.Options) *simcluster.Cluster {
	o.Seed, o.Rows, o.Replicated, o.Storage = 3, 40, true, func(int, *internodetest.Node) {}
	return launch(t, o)
}

// missing counts the copies that replicas lack of the rows of the table, and rows that no replica
// has.
func missing(c *simcluster.Cluster) (copies, rows int) {
	held := make([]map[string]bool, len(c.Hosts()))
	for n := range held {
		held[n] = make(map[string]bool)
		for _, r := range c.Held(n, "ks.t") {
			held[n][fmt.Sprint(r)] = true
		}
	}
	for _, r := range c.Records("ks.t") {
		owners := c.Replicas(r.Token)
		lack := slices.DeleteFunc(
			slices.Clone(owners),
			func(o simcluster.Replica) bool { return held[o.Node][fmt.Sprint(r)] },
		)
		copies += len(lack)
		if len(lack) == len(owners) {
			rows++
		}
	}
	return copies, rows
}

// insert writes rows by CQL, by way of a node.
func insert(t *testing.T, c *simcluster.Cluster, node, from int) {
	conn := dial(t, c, node)
	for k := from; k < from+40; k++ {
		require.IsType(
			t,
			&message.VoidResult{},
			conn.run(fmt.Sprintf("INSERT INTO ks.t (k, v) VALUES (%d, 'v')", k), nil),
		)
	}
}

var whole = token.Whole(token.Murmur3)

// What is there before a change, and what is written by CQL at any time of it, is on all replicas
// when it ends.
func TestChangesOfTheRing(t *testing.T) {
	for name, begin := range map[string]func(c *simcluster.Cluster) (*simcluster.Change, error){
		"join":           func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginJoin("", "") },
		"decommission":   func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginLeave(1) },
		"move":           func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginMove(1) },
		"alter keyspace": func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginAlter(1, 3) },
		"replace": func(c *simcluster.Cluster) (*simcluster.Change, error) {
			c.Kill(1)
			return c.BeginReplace(1)
		},
		"removenode": func(c *simcluster.Cluster) (*simcluster.Change, error) {
			c.Kill(1)
			return c.BeginRemove(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := changing(t, simcluster.Options{Nodes: 4, Tokens: 1})
			ch, err := begin(c)
			require.NoError(t, err)
			_, err = c.BeginJoin("", "")
			require.ErrorContains(t, err, "under way")
			require.ErrorContains(t, c.Move(0), "under way")
			ch.AnnounceAll()
			insert(t, c, 0, 1000)
			ch.Transfer(whole)
			insert(t, c, 2, 2000)
			copies, _ := missing(c)
			require.Zero(t, copies)
			require.NoError(t, ch.Finish())
			insert(t, c, 3, 3000) // a node that has not heard writes to both
			ch.AnnounceAll()
			copies, _ = missing(c)
			require.Zero(t, copies)
			c.Cleanup()
			copies, _ = missing(c)
			require.Zero(t, copies)
			require.Error(t, ch.Finish())
		})
	}
}

// What reaches only the natural replicas, when the pending ones have got their rows, is lost to
// those.
func TestRowsThatMissAChange(t *testing.T) {
	for _, transferred := range []bool{false, true} {
		c := changing(t, simcluster.Options{Nodes: 2, Factor: 1, Tokens: 1})
		source := launch(t, simcluster.Options{Seed: 9, Rows: 300})
		ch, err := c.BeginLeave(1)
		require.NoError(t, err)
		ch.AnnounceAll()
		if transferred {
			ch.Transfer(whole)
		}
		codec, in := streamable(t, source.Columns("ks.t"))
		var client internode.Client
		for node := range 2 {
			f := fileOfRows(
				t,
				codec,
				in,
				source.Records("ks.t"),
				func(at token.Token) bool { return holds(c, node, at) },
			)
			f.Table = c.TableID("ks.t")
			_, err := client.Stream(
				t.Context(),
				storage(c, node),
				[]internode.File{f},
				internode.Watch{},
			)
			require.NoError(t, err)
		}
		if !transferred {
			ch.Transfer(whole)
		}
		require.NoError(t, ch.Finish())
		_, rows := missing(c)
		require.Equal(t, transferred, rows > 0, "%d rows are lost", rows)
	}
}

// A change that is given up leaves the ring as it was.
func TestChangeThatIsGivenUp(t *testing.T) {
	c := changing(t, simcluster.Options{Nodes: 3})
	before := statuses(t, c, 0)
	for _, begin := range []func() (*simcluster.Change, error){
		func() (*simcluster.Change, error) { return c.BeginJoin("", "") },
		func() (*simcluster.Change, error) { return c.BeginLeave(1) },
	} {
		ch, err := begin()
		require.NoError(t, err)
		ch.AnnounceAll()
		require.NotEqual(t, before, statuses(t, c, 0))
		require.NoError(t, ch.Abort())
		ch.AnnounceAll()
		require.Equal(t, before, statuses(t, c, 0))
		copies, _ := missing(c)
		require.Zero(t, copies)
	}
}

// statuses is what a node has heard of each node, by gossip.
func statuses(t *testing.T, c *simcluster.Cluster, node int) map[string]string {
	l, err := internode.Listen("127.0.0.1:0", nil)
	require.NoError(t, err)
	defer l.Close()
	var client internode.Client
	all, err := client.Gossip(
		t.Context(),
		storage(c, node),
		l,
		internode.Syn{
			Cluster:     "simulated",
			Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
		},
	)
	require.NoError(t, err)
	told := make(map[string]string)
	for _, e := range all {
		tokens, err := e.Tokens()
		require.NoError(t, err)
		require.NotEmpty(t, tokens)
		told[e.Address.Addr().String()] = e.Get(internode.StateStatusWithPort)
	}
	return told
}

// Nodes hear of a change one after the other, and show it in system tables and by gossip.
func TestNodesThatHearOfAChange(t *testing.T) {
	c := changing(t, simcluster.Options{Nodes: 3, Factor: 2})
	ch, err := c.BeginJoin("", "")
	require.NoError(t, err)
	joining := c.Hosts()[ch.Node]
	require.NotContains(t, statuses(t, c, 0), joining)
	ch.Announce(0)
	require.Regexp(t, `^BOOT,-?\d+$`, statuses(t, c, 0)[joining])
	require.NotContains(t, statuses(t, c, 1), joining)
	infos := dial(
		t,
		c,
		0,
	).rows("SELECT address, port, status_with_port, host_id FROM system_views.gossip_info", 0)
	require.Len(t, infos, 4)
	require.Len(t, dial(t, c, 0).rows("SELECT peer FROM system.peers", 0), 2)
	require.NoError(t, ch.Finish())
	require.Len(t, dial(t, c, 1).rows("SELECT peer FROM system.peers", 0), 2)
	ch.AnnounceAll()
	require.Len(t, dial(t, c, 1).rows("SELECT peer FROM system.peers", 0), 3)
	require.Len(t, dial(t, c, ch.Node).rows("SELECT peer FROM system.peers", 0), 3)
	require.Regexp(t, `^NORMAL,`, statuses(t, c, 1)[joining])
}
