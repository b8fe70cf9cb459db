package web

import (
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

// newRun is a run of two nodes, of which each has a half of the ring, in its middle. Half of the ring of a is read and
// none of b's, where a range failed.
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
	board := &board.Board{Counters: c, Ring: ring, Nodes: []board.Member{
		{ID: "a", Address: "a", DC: "dc1", Rack: "r1"}, {ID: "b", Address: "b", DC: "dc1", Rack: "r2"},
	}}
	board.ShowCauses(causes)
	w := newWatch()
	w.Show("shop.orders", board)
	w.Say("a line of the log " + hostile)
	return w, board
}

func newWatch() *board.Watch { return board.NewWatch("load", "1.2.3") }

func causes() []board.Cause {
	return []board.Cause{{Rows: 42, Stage: "parse", Reason: "invalid int: " + hostile, Column: "number", Value: hostile, File: "in.csv", Line: 7, Field: 3}}
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
