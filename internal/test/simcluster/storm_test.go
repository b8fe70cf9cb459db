package simcluster_test

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var mixed = simcluster.Faults{
	Seed:        1,
	Overloaded:  0.2,
	ServerError: 0.2,
	ReadTimeout: 0.1,
	ShortPage:   0.2,
	Warning:     0.5,
	Slow:        0.1,
	Delay:       simcluster.Delay{Mean: 1},
}

// met is the faults that a row of equal requests meets.
func met(t *testing.T, f simcluster.Faults, requests int) []simcluster.Fault {
	t.Helper()
	c := launch(t, simcluster.Options{Rows: 3, Faults: f})
	cl := dial(t, c, 0)
	for range requests {
		cl.run("SELECT k FROM ks.t", nil)
	}
	var all []simcluster.Fault
	for i, r := range c.Requests() {
		require.Equal(t, i+1, r.Number)
		all = append(all, r.Fault)
	}
	return all
}

func TestSameSeedSameFaults(t *testing.T) {
	first := met(t, mixed, 100)
	require.Equal(t, first, met(t, mixed, 100))
	other := mixed
	other.Seed++
	require.NotEqual(t, first, met(t, other, 100))
	count := make(map[simcluster.Fault]int)
	for _, f := range first {
		count[f]++
	}
	require.Len(t, count, 5, "none and four")
	require.InDelta(t, 30, count[simcluster.None], 20)

	until := mixed
	until.Until = 40
	require.Equal(t, append(first[:40:40], make([]simcluster.Fault, 60)...), met(t, until, 100))
}

// Numbered by content, concurrent requests meet the same faults in any order.
func TestFaultsByContent(t *testing.T) {
	f := mixed
	f.ByContent = true
	var runs [2]map[string][]simcluster.Fault
	for i := range runs {
		c := launch(t, simcluster.Options{Rows: 3, Faults: f})
		var clients sync.WaitGroup
		for range 4 {
			cl := dial(t, c, 0)
			clients.Go(func() {
				for j := range 50 {
					cl.send(
						&message.Query{
							Query:   fmt.Sprintf("SELECT k FROM ks.t WHERE k = %d", j%10),
							Options: &message.QueryOptions{},
						},
					)
					_, _ = cl.receive()
				}
			})
		}
		clients.Wait()
		runs[i] = make(map[string][]simcluster.Fault)
		for _, r := range c.Requests() {
			runs[i][r.Statement] = append(runs[i][r.Statement], r.Fault)
		}
		for _, faults := range runs[i] {
			require.Len(t, faults, 20)
			slices.Sort(faults)
		}
	}
	require.Equal(t, runs[0], runs[1])
	require.NotEqual(
		t,
		runs[0]["SELECT k FROM ks.t WHERE k = 1"],
		runs[0]["SELECT k FROM ks.t WHERE k = 2"],
	)
}

func TestFaultsOfSystem(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 3, Faults: simcluster.Faults{Overloaded: 1}})
	cl := dial(t, c, 0)
	prepare := &message.Prepare{Query: "SELECT k FROM ks.t"}
	require.IsType(t, &message.RowsResult{}, cl.run("SELECT key FROM system.local", nil))
	require.IsType(t, &message.PreparedResult{}, cl.ask(prepare).Message)
	require.IsType(t, &message.Overloaded{}, cl.run("SELECT k FROM ks.t", nil))
	require.NoError(t, c.Disturb(simcluster.Faults{Overloaded: 1, System: true, Prepares: true}))
	require.IsType(t, &message.Overloaded{}, cl.run("SELECT key FROM system.local", nil))
	require.IsType(t, &message.Overloaded{}, cl.ask(prepare).Message)
	c.Calm()
	require.IsType(t, &message.RowsResult{}, cl.run("SELECT k FROM ks.t", nil))
}

func TestRatesRefused(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 1})
	require.ErrorContains(t, c.Disturb(simcluster.Faults{Overloaded: 1.1}), "overloaded")
	require.ErrorContains(t, c.Disturb(simcluster.Faults{Slow: -1}), "-1")
	require.ErrorContains(t, c.Disturb(simcluster.Faults{Overloaded: 0.6, ReadTimeout: 0.6}), "1.2")
	require.NoError(t, c.Disturb(simcluster.Faults{WriteTimeout: 0.6, ReadTimeout: 0.6}))
	for seed := range uint64(2000) {
		require.NoError(t, c.Disturb(simcluster.Storm(seed, 1, 10)), "seed %d", seed)
	}
	require.Equal(t, simcluster.Storm(3, 0.5, 10), simcluster.Storm(3, 0.5, 10))
	require.NotEqual(t, simcluster.Storm(3, 0.5, 10), simcluster.Storm(4, 0.5, 10))
}

