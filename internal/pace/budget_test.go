package pace

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// ask acquires in a goroutine, and returns the channel of the result.
func ask(ctx context.Context, b *Budget, n int64) *error {
	err := errWaiting
	go func() { err = b.Acquire(ctx, n) }()
	synctest.Wait()
	return &err
}

var errWaiting = context.DeadlineExceeded

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		require.NoError(t, b.Acquire(t.Context(), 60))
		require.NoError(t, b.Acquire(t.Context(), 40))
		require.NoError(t, b.Acquire(t.Context(), 0))
		require.Equal(t, int64(100), b.Used())

		large := ask(t.Context(), b, 90)
		small := ask(t.Context(), b, 1)
		b.Release(60)
		synctest.Wait()
		require.Equal(t, errWaiting, *large)
		require.Equal(t, errWaiting, *small, "the small one came later")
		b.Release(40)
		synctest.Wait()
		require.NoError(t, *large)
		require.NoError(t, *small)
		require.Equal(t, int64(91), b.Used())
	})
}

func TestBudgetLetsAHugeOneThroughAlone(t *testing.T) {
	for _, size := range []int64{100, 0, -1} {
		synctest.Test(t, func(t *testing.T) {
			b := NewBudget(size)
			require.NoError(t, b.Acquire(t.Context(), 10))
			huge := ask(t.Context(), b, 5000)
			require.Equal(t, errWaiting, *huge)
			b.Release(10)
			synctest.Wait()
			require.NoError(t, *huge)
			require.Equal(t, int64(5000), b.Used())
			small := ask(t.Context(), b, 1)
			require.Equal(t, errWaiting, *small)
			b.Release(5000)
			synctest.Wait()
			require.NoError(t, *small)
		})
	}
}

func TestBudgetResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		require.NoError(t, b.Acquire(t.Context(), 50))
		b.Resize(50, 300)
		require.Equal(t, int64(300), b.Used())
		other := ask(t.Context(), b, 20)
		require.Equal(t, errWaiting, *other)
		b.Resize(300, 81)
		synctest.Wait()
		require.Equal(t, errWaiting, *other)
		b.Resize(81, 80)
		synctest.Wait()
		require.NoError(t, *other)
		require.Equal(t, int64(100), b.Used())
		b.Release(80)
		b.Release(20)
		require.Zero(t, b.Used())
	})
}

// A request whose context ends holds nothing and delays no other. The function want is called while
// nothing can be released, so no request waits because of an outdated answer.
func TestBudgetAsksInTurn(t *testing.T) {
	b := NewBudget(10)
	n, err := b.AcquireBy(t.Context(), func() int64 {
		require.False(t, b.queue.mu.TryLock())
		return 7
	})
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
}

func TestBudgetGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		require.NoError(t, b.Acquire(t.Context(), 50))
		ctx, cancel := context.WithCancel(t.Context())
		large := ask(ctx, b, 80)
		small := ask(t.Context(), b, 30)
		require.Equal(t, errWaiting, *small)
		cancel()
		synctest.Wait()
		require.ErrorIs(t, *large, context.Canceled)
		require.NoError(t, *small)
		require.Equal(t, int64(80), b.Used())
		require.ErrorIs(t, b.Acquire(ctx, 1), context.Canceled)
		require.ErrorIs(t, b.Acquire(ctx, 0), context.Canceled)
		require.Equal(t, int64(80), b.Used())
	})
}

func TestBudgetBooks(t *testing.T) {
	b := NewBudget(100)
	require.NoError(t, b.Acquire(t.Context(), 5))
	require.PanicsWithValue(
		t,
		"pace: acquire of -1 bytes",
		func() { _ = b.Acquire(t.Context(), -1) },
	)
	require.PanicsWithValue(
		t,
		"pace: 6 bytes become 0, of 5 that are taken",
		func() { b.Release(6) },
	)
	require.PanicsWithValue(
		t,
		"pace: -1 bytes become 0, of 5 that are taken",
		func() { b.Release(-1) },
	)
	require.PanicsWithValue(
		t,
		"pace: 5 bytes become -1, of 5 that are taken",
		func() { b.Resize(5, -1) },
	)
	require.Equal(t, int64(5), b.Used())
}

// Everything is released in the end, whichever requests were canceled.
func TestBudgetManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range 50 {
			go func() {
				for k := range 100 {
					if i == 0 && k == 50 {
						cancel()
					}
					n := int64(1 + (i*31+k*17)%130)
					if b.Acquire(ctx, n) == nil {
						b.Resize(n, n/2)
						b.Release(n / 2)
					}
				}
			}()
		}
		synctest.Wait()
		require.Zero(t, b.Used())
		require.Zero(t, b.queue.waiting.Len())
	})
}

func BenchmarkBudget(b *testing.B) {
	budget := NewBudget(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := budget.Acquire(b.Context(), 4096); err != nil {
			b.Fatal(err)
		}
		budget.Release(4096)
	}
}
