package board

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// halves returns a ring of two nodes with a half each.
func halves(t *testing.T, rows bool) (*Ring, []Member, [2]token.Range) {
	t.Helper()
	first, second, ok := token.Halve(token.Whole(token.Murmur3))
	require.True(t, ok)
	r := NewRing(token.Murmur3, []Owned{{first, "1"}, {second, "2"}}, rows)
	return r, []Member{
			{ID: "1", Address: "a"},
			{ID: "2", Address: "b"},
			{ID: "3", Address: "c"},
		}, [2]token.Range{
			first,
			second,
		}
}

func TestRing(t *testing.T) {
	r, nodes, parts := halves(t, false)
	require.GreaterOrEqual(t, len(r.parts), fewParts/2)
	quarter, rest, _ := token.Halve(parts[0])
	r.Done(quarter)
	failed, left, _ := token.Halve(rest)
	r.Failed(failed)
	r.Done(failed) // like a sweep, which also reports ranges that were given up
	end := r.Begin(left)
	s := r.State(nodes)
	require.Len(t, s, 2, "the third node has nothing of the ring")
	a, b := s[0], s[1]
	require.Equal(t, "a", a.Node)
	require.InDelta(t, 0.5, a.Share, 1e-9)
	require.InDelta(t, 0.5, a.DoneShare(), 1e-9)
	require.InDelta(t, 0.25, a.FailedShare(), 1e-9)
	require.Equal(t, cells/4, a.Failures())
	require.EqualValues(t, 1, a.Requests())
	require.EqualValues(t, 1, a.UnderWay[cells*3/4])
	require.Zero(t, b.DoneShare()+b.FailedShare()+float64(b.Requests()))
	end()
	require.Zero(t, r.State(nodes)[0].Requests())
}

// Whatever parts a ring is read in, exactly all of it is done in the end.
func TestRingInAnyParts(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, nodes, _ := halves(t, false)
			random := rand.New(rand.NewPCG(seed, 1))
			todo := []token.Range{token.Whole(token.Murmur3)}
			for len(todo) < 3000 {
				i := random.IntN(len(todo))
				if first, second, ok := token.Halve(todo[i]); ok {
					todo[i] = first
					todo = append(todo, second)
				}
			}
			for _, within := range todo {
				r.Begin(within)()
				r.Done(within)
			}
			for _, n := range r.State(nodes) {
				for _, done := range n.Done {
					require.InDelta(t, 1, done, 0.001)
				}
			}
			for i := range r.parts {
				require.InEpsilon(t, whole, r.parts[i].done.Load(), 1e-6)
			}
		})
	}
}

func TestRingOfRows(t *testing.T) {
	r, nodes, parts := halves(t, true)
	r.Written(parts[0].End, 10)
	r.Written(parts[1].End, 40)
	s := r.State(nodes)
	require.InDelta(t, 0.25, s[0].Done[cells-1], 1e-9)
	require.InDelta(t, 1, s[1].Done[cells-1], 1e-9)
	require.Zero(t, s[0].Failures()+s[1].Failures())
}

// Each part of the ring is found by its tokens, including those at its ends.
func TestRingFindsItsParts(t *testing.T) {
	for _, p := range []token.Partitioner{token.Murmur3, token.Random} {
		first, rest, _ := token.Halve(token.Whole(p))
		second, third, _ := token.Halve(rest)
		r := NewRing(p, []Owned{{first, "1"}, {second, "2"}, {third, "3"}}, true)
		for i := range r.parts {
			part := &r.parts[i]
			require.Same(t, part, r.at(part.within.End))
			require.Equal(t, i, r.index(part.within.Start))
			if middle, _, ok := token.Halve(part.within); ok {
				require.Same(t, part, r.at(middle.End))
			}
		}
		require.Same(t, &r.parts[0], r.at(p.Min()))
		require.Equal(t, len(r.parts), r.index(p.Max()))
		r.Begin(token.Range{Start: p.Max(), End: p.Max()})()
	}
}