// A node that goes down comes back when the faults end, and never are two down.
func TestNodeDown(t *testing.T) {
	c := launch(
		t,
		simcluster.Options{
			Rows: 3,
			Faults: simcluster.Faults{
				Until:    30,
				NodeDown: 1,
				DownFor:  patience,
				Move:     0.2,
				Join:     1,
			},
		},
	)
	for range 29 {
		for node := range 3 {
			cl := dialIfUp(t, c, node)
			if cl == nil {
				continue
			}
			if err := codec.EncodeFrame(selectKeys(), cl.socket); err == nil {
				_, _ = cl.receive()
			}
		}
	}
	tally := c.Tally()
	require.Equal(t, 1, tally.Downs, "the first stays down")
	require.Equal(t, 3, tally.Joins)
	require.Positive(t, tally.Moves)
	require.Len(t, c.Hosts(), 6)
	for node := range 6 {
		require.Eventually(t, func() bool { return dialIfUp(t, c, node) != nil }, patience, 1000)
	}
}

// A node whose port another process has for a moment comes back all the same.
func TestNodeComesBackToAPortThatWasTaken(t *testing.T) {
	c := launch(
		t,
		simcluster.Options{
			Nodes:  2,
			Rows:   3,
			Faults: simcluster.Faults{Until: 30, NodeDown: 1, DownFor: patience},
		},
	)
	var taken net.Listener
	for range 30 {
		for node, host := range c.Hosts() {
			cl := dialIfUp(t, c, node)
			if cl == nil && taken == nil {
				var err error
				taken, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(c.Port())))
				require.NoError(t, err)
				defer taken.Close()
			}
			if cl == nil ||
				taken != nil && taken.Addr().String() == cl.socket.RemoteAddr().String() {
				continue
			}
			if err := codec.EncodeFrame(selectKeys(), cl.socket); err == nil {
				_, _ = cl.receive()
			}
		}
	}
	require.NotNil(t, taken, "no node went down")
	require.NoError(t, taken.Close())
	for node := range c.Hosts() {
		require.Eventually(t, func() bool { return dialIfUp(t, c, node) != nil }, patience, 1000)
	}
}

// Whatever the weather, a client that sends again what failed reads every row and
// writes every row, and what was acknowledged was written.
func TestStorms(t *testing.T) {
	total := make(map[simcluster.Fault]int)
	for seed := range uint64(25) {
		c := launch(t, simcluster.Options{Rows: 60, Seed: seed})
		s, table := connect(t, c, driver.Config{})
		require.NoError(t, c.Disturb(simcluster.Storm(seed, 0.7, 150)))
		reader := s.Reader(
			table,
			driver.Query{Select: []string{"k", "v"}},
			token.Murmur3,
		)
		writer := s.Writer(table, table.Columns)
		want := c.Rows()
		var got []string
		var group errgroup.Group
		group.Go(func() error {
			for state := []byte(nil); ; {
				page, err := reader.Page(t.Context(), "", token.Whole(token.Murmur3), state, 7)
				if fault.Retryable(err, true) {
					continue
				}
				if err != nil {
					return err
				}
				for page.Next() {
					if v := string(page.Cells()[1]); v != "new" {
						got = append(got, v)
					}
				}
				state = page.State()
				page.Close()
				if len(state) == 0 {
					return nil
				}
			}
		})
		group.Go(func() error {
			for i := range int64(40) {
				r := row.Row{
					Timestamp: 10 + i,
					Cells: []row.Cell{
						{State: row.Set, Bytes: long(i)},
						{State: row.Set, Bytes: []byte("new")},
					},
				}
				for attempt := int(i); ; attempt++ { // each at another node
					err := writer.Write(t.Context(), c.HostID(attempt%3), []row.Row{r})
					if err == nil {
						break
					}
					if !fault.Retryable(err, true) {
						return err
					}
				}
			}
			return nil
		})
		require.NoError(t, group.Wait(), "seed %d", seed)
		var values []string
		for _, r := range want {
			values = append(values, r.Value)
		}
		require.Equal(t, values, got, "seed %d", seed)
		require.Len(t, c.Rows(), 100)
		acknowledged := make(map[int64]int)
		for _, a := range c.Applied() {
			if a.Acknowledged {
				acknowledged[a.Timestamp]++
			}
		}
		require.Len(t, acknowledged, 40, "seed %d", seed)
		for f, n := range c.Tally().Faults {
			total[f] += n
		}
		s.Close()
		c.Close()
	}
	require.Greater(t, len(total), 12)
}
