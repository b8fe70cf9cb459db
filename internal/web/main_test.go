package web

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hostile is what an input may hold.
const hostile = `"><script>document.title = 'taken'</script><img src=x onerror=alert(1)>' & {{.}}`

// fixed is a gate.
type fixed int

func (f fixed) Limit() int { return int(f) }
func (fixed) Bound() bool  { return false }

// newRun returns a run of two nodes in its middle. Each node has a half of the ring. Half of a's
// part is read, and nothing of b's, where a range failed.
func newRun(t *testing.T) (*board.Watch, *board.Board) {
	t.Helper()
	p := token.Murmur3
	a, b, ok := token.Halve(token.Whole(p))
	require.True(t, ok)
	first, second, _ := token.Halve(a)
	failed, _, _ := token.Halve(b)
	c := new(progress.Counters)
	ring := board.NewRing(p, []board.Owned{{Range: a, Node: "a"}, {Range: b, Node: "b"}}, false)
	ring.Done(first)
	ring.Begin(second)
	ring.Done(failed)
	ring.Failed(failed)
	c.Rows.Store(1_234_567)
	c.Earlier.Store(567)
	c.Bytes.Store(9 << 20)
	c.Total.Store(1000)
	c.Done.Store(250)
	c.Failed.Store(1)
	c.Rejected.Store(42)
	c.Requests.SetGate("a", fixed(7))
	c.Requests.End("a", c.Requests.Begin("a"), progress.Answered)
	c.Requests.Begin("a")
	c.Requests.End("b", c.Requests.Begin("b"), progress.Failed)
	c.Streams.To("b").Bytes.Store(77)
	board := &board.Board{Counters: c, Ring: ring, Nodes: []board.Member{
		{
			ID:      "a",
			Address: "a",
			DC:      "dc1",
			Rack:    "r1",
		},
		{ID: "b", Address: "b", DC: "dc1", Rack: "r2"},
	}}
	board.ShowCauses(causes)
	board.ShowAbout(aboutLoad())
	board.ShowNext("cqlbulk resume a-run")
	w := newWatch()
	w.Typed("cqlbulk load shop.orders in.csv --note " + hostile)
	w.Show("shop.orders", board)
	w.Say("a line of the log " + hostile)
	return w, board
}

// aboutLoad is a load of more files than are shown.
func aboutLoad() board.About {
	a := board.About{
		Work:        "load",
		Via:         "cql",
		Cluster:     "Test Cluster",
		DC:          "dc1",
		Consistency: "LOCAL_QUORUM",
	}
	files := []string{"in.csv", hostile}
	for i := range 8 {
		files = append(files, fmt.Sprintf("more-%d.csv", i))
	}
	a.SetInputs(files)
	return a
}

func newWatch() *board.Watch { return board.NewWatch("load", "1.2.3") }

func causes() []board.Cause {
	return []board.Cause{
		{
			Rows:   42,
			Stage:  "parse",
			Reason: "invalid int: " + hostile,
			Column: "number",
			Value:  hostile,
			File:   "in.csv",
			Line:   7,
			Field:  3,
		},
	}
}

// serve serves a run until the test ends.
func serve(t *testing.T, w *board.Watch) *Server {
	t.Helper()
	s, err := Listen(":0")
	require.NoError(t, err)
	s.Serve(w)
	return s
}

// soon waits until a condition holds.
func soon(t *testing.T, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, time.Minute, time.Millisecond)
}

// newLargeRun returns a scan of 300 nodes and 100,000 token ranges. Two thirds of the ranges are
// read, and a few failed.
func newLargeRun(t testing.TB) (*board.Watch, *board.Board) {
	t.Helper()
	const nodes, ranges = 300, 100_000
	var members []board.Member
	for i := range nodes {
		members = append(
			members,
			board.Member{
				ID:      fmt.Sprint(i),
				Address: fmt.Sprintf("10.0.%d.%d", i/100, i%100),
				DC:      "dc1",
				Rack:    fmt.Sprint("r", i%3),
			},
		)
	}
	owned := make([]board.Owned, ranges)
	for i := range owned {
		at := func(i int) token.Token {
			return token.Token{Lo: uint64(float64(i) / ranges * math.MaxUint64)}
		}
		owned[i] = board.Owned{
			Range: token.Range{Start: at(i), End: at(i + 1)},
			Node:  fmt.Sprint(i * 7919 % nodes),
		}
	}
	owned[0].Range.Start, owned[ranges-1].Range.End = token.Murmur3.Min(), token.Murmur3.Max()
	ring := board.NewRing(token.Murmur3, owned, false)
	c := new(progress.Counters)
	random := rand.New(rand.NewPCG(1, 2))
	for i, o := range owned {
		if random.IntN(100) < 40+i*7919%nodes/5 {
			ring.Read(o.Range, 100+i%50)
			ring.Done(o.Range)
			c.Rows.Add(int64(100 + i%50))
		}
		if i%9 == 0 && i*7919%nodes == 6 {
			ring.Failed(o.Range)
			c.Failed.Add(1)
		}
	}
	c.Total.Store(ranges)
	c.Done.Store(ranges * 2 / 3)
	for i, m := range members {
		c.Requests.SetGate(m.Address, fixed(4))
		c.Requests.Begin(m.Address)
		ring.Begin(owned[i*300].Range)
	}
	b := &board.Board{Counters: c, Ring: ring, Nodes: members}
	b.ShowAbout(
		board.About{
			Work:        "scan",
			Via:         "cql",
			Cluster:     "Large",
			DC:          "dc1",
			Consistency: "LOCAL_ONE",
			Output:      "orders.csv",
		},
	)
	w := board.NewWatch("scan", "1.2.3")
	w.Typed("cqlbulk scan shop.orders -o orders.csv --hosts 10.0.0.1")
	w.Show("shop.orders", b)
	return w, b
}

// lively returns a history of the given number of seconds, with a dip and a peak.
func lively(seconds int) (all []board.Point) {
	for i := 1; i <= seconds; i++ {
		wave := 1 + 0.3*math.Sin(float64(i)/9)
		if i > 100 && i < 130 {
			wave /= 4
		}
		all = append(
			all,
			board.Point{
				Seconds: float64(i),
				Rows:    52_000 * wave,
				Bytes:   wave * 12e6,
				P50:     0.004 / wave,
				P99:     0.018 / wave,
				HeldP99: 0.012 / wave,
			},
		)
	}
	return all
}

// newStreamedRun is a load by streaming that sends, beside what it receives from elsewhere.
func newStreamedRun(t testing.TB) *board.Watch {
	t.Helper()
	c := new(progress.Counters)
	c.Ready.Store(1_300_000)
	c.Stage.Begin("sorting", "sending")
	c.Stage.Deliver(973<<20, 156<<20, 973<<20)
	c.Total.Store(1000)
	c.Done.Store(400)
	receipt := new(progress.Receipt)
	receipt.Received.Store(412 << 20)
	receipt.Announced.Store(958 << 20)
	c.Receipt.Store(receipt)
	c.Streams.To("a").Bytes.Store(156 << 20)
	b := &board.Board{Counters: c, Nodes: []board.Member{{ID: "a", Address: "a", DC: "dc1"}}}
	b.ShowAbout(board.About{Work: "load", Via: "stream", Cluster: "Test Cluster"})
	w := newWatch()
	w.Show("shop.orders", b)
	return w
}