func TestNoRing(t *testing.T) {
	var r *Ring
	r.Done(token.Range{})
	r.Failed(token.Range{})
	r.Begin(token.Range{})()
}

// The speed is that of this run, in the last ten seconds.
func TestPace(t *testing.T) {
	w := NewWatch("scan", "1")
	require.Equal(t, Connecting, w.State().Phase)
	w.look(time.Now())
	c := new(progress.Counters)
	w.Show("ks.t", &Board{Counters: c})
	c.Earlier.Store(1_000_000)
	c.Rows.Store(1_000_000)
	c.Bytes.Store(1 << 40)
	c.EarlierBytes.Store(1 << 40)
	for second := 1; second <= 30; second++ {
		c.Rows.Add(int64(100 * min(second, 20)))
		c.Bytes.Add(1000)
		w.look(w.began.Add(time.Duration(second) * time.Second))
	}
	s := w.State()
	require.Len(t, s.History, 30)
	require.Equal(t, Point{Seconds: 1, Rows: 100, Bytes: 1000}, s.History[0])
	require.Equal(t, Point{Seconds: 30, Rows: 2000, Bytes: 1000}, s.History[29])
	require.EqualValues(t, 1_000_000, s.EarlierRows)
}

// The points in the history of a long run are further apart.
func TestHistoryOfALongRun(t *testing.T) {
	w := NewWatch("scan", "1")
	c := new(progress.Counters)
	w.Show("ks.t", &Board{Counters: c})
	const hour = 3600
	for second := 1; second <= hour; second++ {
		c.Rows.Add(50)
		w.look(w.began.Add(time.Duration(second) * time.Second))
	}
	s := w.State()
	require.Less(t, len(s.History), points)
	require.Greater(t, len(s.History), points/4)
	for _, p := range s.History {
		require.InDelta(t, 50, p.Rows, 1)
	}
	require.Greater(t, s.History[len(s.History)-1].Seconds, float64(hour-60))
}

func TestNodesAndGates(t *testing.T) {
	w := NewWatch("load", "1")
	c := new(progress.Counters)
	c.Requests.SetGate("", fixed(9))
	c.Requests.Begin("")
	c.Requests.End("a", c.Requests.Begin("a"), progress.Answered)
	c.Requests.Begin("x")
	c.Streams.To("b").Bytes.Store(5)
	w.Show("ks.t", &Board{Counters: c, Nodes: []Member{{Address: "a", DC: "dc1"}, {Address: "b"}}})
	s := w.State()
	require.Equal(t, []GateState{{"", 9, 2}}, s.Gates)
	require.Equal(t, []string{"a", "b", "", "x"}, addresses(s))
	require.EqualValues(t, 1, s.Nodes[0].Requests)
	require.EqualValues(t, 5, s.Nodes[1].Streamed)
	require.EqualValues(t, 2, s.InFlight)
}

type fixed int

func (f fixed) Limit() int { return int(f) }
func (fixed) Bound() bool  { return false }

func addresses(s State) (all []string) {
	for _, n := range s.Nodes {
		all = append(all, n.Address)
	}
	return all
}

func TestLog(t *testing.T) {
	w := NewWatch("load", "1")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range lines {
				w.Say(strings.Repeat("é", lineBytes))
				w.State()
			}
		})
	}
	all.Wait()
	s := w.State()
	require.Len(t, s.Log, lines)
	require.EqualValues(t, 4*lines, s.Said)
	require.LessOrEqual(t, len(s.Log[0].Text), lineBytes+len(" ..."))
}

func TestEnd(t *testing.T) {
	w := NewWatch("load", "1")
	w.Show("ks.t", &Board{Counters: new(progress.Counters)})
	changed := w.Changed()
	w.End(Failed, "why")
	<-changed
	s := w.State()
	require.True(t, s.Phase.Over())
	require.Equal(t, "why", s.Error)
	require.Equal(t, s.Elapsed, w.State().Elapsed, "the time stands still")
}

