package pace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// hand is a gate whose clock the test sets.
type hand struct {
	*Gate
	t   *testing.T
	now time.Time
}

func newHand(t *testing.T, o GateOptions) *hand {
	h := &hand{t: t, now: time.Unix(1000, 0)}
	o.Now = func() time.Time { return h.now }
	h.Gate = NewGate(o)
	return h
}

// fill takes all free places, and returns their number.
func (h *hand) fill() int {
	n := 0
	for h.tryAcquire() {
		n++
	}
	return n
}

// after advances the clock, and ends n requests that began before.
func (h *hand) after(d time.Duration, n int, o Outcome) {
	h.now = h.now.Add(d)
	for range n {
		h.Release(d, 1, o)
	}
}

func TestGateDefaults(t *testing.T) {
	tests := []struct{ ceiling, start, want int }{
		{
			0,
			0,
			1,
		},
		{-5, 0, 1},
		{1, 0, 1},
		{3, 0, 3},
		{8, 0, 4},
		{100, 0, 25},
		{100, 7, 7},
		{10, 50, 10},
	}
	for _, tt := range tests {
		g := NewGate(GateOptions{Ceiling: tt.ceiling, Start: tt.start})
		require.Equal(t, tt.want, g.Limit(), "%+v", tt)
		require.Zero(t, g.InFlight())
	}
	o := GateOptions{Tolerance: 0.3}.withDefaults()
	require.Equal(t, 1.0, o.Tolerance)
}

// TestGateCutsOnce for all the requests that were in flight together.
func TestGateCutsOnce(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 64, Start: 64})
	require.Equal(t, 64, h.fill())
	h.after(10*time.Millisecond, 40, Overloaded)
	require.Equal(t, 32, h.Limit())
	require.Equal(t, 24, h.InFlight())
	h.now = h.now.Add(time.Millisecond)
	require.Equal(t, 8, h.fill()) // these begin after the cut
	h.now = h.now.Add(10 * time.Millisecond)
	for range 24 {
		h.Release(21*time.Millisecond, 1, Overloaded)
	}
	require.Equal(t, 32, h.Limit())
	for range 8 {
		h.Release(10*time.Millisecond, 1, Overloaded)
	}
	require.Equal(t, 16, h.Limit())
}

func TestGateNeverBelowOne(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 64})
	for range 20 {
		h.now = h.now.Add(time.Millisecond)
		n := h.fill()
		require.Positive(t, n)
		h.after(time.Millisecond, n, Overloaded)
	}
	require.Equal(t, 1, h.Limit())
	h.Allow(0)
	h.Allow(-1)
	require.Equal(t, 1, h.Limit())
}

// TestGateBadSaysNothing: not even thousands of failures of another kind move it.
func TestGateBadSaysNothing(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 64})
	for range 200 {
		h.now = h.now.Add(time.Millisecond)
		n := h.fill()
		h.after(time.Second, n, Bad)
	}
	require.Equal(t, 16, h.Limit())
	require.Zero(t, h.InFlight())
}

// TestGateUnusedDoesNotGrow: unless the limit is used up, nothing shows that a higher one would
// work.
func TestGateUnusedDoesNotGrow(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 64})
	for range 500 {
		h.now = h.now.Add(time.Millisecond)
		require.True(t, h.tryAcquire())
		h.after(time.Millisecond, 1, Good)
	}
	require.LessOrEqual(t, h.Limit(), 16)
	for range 50 {
		h.now = h.now.Add(time.Millisecond)
		h.after(time.Millisecond, h.fill(), Good)
	}
	require.Equal(t, 64, h.Limit())
}

func TestGateAnswersOfNoTime(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 8})
	for range 100 {
		n := h.fill()
		h.after(0, n, Good)
	}
	require.Equal(t, 4, h.Limit()) // a clock that stands still shows nothing
}

func TestAllow(t *testing.T) {
	h := newHand(t, GateOptions{Ceiling: 100, Start: 50})
	h.Allow(25)
	require.Equal(t, 25, h.Limit())
	grow := func() {
		for range 100 {
			h.now = h.now.Add(time.Millisecond)
			h.after(time.Millisecond, h.fill(), Good)
		}
	}
	grow()
	require.Equal(t, 25, h.Limit())
	h.Allow(30)
	require.Equal(t, 25, h.Limit())
	grow()
	require.Equal(t, 30, h.Limit())
	h.Allow(0)
	require.Equal(t, 1, h.Limit())
	h.Allow(2)
	grow()
	require.Equal(t, 2, h.Limit())
	h.Allow(1000)
	grow()
	require.Equal(t, 100, h.Limit())
}

func TestReleaseWithoutAcquire(t *testing.T) {
	g := NewGate(GateOptions{Ceiling: 1})
	require.PanicsWithValue(
		t,
		"pace: more releases of a gate than requests",
		func() { g.Release(0, 0, Good) },
	)
}

// TestGateInOrder: waiting requests pass in the order in which they came, without those whose
// context ended.
func TestGateInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(GateOptions{Ceiling: 1})
		require.NoError(t, g.Acquire(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		var passed []int
		var gaveUp error
		for i := range 5 {
			go func() {
				if i == 2 {
					gaveUp = g.Acquire(ctx)
					return
				}
				if g.Acquire(t.Context()) == nil {
					passed = append(passed, i)
				}
			}()
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		require.ErrorIs(t, gaveUp, context.Canceled)
		for range 4 {
			require.Equal(t, 1, g.InFlight())
			g.Release(time.Millisecond, 1, Good)
			synctest.Wait()
		}
		require.Equal(t, []int{0, 1, 3, 4}, passed)
		g.Release(time.Millisecond, 1, Good)
		require.Zero(t, g.InFlight())
		require.ErrorIs(t, g.Acquire(ctx), context.Canceled)
		require.Zero(t, g.InFlight())
	})
}

// TestGateGrowsForThoseWhoWait: if the limit rises, waiting requests pass at once.
func TestGateGrowsForThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(GateOptions{Ceiling: 10})
		g.Allow(1)
		for range 10 {
			go func() { _ = g.Acquire(t.Context()) }()
		}
		synctest.Wait()
		require.Equal(t, 1, g.InFlight())
		g.Allow(9)
		synctest.Wait()
		require.Equal(t, 1, g.InFlight())
		for range 10 {
			g.Release(time.Millisecond, 1, Good)
			synctest.Wait()
		}
		require.Zero(t, g.InFlight())
	})
}

// TestGateManyGoroutines is for the race detector: the limit holds at every moment.
func TestGateManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(GateOptions{Ceiling: 8})
		for i := range 40 {
			go func() {
				for k := range 50 {
					if g.Acquire(t.Context()) != nil {
						return
					}
					if g.InFlight() > 8 {
						t.Errorf("%d in flight", g.InFlight())
					}
					time.Sleep(time.Duration(1+(i*k)%5) * time.Millisecond) // virtual time
					g.Release(time.Millisecond, 1, Outcome(k%3))
				}
			}()
		}
		synctest.Wait()
		time.Sleep(time.Hour)
		require.Zero(t, g.InFlight())
	})
}

func BenchmarkGate(b *testing.B) {
	g := NewGate(GateOptions{Ceiling: 64})
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Acquire(b.Context()); err != nil {
			b.Fatal(err)
		}
		g.Release(time.Millisecond, 100, Good)
	}
}
