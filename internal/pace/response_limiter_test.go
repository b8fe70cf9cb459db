package pace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// exactly returns a want function with a constant result.
func exactly(n int64) func() int64 { return func() int64 { return n } }

// Concurrent requests get no more items at once than the rate allows in a quarter of a second, and
// the rate is used to the full.
func TestResponseLimiterHoldsFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewResponseLimiter(1000)
		require.Equal(t, 250, m.Most())
		begin := time.Now()
		came := make(chan int64)
		for range 50 {
			go func() {
				for range 10 {
					asked, err := m.Reserve(t.Context(), exactly(20))
					require.NoError(t, err)
					time.Sleep(5 * time.Millisecond)
					came <- 20
					require.NoError(t, asked.Complete(t.Context(), 20))
				}
			}()
		}
		sum := int64(0)
		for range 500 {
			sum += <-came
			require.LessOrEqual(t, float64(sum), 1000*time.Since(begin).Seconds()+250)
		}
		synctest.Wait()
		require.InDelta(t, 10, time.Since(begin).Seconds(), 0.5, "in the bubble's time")
		time.Sleep(time.Second)
		require.Zero(t, m.reserved.Used())
	})
}

// Items that were reserved and did not come delay no other request. Items that came besides do.
func TestResponseLimiterSettlesTheDifference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, begin := NewResponseLimiter(1000), time.Now()
		for range 1000 {
			asked, err := m.Reserve(t.Context(), exactly(250))
			require.NoError(t, err)
			require.NoError(t, asked.Complete(t.Context(), 0))
		}
		require.Zero(t, time.Since(begin), "nothing came")
		asked, err := m.Reserve(t.Context(), exactly(0))
		require.NoError(t, err)
		require.NoError(t, asked.Complete(t.Context(), 5001))
		require.Equal(t, 5*time.Second, time.Since(begin), "more than was asked for")
	})
}

// A request for more than the limit is made alone, for the number that it wants by then.
func TestResponseLimiterOfMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewResponseLimiter(1000)
		first, err := m.Reserve(t.Context(), exactly(1<<60))
		require.NoError(t, err)
		want, passed := int64(1<<60), make(chan error, 2)
		for range 2 {
			go func() {
				_, err := m.Reserve(t.Context(), func() int64 { return want })
				passed <- err
			}()
		}
		synctest.Wait()
		require.Empty(t, passed)
		want = 100
		require.NoError(t, first.Complete(t.Context(), 0))
		require.NoError(t, <-passed)
		require.NoError(t, <-passed)
		require.EqualValues(t, 200, m.reserved.Used())
	})
}

func TestResponseLimiterIsCancelled(t *testing.T) {
	m := NewResponseLimiter(0.001)
	ended, cancel := context.WithCancel(t.Context())
	asked, err := m.Reserve(ended, exactly(1))
	require.NoError(t, err)
	cancel()
	_, err = m.Reserve(ended, exactly(1))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, asked.Complete(ended, 100), context.Canceled)
	require.Zero(t, m.reserved.Used(), "completed all the same")
}

func TestNoResponseLimiter(t *testing.T) {
	m := NewResponseLimiter(0)
	require.Nil(t, m)
	asked, err := m.Reserve(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, asked.Complete(t.Context(), 1<<60))
}
