package simcluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// fine is the class of no error at all.
const fine fault.Class = 255

func classOf(err error) fault.Class {
	if err == nil {
		return fine
	}
	return fault.ClassOf(err)
}

func connect(
	t *testing.T,
	c *simcluster.Cluster,
	cfg driver.Config,
) (*driver.Session, *schema.Table) {
	t.Helper()
	cfg.Hosts, cfg.Port = c.Hosts(), c.Port()
	s, err := driver.Connect(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	table, err := s.Table(t.Context(), "ks", "t")
	require.NoError(t, err)
	return s, table
}

// Every fault as the driver sees it: the class of a read's and of a write's error, and how many of
// a batch of four rows were written.
func TestFaultsThroughDriver(t *testing.T) {
	for _, tc := range []struct {
		fault   simcluster.Fault
		read    fault.Class
		write   fault.Class
		applied int
	}{
		{simcluster.None, fine, fine, 4},
		{simcluster.ReadTimeout, fault.Unknown, fine, 4},
		{simcluster.ReadFailure, fault.Unknown, fine, 4},
		{simcluster.WriteTimeout, fine, fault.Unknown, 0},
		{simcluster.WriteTimeoutApplied, fine, fault.Unknown, 4},
		{simcluster.WriteTimeoutPartly, fine, fault.Unknown, 2},
		{simcluster.WriteFailure, fine, fault.Unknown, 0},
		{simcluster.WriteFailureApplied, fine, fault.Unknown, 4},
		{simcluster.Overloaded, fault.Overloaded, fault.Overloaded, 0},
		{simcluster.OverloadedPartly, fine, fault.Overloaded, 2},
		{simcluster.Unavailable, fault.Transient, fault.Transient, 0},
		{simcluster.UnavailablePartly, fine, fault.Transient, 2},
		{simcluster.Bootstrapping, fault.Transient, fault.Transient, 0},
		{simcluster.ServerError, fault.Unknown, fault.Unknown, 0},
		{simcluster.ServerErrorApplied, fine, fault.Unknown, 4},
		{simcluster.Unprepared, fine, fine, 4}, // it is prepared again
		{simcluster.Unconfigured, fault.Fatal, fault.Fatal, 0},
		{simcluster.DropBefore, fault.Unknown, fault.Unknown, 0},
		{simcluster.DropApplied, fault.Unknown, fault.Unknown, 4},
		{simcluster.DropMidFrame, fault.Unknown, fault.Unknown, 4},
		{simcluster.Silence, fault.Unknown, fault.Unknown, 0},
		{simcluster.SilentApplied, fine, fault.Unknown, 4},
		{simcluster.EmptyPage, fine, fine, 4},
		{simcluster.ShortPage, fine, fine, 4},
		{simcluster.TrailingPage, fine, fine, 4},
	} {
		t.Run(tc.fault.String(), func(t *testing.T) {
			c := launch(t, simcluster.Options{Rows: 10})
			s, table := connect(t, c, driver.Config{Timeout: time.Second})
			reader := s.Reader(
				table,
				driver.Query{Select: []string{"k"}},
				token.Murmur3,
			)
			writer := s.Writer(table, table.Columns)
			read := func() error {
				page, err := reader.Page(t.Context(), "", token.Whole(token.Murmur3), nil, 100)
				if err == nil {
					page.Close()
				}
				return err
			}
			var rows []row.Row
			for i := range int64(4) {
				rows = append(
					rows,
					row.Row{
						Timestamp: 9,
						Cells: []row.Cell{
							{State: row.Set, Bytes: long(i)},
							{State: row.Set, Bytes: []byte("new")},
						},
					},
				)
			}
			rule := c.Inject(simcluster.Rule{Fault: tc.fault, Times: 1})
			require.Equal(t, tc.read, classOf(read()), "read")
			require.Equal(t, 1, rule.Hits())
			require.NoError(t, read())

			c.Inject(simcluster.Rule{Fault: tc.fault, Times: 1})
			require.Equal(t, tc.write, classOf(writer.Write(t.Context(), "", rows)), "write")
			applied := c.Applied()
			require.Len(t, applied, tc.applied)
			for _, a := range applied {
				require.Equal(t, tc.write == fine, a.Acknowledged)
			}
			require.Len(t, c.Records("ks.t"), 10+tc.applied)
		})
	}
}

func TestRules(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 10})
	cl := dial(t, c, 1)
	select1 := func() *message.QueryOptions {
		return &message.QueryOptions{Consistency: primitive.ConsistencyLevelQuorum, PageSize: 3}
	}
	var seen []simcluster.Request
	called := 0
	rule := c.Inject(simcluster.Rule{
		Match: func(r simcluster.Request) bool { seen = append(seen, r); return r.PageSize == 3 },
		Skip:  1,
		Times: 2,
		Fault: simcluster.Answer,
		Error: &message.Unauthorized{ErrorMessage: "no"},
		Do:    func() { called++; c.Unprepare(-1) },
	})
	var got []bool
	for range 4 {
		_, ok := cl.run("SELECT k FROM ks.t", select1()).(*message.Unauthorized)
		got = append(got, ok)
	}
	require.Equal(t, []bool{false, true, true, false}, got)
	require.Equal(t, 2, rule.Hits())
	require.Equal(t, 2, called)
	require.Equal(t, 1, seen[0].Node)
	require.Equal(t, "ks.t", seen[0].Table)
	require.Equal(t, primitive.ConsistencyLevelQuorum, seen[0].Consistency)
	require.Equal(t, simcluster.Answer, c.Requests()[1].Fault)
	require.Equal(t, 2, c.Requests()[1].Number)
	require.Equal(t, map[simcluster.Fault]int{simcluster.Answer: 2}, c.Tally().Faults)
	rule.Remove()

	prepare := &message.Prepare{Query: "SELECT k FROM ks.t"}
	c.Inject(simcluster.Rule{Prepares: true, Fault: simcluster.Overloaded, Times: 1})
	require.IsType(t, &message.RowsResult{}, cl.run("SELECT k FROM ks.t", select1()))
	require.IsType(t, &message.Overloaded{}, cl.ask(prepare).Message)
	require.IsType(t, &message.PreparedResult{}, cl.ask(prepare).Message)

	c.Inject(
		simcluster.Rule{
			Match: func(r simcluster.Request) bool { return r.Table == "system.local" },
			Fault: simcluster.ServerError,
		},
	)
	require.IsType(t, &message.ServerError{}, cl.run("SELECT * FROM system.local", nil))
	c.Calm()
	require.IsType(t, &message.RowsResult{}, cl.run("SELECT * FROM system.local", nil))
}

