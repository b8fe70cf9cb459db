package pace

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDelayBounds(t *testing.T) {
	for _, c := range []struct {
		name     string
		b        Backoff
		failures int
		most     time.Duration
	}{
		{"zero value, first", Backoff{}, 1, 100 * time.Millisecond},
		{"zero value, second", Backoff{}, 2, 200 * time.Millisecond},
		{"zero value, seventh", Backoff{}, 7, 6400 * time.Millisecond},
		{"zero value, eighth", Backoff{}, 8, 10 * time.Second},
		{"never above the maximum", Backoff{}, 1000000, 10 * time.Second},
		{"no failure counts as one", Backoff{}, 0, 100 * time.Millisecond},
		{"fewer, too", Backoff{}, -5, 100 * time.Millisecond},
		{"base", Backoff{Base: time.Second}, 3, 4 * time.Second},
		{"base above the maximum", Backoff{Base: time.Minute}, 1, 10 * time.Second},
		{"base above its own maximum", Backoff{Base: time.Minute, Max: time.Second}, 4, time.Second},
		{"maximum that is no power", Backoff{Base: time.Second, Max: 5 * time.Second}, 3, 4 * time.Second},
		{"cut to it", Backoff{Base: time.Second, Max: 5 * time.Second}, 4, 5 * time.Second},
		{"the longest", Backoff{Base: time.Second, Max: math.MaxInt64}, 1000, math.MaxInt64},
		{"the shortest", Backoff{Base: 1, Max: 1}, 10, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			least, most := time.Duration(math.MaxInt64), time.Duration(0)
			for range 1000 {
				d := c.b.Delay(c.failures)
				least, most = min(least, d), max(most, d)
			}
			require.GreaterOrEqual(t, least, c.most/2)
			require.LessOrEqual(t, most, c.most)
			if c.most > time.Millisecond {
				require.Less(t, float64(least), 0.6*float64(c.most), "waits are spread")
				require.Greater(t, float64(most), 0.9*float64(c.most), "waits are spread")
			}
		})
	}
}

func TestSleep(t *testing.T) {
	require.NoError(t, Sleep(context.Background(), time.Microsecond))
	require.NoError(t, Sleep(context.Background(), 0))
	require.NoError(t, Sleep(context.Background(), -time.Second))
}

// A wait that would never end does so when the context ends.
func TestSleepIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- Sleep(ctx, math.MaxInt64) }()
	cancel()
	require.ErrorIs(t, <-stopped, context.Canceled)
	for range 100 {
		require.ErrorIs(t, Sleep(ctx, 0), context.Canceled, "whatever the wait")
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Microsecond)
	defer cancel()
	require.ErrorIs(t, Sleep(ctx, math.MaxInt64), context.DeadlineExceeded)
}

func TestNoLimit(t *testing.T) {
	for _, perSecond := range []float64{0, -1, math.Inf(-1)} {
		l := NewLimiter(perSecond)
		require.Nil(t, l)
		require.NoError(t, l.Wait(context.Background(), math.MaxInt))
	}
}

func TestBurst(t *testing.T) {
	for _, c := range []struct {
		perSecond float64
		want      int
	}{{0.1, 1}, {1, 1}, {39, 9}, {40, 10}, {50000, 12500}} {
		l := NewLimiter(c.perSecond)
		require.Equal(t, c.want, l.burst)
		require.Less(t, l.l.TokensAt(time.Time{}), 2.0, "nothing to make up for at the beginning")
	}
}

// If more items come than may pass at once, they pass in parts, and each counts.
func TestWaitForMoreThanTheBurst(t *testing.T) {
	l := NewLimiter(1e6)
	require.NoError(t, l.Wait(context.Background(), 2*l.burst+7))
	require.NoError(t, l.Wait(context.Background(), 0))

	l = NewLimiter(1e-6)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- l.Wait(ctx, 2) }()
	cancel()
	require.ErrorIs(t, <-stopped, context.Canceled)
}

// At one item in eleven days, the first passes and the second waits, but no longer than the
// context.
func TestWaitIsCancelled(t *testing.T) {
	l := NewLimiter(1e-6)
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, l.Wait(ctx, 1))
	stopped := make(chan error)
	go func() { stopped <- l.Wait(ctx, 1) }()
	cancel()
	require.ErrorIs(t, <-stopped, context.Canceled)
}

func BenchmarkWait(b *testing.B) {
	l := NewLimiter(1e12)
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Wait(context.Background(), 100); err != nil {
			b.Fatal(err)
		}
	}
}
