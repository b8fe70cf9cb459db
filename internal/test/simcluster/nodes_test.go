package simcluster_test

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const patience = time.Minute

func TestStopAndRestart(t *testing.T) {
	for _, shards := range []int{0, 2} {
		c := launch(t, simcluster.Options{Rows: 10, Shards: shards})
		cl := dial(t, c, 1)
		id := cl.ask(&message.Prepare{Query: "SELECT k FROM ks.t"}).Message.(*message.PreparedResult).PreparedQueryId
		execute := &message.Execute{QueryId: id, Options: &message.QueryOptions{}}
		require.IsType(t, &message.RowsResult{}, cl.ask(execute).Message)
		require.IsType(
			t,
			&message.Unprepared{},
			dial(t, c, 0).ask(execute).Message,
			"each node knows what was prepared on it",
		)
		c.Stop(1)
		_, err := cl.receive()
		require.Error(t, err)
		_, err = net.Dial("tcp", net.JoinHostPort(c.Hosts()[1], strconv.Itoa(c.Port())))
		require.Error(t, err)
		require.NoError(t, c.Restart(1))
		require.NoError(t, c.Restart(1))
		require.IsType(t, &message.Unprepared{}, dial(t, c, 1).ask(execute).Message)
		c.Close()
		require.Error(t, c.Restart(1))
		_, err = c.Join("", "")
		require.Error(t, err)
	}
}

func TestEvents(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 1})
	cl := dial(t, c, 0)
	register := &message.Register{EventTypes: []primitive.EventType{
		primitive.EventTypeStatusChange,
		primitive.EventTypeTopologyChange,
		primitive.EventTypeSchemaChange,
	}}
	require.IsType(t, &message.Ready{}, cl.ask(register).Message)
	dial(t, c, 1).ask(&message.Options{}) // who does not register hears nothing
	next := func() message.Message {
		f, err := cl.receive()
		require.NoError(t, err)
		require.Equal(t, int16(-1), f.Header.StreamId)
		return f.Body.Message
	}
	at := func(m message.Message) string {
		switch m := m.(type) {
		case *message.StatusChangeEvent:
			return string(m.ChangeType) + " " + m.Address.Addr.String()
		case *message.TopologyChangeEvent:
			return string(m.ChangeType) + " " + m.Address.Addr.String()
		case *message.SchemaChangeEvent:
			return string(m.ChangeType) + " " + m.Keyspace + "." + m.Object
		default:
			return "no event"
		}
	}
	c.Stop(2)
	require.Equal(t, "DOWN "+c.Hosts()[2], at(next()))
	c.Stop(2)
	require.NoError(t, c.Restart(2))
	require.Equal(t, "UP "+c.Hosts()[2], at(next()), "a second stop is none")
	require.NoError(t, c.Move(1))
	require.Equal(t, "MOVED_NODE "+c.Hosts()[1], at(next()))
	require.NoError(t, c.Drop("ks.t"))
	require.Equal(t, "DROPPED ks.t", at(next()))
	require.NoError(t, c.Leave(2))
	require.Equal(t, "REMOVED_NODE "+c.Hosts()[2], at(next()))
}

func TestJoinMoveLeave(t *testing.T) {
	for _, tablets := range []int{0, 12} {
		c := launch(
			t,
			simcluster.Options{Rows: 50, Nodes: 3, Racks: 2, Shards: 2, Tablets: tablets, Seed: 9},
		)
		replicas := func() [][]simcluster.Replica {
			var all [][]simcluster.Replica
			for _, r := range c.Rows() {
				all = append(all, c.Replicas(r.Token))
			}
			return all
		}
		holds := func(node int) bool {
			for _, set := range replicas() {
				require.Len(t, set, 2)
				for _, at := range set {
					if at.Node == node {
						return true
					}
				}
			}
			return false
		}
		peers := func() int { return len(dial(t, c, 0).rows("SELECT peer FROM system.peers", 0)) }
		require.Equal(t, 2, peers())
		before := replicas()
		i, err := c.Join("", "r2")
		require.NoError(t, err)
		require.Equal(t, 3, i)
		require.True(t, holds(3))
		require.NotEqual(t, before, replicas())
		require.Equal(t, 3, peers())
		require.Len(t, dial(t, c, 3).rows("SELECT k FROM ks.t", 0), 50)
		before = replicas()
		require.NoError(t, c.Move(0))
		require.NotEqual(t, before, replicas())
		require.NoError(t, c.Leave(1))
		require.False(t, holds(1))
		require.Equal(t, 2, peers())
		require.Error(t, c.Restart(1))
		require.NoError(t, c.Leave(3))
		require.ErrorContains(t, c.Leave(0), "2 replicas")
	}
}

// A session gets to know of a node that joins.
func TestDriverHearsOfNode(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 10, Cores: 5})
	s, table := connect(t, c, driver.Config{})
	_, err := c.Join("", "")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		nodes, err := s.Topology(t.Context())
		require.NoError(t, err)
		return len(nodes.Nodes) == 4 && nodes.Nodes[0].Cores == 5
	}, patience, 10*time.Millisecond)
	reader := s.Reader(table, driver.Count(), token.Murmur3)
	require.Eventually(t, func() bool {
		page, err := reader.Page(t.Context(), c.HostID(3), token.Whole(token.Murmur3), nil, 1)
		if err != nil {
			return false
		}
		page.Close()
		return true
	}, patience, 10*time.Millisecond)
}

func TestRacks(t *testing.T) {
	c := launch(
		t,
		simcluster.Options{Nodes: 8, DCs: []string{"a", "b"}, Racks: 2, Factor: 2, Rows: 30},
	)
	s, _ := connect(t, c, driver.Config{})
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	rack := make(map[string]string)
	count := make(map[string]int)
	for _, n := range nodes.Nodes {
		rack[n.ID] = n.DC + n.Rack
		count[n.DC+n.Rack]++
	}
	require.Equal(t, map[string]int{"ar1": 2, "ar2": 2, "br1": 2, "br2": 2}, count)
	for _, r := range c.Rows() {
		racks := make(map[string]bool)
		for _, at := range c.Replicas(r.Token) {
			racks[rack[c.HostID(at.Node)]] = true
		}
		require.Len(t, racks, 4, "one replica in each rack")
	}
}

// Clusters of one process do not meet.
func TestManyAtOnce(t *testing.T) {
	for range 10 {
		c := launch(t, simcluster.Options{Rows: 1})
		require.Len(t, dial(t, c, 2).rows("SELECT k FROM ks.t", 0), 1)
	}
}