// BenchmarkWritten measures a row of a load with a page: some nanoseconds.
func BenchmarkWritten(b *testing.B) {
	r := NewRing(token.Murmur3, []Owned{{token.Whole(token.Murmur3), "1"}}, true)
	random := rand.New(rand.NewPCG(1, 2))
	tokens := make([]token.Token, 1<<16)
	for i := range tokens {
		tokens[i] = token.Token{Lo: random.Uint64()}
	}
	for i := 0; b.Loop(); i++ {
		r.Written(tokens[i%len(tokens)], 1)
	}
}

// The history of a streaming load follows what it reads and sends, and not what is completed at its
// end.
func TestHistoryOfStages(t *testing.T) {
	w := NewWatch("load", "1")
	c := new(progress.Counters)
	c.Stage.Begin("sorting", "sending")
	w.Show("ks.t", &Board{Counters: c})
	c.Ready.Store(500)
	w.look(w.began.Add(time.Second))
	c.Stage.Deliver(10, 0, 10)
	w.look(w.began.Add(2 * time.Second))
	c.Stage.Deliver(10, 5, 10)
	w.look(w.began.Add(3 * time.Second))
	s := w.State()
	require.Len(t, s.History, 3)
	require.InDelta(t, 500, s.History[0].Rows, 1)
	require.Zero(t, s.History[1].Rows)
	require.Equal(
		t,
		[]Stage{{Name: "sending", Done: 5, Total: 10, PerSecond: s.Stages[0].PerSecond}},
		s.Stages,
	)
	w.End(Done, "")
	require.Empty(t, w.State().Stages)
}

// The last point of the history has what was done since the one before, however short that was, and
// whatever comes after the work.
func TestHistoryEndsWithTheWork(t *testing.T) {
	w := NewWatch("load", "1")
	c := new(progress.Counters)
	c.Stage.Begin("sorting", "sending")
	w.Show("ks.t", &Board{Counters: c})
	w.began = w.began.Add(-time.Minute)
	at := func(seconds float64) time.Time {
		return w.began.Add(time.Duration(seconds * float64(time.Second)))
	}
	c.Streams.To("a").Bytes.Add(1000)
	w.look(at(1))
	w.look(at(2))
	c.Streams.To("a").Bytes.Add(600)
	c.End(2200 * time.Millisecond)
	w.look(at(3))
	w.End(Done, "")
	history := w.State().History
	require.Len(t, history, 2)
	require.InDelta(t, 1000, history[0].Streamed, 1)
	require.InDelta(t, 2.2, history[1].Seconds, 0.01)
	require.InDelta(t, 500, history[1].Streamed, 1)
}

func TestRowsThatWereRead(t *testing.T) {
	r, nodes, parts := halves(t, false)
	r.Read(parts[0], 1000)
	quarter, _, _ := token.Halve(parts[1])
	r.Read(quarter, 500)
	s := r.State(nodes)
	sum := func(all []int64) (n int64) {
		for _, rows := range all {
			n += rows
		}
		return n
	}
	require.InDelta(t, 1000, sum(s[0].Rows), cells)
	require.InDelta(t, 500, sum(s[1].Rows[:cells/2]), cells)
	require.Zero(t, sum(s[1].Rows[cells/2:]))
	var none *Ring
	none.Read(parts[0], 1)
}

// The description of a run changes with its board and its end.
func TestAbout(t *testing.T) {
	w := NewWatch("load", "1")
	w.Typed("cqlbulk load ks.t x.csv")
	require.Equal(t, "cqlbulk load ks.t x.csv", w.State().About.Line)
	b := &Board{Counters: new(progress.Counters)}
	b.ShowAbout(About{Work: "load"})
	b.ShowNext("cqlbulk resume dir")
	w.Show("ks.t", b)
	s := w.State()
	require.Equal(t, About{Line: "cqlbulk load ks.t x.csv", Work: "load"}, s.About)
	require.Equal(t, "cqlbulk resume dir", s.Next)
	w.Advise("", nil)
	w.End(Done, "")
	require.Empty(t, w.State().Next, "a run that is done is not resumed")
}
