package driver

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// patience is how long tests wait for a state.
const patience = 30 * time.Second

// simulate starts a cluster and connects to its first node. Every shard of every node has a
// connection.
func simulate(t *testing.T, o simcluster.Options) (*simcluster.Cluster, *Session) {
	t.Helper()
	c, err := simcluster.Start(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := Connect(t.Context(), Config{Hosts: c.Hosts()[:1], Port: c.Port(), Logf: t.Logf})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.Eventually(t, func() bool {
		for i := range c.Hosts() {
			if s.connections(c.HostID(i)) != max(o.Shards, 2) {
				return false
			}
		}
		return true
	}, patience, time.Millisecond)
	return c, s
}

// target returns the table of the simulated cluster.
func target(t *testing.T, s *Session) (*topology.Cluster, *schema.Table) {
	t.Helper()
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	table, err := s.Table(t.Context(), "ks", "t")
	require.NoError(t, err)
	return nodes, table
}

// cut cuts the table into splits along its placement, and returns the replicas of each.
func cut(
	t *testing.T,
	s *Session,
	nodes *topology.Cluster,
	tablets bool,
) ([]token.Split, func(int) []string) {
	t.Helper()
	const splits = 300
	if tablets {
		ends, replicas, ok, err := s.Tablets(t.Context(), "ks", "t")
		require.NoError(t, err)
		require.True(t, ok)
		placement, err := token.NewPlacement(token.Murmur3, ends, make([][]int, len(ends)))
		require.NoError(t, err)
		return placement.Plan(splits, 1), func(i int) []string {
			var hosts []string
			for _, r := range replicas[i] {
				hosts = append(hosts, r.HostID)
			}
			return hosts
		}
	}
	replication, err := s.Replication(t.Context(), "ks")
	require.NoError(t, err)
	placement, err := nodes.Place(replication)
	require.NoError(t, err)
	return placement.Plan(splits, 1), func(i int) []string {
		var hosts []string
		for _, n := range placement.Replicas(i) {
			hosts = append(hosts, nodes.Nodes[n].ID)
		}
		return hosts
	}
}

// readAll reads the splits, several at a time, each from its replicas in turn. It returns the
// values by key.
func readAll(
	t *testing.T,
	r *Reader,
	splits []token.Split,
	hosts func(int) []string,
) map[string]string {
	t.Helper()
	var mu sync.Mutex
	values := make(map[string]string)
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(8)
	for i, split := range splits {
		group.Go(func() error {
			list := hosts(split.Set)
			host := list[i%len(list)]
			for state := []byte(nil); ; {
				page, err := r.Page(ctx, host, split.Range, state, 3)
				if err != nil {
					return err
				}
				mu.Lock()
				for page.Next() {
					values[string(page.Cells()[0])] = string(page.Cells()[1])
				}
				mu.Unlock()
				state, err = page.State(), page.Err()
				page.Close()
				if err != nil || len(state) == 0 {
					return err
				}
			}
		})
	}
	require.NoError(t, group.Wait())
	return values
}

// astray writes rows to any node. The servers that do not have their tablets report these to the
// driver, so that it knows some tablets afterwards.
func astray(t *testing.T, s *Session, table *schema.Table) {
	t.Helper()
	writer := s.Writer(table, table.Columns)
	for i := range uint64(60) {
		cells := []row.Cell{
			{State: row.Set, Bytes: token.Murmur3.AppendWire(nil, token.Token{Lo: i})},
			{},
		}
		require.NoError(t, writer.Write(t.Context(), "", []row.Row{{Cells: cells}}))
	}
	known, err := s.s.TableTabletsMetadata("ks", "t")
	require.NoError(t, err)
	require.NotEmpty(t, known)
}

func TestPinnedPagesReachReplicaAndShard(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options simcluster.Options
	}{
		{"vnodes", simcluster.Options{Nodes: 3, Shards: 4, Seed: 1}},
		{"vnodes, two data centers", simcluster.Options{Nodes: 6, DCs: []string{"dc1", "dc2"}, Shards: 3, Seed: 2}},
		{"tablets", simcluster.Options{Nodes: 3, Shards: 4, Tablets: 16, Seed: 3}},
		{"tablets of no power of two", simcluster.Options{Nodes: 4, Shards: 5, Tablets: 37, Seed: 4}},
		{"tablets of another table", simcluster.Options{Nodes: 3, Shards: 4, Tablets: 16, Colocated: true, Seed: 5}},
		{"cassandra", simcluster.Options{Nodes: 3, Seed: 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, s := simulate(t, tc.options)
			nodes, table := target(t, s)
			splits, hosts := cut(t, s, nodes, tc.options.Tablets > 0)
			if tc.options.Tablets > 0 {
				astray(t, s, table)
			}
			c.Forget()
			values := readAll(
				t,
				s.Reader(table, Query{Select: []string{"k", "v"}}, token.Murmur3),
				splits,
				hosts,
			)
			require.Len(t, values, len(c.Rows()))
			for _, r := range c.Rows() {
				require.Equal(
					t,
					r.Value,
					values[string(
						token.Murmur3.AppendWire(nil, token.Token{Lo: uint64(r.Key) ^ 1<<63}),
					)],
				)
			}

			requests := c.Requests()
			require.GreaterOrEqual(t, len(requests), len(splits))
			used := make(map[simcluster.Replica]bool)
			for _, r := range requests {
				at := simcluster.Replica{Node: r.Node, Shard: r.Shard}
				used[at] = true
				require.Contains(t, c.Replicas(firstToken(r.Range)), at, "page of %v", r.Range)
				last := make([]int, 0)
				for _, replica := range c.Replicas(r.Range.End) {
					last = append(last, replica.Node)
				}
				require.Contains(t, last, r.Node)
			}
			require.Len(
				t,
				used,
				len(nodes.Local())*max(tc.options.Shards, 1),
				"all shards of the local nodes have their share",
			)
		})
	}
}

