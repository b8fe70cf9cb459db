package pace

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLiveness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Liveness
		p.Begin()
		p.Answered()
		require.Zero(
			t,
			p.Failed(),
			"the silence begins with the first request that is not answered",
		)
		time.Sleep(time.Second)
		require.Equal(t, time.Second, p.Failed())
		time.Sleep(time.Second)
		require.Equal(t, 2*time.Second, p.Failed())
		p.Answered()
		time.Sleep(time.Hour)
		require.Zero(t, p.Failed())
		require.EqualValues(t, 2, p.Answers())
		p.End()
		require.PanicsWithValue(t, "pace: more requests have ended than begun", p.End)
	})
}

// Time without requests in flight is not silence of the cluster.
func TestLivenessCountsNoTimeInWhichNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Liveness
		ask := func(d time.Duration) time.Duration {
			p.Begin()
			defer p.End()
			time.Sleep(d)
			return p.Failed()
		}
		require.Zero(t, ask(time.Second))
		time.Sleep(time.Hour)
		require.Equal(t, 3*time.Second, ask(3*time.Second))
		time.Sleep(time.Hour)
		require.Equal(t, 3*time.Second, p.Failed(), "reported at the end")
		require.Equal(t, 4*time.Second, ask(time.Second))

		p.Answered()
		require.Zero(t, ask(time.Minute))
	})
}

// The time of concurrent requests counts once, until the last of them has ended.
func TestLivenessCountsTheTimeOfRequestsSideBySideOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Liveness
		p.Begin()
		require.Zero(t, p.Failed())
		for range 5 {
			p.Begin()
		}
		time.Sleep(10 * time.Second)
		for range 5 {
			p.End()
		}
		time.Sleep(10 * time.Second)
		require.Equal(t, 20*time.Second, p.Failed())
		p.End()
		time.Sleep(10 * time.Second)
		require.Equal(t, 20*time.Second, p.Failed())
	})
}