func TestWarningsAndDelays(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 10})
	cl := dial(t, c, 0)
	c.Inject(simcluster.Rule{Warnings: []string{"careful"}, Times: 1})
	query := &message.Query{Query: "SELECT k FROM ks.t", Options: &message.QueryOptions{}}
	require.Equal(t, []string{"careful"}, cl.ask(query).Warnings)
	require.Empty(t, cl.ask(query).Warnings)

	c.Slow(0, simcluster.Delay{Min: time.Hour})
	cl.send(query) // the end of the cluster ends the delay
	require.Eventually(
		t,
		func() bool { return c.Tally().Delays == 1 },
		time.Minute,
		time.Millisecond,
	)
	require.IsType(
		t,
		&message.RowsResult{},
		dial(t, c, 1).ask(query).Message,
		"only the node is slow",
	)
	c.Slow(0, simcluster.Delay{})
	require.IsType(t, &message.RowsResult{}, dial(t, c, 0).ask(query).Message)
	c.Slow(0, simcluster.Delay{Mean: time.Microsecond})
	require.IsType(t, &message.RowsResult{}, dial(t, c, 0).ask(query).Message)
}

// A connection that ends in the middle of an answer has brought some of it.
func TestDropMidFrame(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 1000})
	c.Inject(simcluster.Rule{Fault: simcluster.DropMidFrame})
	cl := dial(t, c, 0)
	cl.send(&message.Query{Query: "SELECT k FROM ks.t", Options: &message.QueryOptions{}})
	header := make([]byte, 9)
	_, err := cl.socket.Read(header)
	require.NoError(t, err)
	_, err = cl.receive()
	require.Error(t, err)
}

// What the nodes refuse by themselves, for want of replicas.
func TestTooFewReplicas(t *testing.T) {
	for _, tablets := range []int{0, 8} {
		c := launch(
			t,
			simcluster.Options{
				Rows:    10,
				Nodes:   6,
				DCs:     []string{"dc1", "dc2"},
				Tablets: tablets,
				Seed:    4,
			},
		)
		cl := dial(t, c, 0)
		whole := func(level primitive.ConsistencyLevel) message.Message {
			return cl.run("SELECT k FROM ks.t", &message.QueryOptions{Consistency: level})
		}
		require.IsType(t, &message.RowsResult{}, whole(primitive.ConsistencyLevelAll))
		c.Stop(2) // the second of dc1
		require.IsType(t, &message.Unavailable{}, whole(primitive.ConsistencyLevelAll))
		require.IsType(
			t,
			&message.Unavailable{},
			whole(primitive.ConsistencyLevelLocalQuorum),
			"two of two",
		)
		require.IsType(
			t,
			&message.RowsResult{},
			whole(primitive.ConsistencyLevelQuorum),
			"three of four",
		)
		require.IsType(t, &message.RowsResult{}, whole(primitive.ConsistencyLevelLocalOne))

		short := 0
		for _, r := range c.Rows() {
			missing := false
			for _, at := range c.Replicas(r.Token) {
				missing = missing || at.Node == 2
			}
			answer := cl.run(
				"INSERT INTO ks.t (k) VALUES (?)",
				&message.QueryOptions{Consistency: primitive.ConsistencyLevelAll},
				long(r.Key),
			)
			within := cl.run(
				"SELECT k FROM ks.t WHERE token(k) > ? AND token(k) <= ?",
				&message.QueryOptions{Consistency: primitive.ConsistencyLevelAll},
				token.Murmur3.AppendWire(
					nil,
					token.Token{Lo: r.Token.Lo - 1},
				),
				token.Murmur3.AppendWire(nil, r.Token),
			)
			if missing {
				short++
				require.IsType(t, &message.Unavailable{}, answer)
				require.IsType(t, &message.Unavailable{}, within)
			} else {
				require.IsType(t, &message.VoidResult{}, answer)
				require.Len(t, within.(*message.RowsResult).Data, 1)
			}
		}
		require.Greater(t, short, 0)
		require.Less(t, short, 10)
		require.NoError(t, c.Restart(2))
		require.IsType(t, &message.RowsResult{}, whole(primitive.ConsistencyLevelAll))
	}
}

func TestNamesOfFaults(t *testing.T) {
	seen := make(map[string]bool)
	for f := simcluster.None; f <= simcluster.TrailingPage; f++ {
		require.False(t, seen[f.String()] || strings.TrimSpace(f.String()) == "", "%d", f)
		seen[f.String()] = true
	}
}
