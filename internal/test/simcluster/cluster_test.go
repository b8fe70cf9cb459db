package simcluster_test

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func start(
	t *testing.T,
	o simcluster.Options,
) (*simcluster.Cluster, *driver.Session, *schema.Table) {
	t.Helper()
	c, err := simcluster.Start(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := driver.Connect(t.Context(), driver.Config{Hosts: c.Hosts(), Port: c.Port()})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	table, err := s.Table(t.Context(), "ks", "t")
	require.NoError(t, err)
	c.Forget()
	return c, s, table
}

// ofTable lists the requests that are not for system tables.
func ofTable(c *simcluster.Cluster) []simcluster.Request {
	return slices.DeleteFunc(
		c.Requests(),
		func(r simcluster.Request) bool { return strings.Contains(r.Statement, "FROM system") },
	)
}

// drain reads a range to its end and gives the number of rows of each page.
func drain(
	t *testing.T,
	r *driver.Reader,
	within token.Range,
	size int,
) (pages []int, first [][]byte) {
	t.Helper()
	for state := []byte(nil); ; {
		page, err := r.Page(t.Context(), "", within, state, size)
		require.NoError(t, err)
		pages = append(pages, page.Rows())
		for page.Next() {
			first = append(first, append([]byte(nil), page.Cells()[0]...))
		}
		state = page.State()
		page.Close()
		if len(state) == 0 {
			return pages, first
		}
	}
}

func TestReads(t *testing.T) {
	c, s, table := start(t, simcluster.Options{Base: "127.0.78.1", Rows: 25, Seed: 1})
	rows := c.Rows()
	require.Len(t, rows, 25)
	reader := s.Reader(table, driver.Query{Select: []string{"k"}}, token.Murmur3)
	pages, keys := drain(t, reader, token.Whole(token.Murmur3), 10)
	require.Equal(t, []int{10, 10, 5}, pages)
	for i, r := range rows {
		require.Equal(t, uint64(r.Key)^1<<63, mustToken(t, keys[i]).Lo)
		require.Equal(t, r.Token, token.Murmur3.Hash(keys[i]), "in the order of tokens")
	}
	within := token.Range{Start: rows[3].Token, End: rows[7].Token}
	pages, keys = drain(t, reader, within, 10)
	require.Equal(t, []int{4}, pages, "after the start, up to the end")
	require.Equal(t, rows[4].Token, token.Murmur3.Hash(keys[0]))
	_, count := drain(t, s.Reader(table, driver.Count(), token.Murmur3), within, 10)
	require.Equal(t, [][]byte{{0, 0, 0, 0, 0, 0, 0, 4}}, count)

	requests := ofTable(c)
	require.Len(t, requests, 5)
	require.Equal(t, []bool{false, true, true, false, false}, []bool{
		requests[0].Paged,
		requests[1].Paged,
		requests[2].Paged,
		requests[3].Paged,
		requests[4].Paged,
	})
	require.Equal(t, 10, requests[1].Rows)
	require.Equal(t, within, requests[3].Range)
	require.Contains(
		t,
		requests[4].Statement,
		"SELECT count(*) FROM ks.t WHERE token(k) > ? AND token(k) <= ?",
	)
	require.Empty(t, requests[4].Keys)

	whole, _ := drain(
		t,
		s.Reader(table, driver.Query{Select: []string{"k", "v"}}, nil),
		token.Range{},
		100,
	)
	require.Equal(t, []int{25}, whole)
}

func mustToken(t *testing.T, wire []byte) token.Token {
	t.Helper()
	v, err := token.Murmur3.ReadWire(wire)
	require.NoError(t, err)
	return v
}

func TestTopology(t *testing.T) {
	c, s, _ := start(
		t,
		simcluster.Options{
			Base:   "127.0.78.1",
			Nodes:  4,
			DCs:    []string{"east", "west"},
			Tokens: 5,
			Shards: 6,
			Seed:   2,
		},
	)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes.Nodes, 4)
	require.Equal(t, "east", nodes.LocalDC)
	require.Equal(t, []string{"east", "west"}, nodes.DCs())
	for i, n := range nodes.Nodes {
		which := []int{0, 2, 1, 3}[i] // the nodes are dealt out in turn
		require.Equal(t, c.HostID(which), n.ID)
		require.Equal(t, net.JoinHostPort(c.Hosts()[which], strconv.Itoa(c.Port())), n.Address)
		require.Equal(t, []string{"r1", "r2"}[i%2], n.Rack)
		require.Len(t, n.Tokens, 5)
		require.Equal(t, 6, n.Cores)
	}
	replicas := c.Replicas(token.Murmur3.Max())
	require.Len(t, replicas, 4, "two in each data center")
	for _, r := range replicas {
		require.Equal(t, 5, r.Shard, "the last slice of the last stripe")
	}
}

