package progress

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// boundGate is a gate that may hold back what the nodes could take.
type boundGate struct{ bound atomic.Bool }

func (*boundGate) Limit() int    { return 32 }
func (g *boundGate) Bound() bool { return g.bound.Load() }

// TestTellBound: if the ceiling binds, the log says so once, and the page as long as it does.
func TestTellBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		logf := func(format string, args ...any) {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
		var c Counters
		var gate boundGate
		c.Requests.SetGate("", &gate)
		stop := c.AdviseWhileBound("more", logf)
		later := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		later(time.Minute)
		require.Empty(t, c.Hint.Text())
		gate.bound.Store(true)
		later(boundEvery * (boundLooks - 1))
		require.Empty(t, c.Hint.Text(), "it may pass")
		later(2 * boundEvery)
		require.Equal(t, "more", c.Hint.Text())
		gate.bound.Store(false)
		later(boundEvery)
		require.Empty(t, c.Hint.Text())
		gate.bound.Store(true)
		later(time.Minute)
		require.Equal(t, "more", c.Hint.Text())
		stop()
		require.Equal(t, []string{"more"}, lines)
	})
}