func TestPinnedWritesReachReplicaAndShard(t *testing.T) {
	for _, tablets := range []int{0, 16} {
		c, s := simulate(t, simcluster.Options{Shards: 4, Tablets: tablets, Rows: 1, Seed: 7})
		nodes, table := target(t, s)
		cut(t, s, nodes, tablets > 0) // the session remembers the tablets
		c.Forget()
		writer := s.Writer(table, table.Columns)
		var want []simcluster.Write
		for i := range int64(200) {
			key := token.Murmur3.AppendWire(nil, token.Token{Lo: uint64(i) ^ 1<<63})
			r := row.Row{Timestamp: i, Token: token.Murmur3.Hash(key), Cells: []row.Cell{
				{State: row.Set, Bytes: key}, {State: row.Set, Bytes: []byte("new")},
			}}
			replicas := c.Replicas(r.Token)
			host := c.HostID(replicas[int(i)%len(replicas)].Node)
			rows := []row.Row{r, r}[:1+i%2]
			require.NoError(t, writer.Write(t.Context(), host, rows))
			for range rows {
				want = append(want, simcluster.Write{Key: i, Value: []byte("new"), Timestamp: i})
			}
		}
		require.Equal(t, want, c.Written())
		for _, r := range c.Requests() {
			require.Contains(
				t,
				c.Replicas(r.Keys[0]),
				simcluster.Replica{Node: r.Node, Shard: r.Shard},
			)
		}
	}
}

func TestPinnedToStoppedNode(t *testing.T) {
	c, s := simulate(t, simcluster.Options{Shards: 4, Seed: 8})
	_, table := target(t, s)
	reader := s.Reader(table, Count(), token.Murmur3)
	whole := token.Whole(token.Murmur3)
	stopped := c.HostID(1)
	page, err := reader.Page(t.Context(), stopped, whole, nil, 100)
	require.NoError(t, err)
	page.Close()

	c.Forget()
	c.Stop(1)
	require.Eventually(
		t,
		func() bool { return s.connections(stopped) == 0 },
		patience,
		time.Millisecond,
	)
	_, err = reader.Page(t.Context(), stopped, whole, nil, 100)
	require.ErrorContains(t, err, "node "+stopped+" at 127.0.77.2 is down")
	require.Equal(t, fault.Transient, fault.ClassOf(err))
	_, err = reader.Page(t.Context(), "no node", whole, nil, 100)
	require.Equal(t, fault.Transient, fault.ClassOf(err))
	one := []row.Row{
		{Cells: []row.Cell{{State: row.Set, Bytes: make([]byte, 8)}, {State: row.Set}}},
	}
	err = s.Writer(table, table.Columns).Write(t.Context(), stopped, one)
	require.ErrorContains(t, err, "node "+stopped+" at 127.0.77.2 is down")
	require.Equal(t, fault.Transient, fault.ClassOf(err))
	require.Empty(t, c.Requests(), "no other node is asked instead")

	page, err = reader.Page(t.Context(), "", whole, nil, 100)
	require.NoError(t, err, "without a chosen node any node serves")
	page.Close()
	cluster, err := s.Topology(t.Context())
	require.NoError(t, err)
	for _, n := range cluster.Nodes {
		require.Equal(t, n.ID != stopped, n.Up, n.ID)
	}
}