func TestRefuse(t *testing.T) {
	c, s, table := start(
		t,
		simcluster.Options{
			Base: "127.0.78.1",
			Seed: 3,
			Refuse: func(r simcluster.Request) message.Error {
				switch {
				case r.Range != token.Range{}:
					return &message.ReadTimeout{ErrorMessage: "too slow"}
				case len(r.Keys) > 1:
					return &message.Overloaded{ErrorMessage: "too much"}
				}
				return nil
			},
		},
	)
	_, err := s.Reader(table, driver.Count(), token.Murmur3).
		Page(t.Context(), "", token.Whole(token.Murmur3), nil, 10)
	require.ErrorContains(t, err, "too slow")
	one := row.Row{
		Timestamp: 9,
		Cells: []row.Cell{
			{State: row.Set, Bytes: make([]byte, 8)},
			{State: row.Set, Bytes: []byte("x")},
		},
	}
	null := row.Row{
		Timestamp: 10,
		Cells:     []row.Cell{{State: row.Set, Bytes: make([]byte, 8)}, {State: row.Null}},
	}
	writer := s.Writer(table, table.Columns)
	err = writer.Write(t.Context(), c.HostID(2), []row.Row{one, one})
	require.ErrorContains(t, err, "too much")
	require.Empty(t, c.Written())
	require.NoError(t, writer.Write(t.Context(), c.HostID(2), []row.Row{one}))
	require.NoError(t, writer.Write(t.Context(), c.HostID(1), []row.Row{null}))
	require.Equal(
		t,
		[]simcluster.Write{{Value: []byte("x"), Timestamp: 9}, {Timestamp: 10}},
		c.Written(),
	)
	requests := ofTable(c)
	require.Len(t, requests, 4, "refused ones are written down too")
	require.Equal(t, 2, requests[1].Rows)
	require.Equal(t, 2, requests[1].Node)
	require.Equal(t, 1, requests[3].Node)
	require.Equal(t, []token.Token{token.Murmur3.Hash(make([]byte, 8))}, requests[3].Keys)
}

func TestUnknownTable(t *testing.T) {
	_, s, _ := start(t, simcluster.Options{Base: "127.0.78.1", Seed: 4})
	_, err := s.Table(t.Context(), "ks", "tt")
	require.ErrorIs(t, err, driver.ErrNotFound)
	require.Error(
		t,
		s.Exec(t.Context(), "DROP TABLE ks.t"),
		"what it does not understand it does not do",
	)
}

func TestSameSeedSameCluster(t *testing.T) {
	var rows [2][]simcluster.Row
	for i := range rows {
		c, err := simcluster.Start(
			simcluster.Options{Base: "127.0.79.1", Shards: 2, Tablets: 4, Seed: 5},
		)
		require.NoError(t, err)
		rows[i] = c.Rows()
		c.Close()
	}
	require.Equal(t, rows[0], rows[1])
	_, err := simcluster.Start(simcluster.Options{Base: "localhost"})
	require.ErrorContains(t, err, "localhost")
}

func TestCloseLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	c, err := simcluster.Start(simcluster.Options{Base: "127.0.79.1", Shards: 2, Seed: 6})
	require.NoError(t, err)
	idle, err := net.Dial("tcp", net.JoinHostPort(c.Hosts()[0], strconv.Itoa(c.Port())))
	require.NoError(t, err)
	defer idle.Close()
	c.Close()
	_, err = net.Dial("tcp", net.JoinHostPort(c.Hosts()[0], strconv.Itoa(c.Port())))
	require.Error(t, err)
}
