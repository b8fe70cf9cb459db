package memory

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// A run takes little memory until it has moved much text, and then what it may take.
func TestMemoryOfASmallRun(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	var c progress.Counters
	end := LimitSmall(256<<20, &c)
	require.EqualValues(t, Small, limit())
	c.Bytes.Store(smallText)
	require.Eventually(
		t,
		func() bool { return limit() == (256<<20)/5*4 },
		time.Minute,
		time.Millisecond,
	)
	end()

	LimitSmall(64<<20, &c)()
	require.EqualValues(t, (64<<20)/5*4, limit(), "less than a small run takes stays")
}

// Two sources that are opened at once leave the settings as they were, whichever is open first.
func TestOverlappingOpenings(t *testing.T) {
	limit := debug.SetMemoryLimit(1 << 30)
	percent := debug.SetGCPercent(100)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	first := CollectMeanwhile(Small)
	second := CollectMeanwhile(Small)
	first()
	require.EqualValues(t, Small, debug.SetMemoryLimit(-1), "the other is still being opened")
	second()
	require.EqualValues(t, 1<<30, debug.SetMemoryLimit(-1))
	require.Equal(t, 100, debug.SetGCPercent(100))

	// One within another ends before it.
	first = CollectMeanwhile(1 << 29)
	CollectMeanwhile(Small)()
	require.EqualValues(t, 1<<29, debug.SetMemoryLimit(-1))
	first()

	// A run that begins while another source is opened keeps its limit.
	opened := CollectMeanwhile(Small)
	Limit(500 << 20)
	opened()
	require.EqualValues(t, 400<<20, debug.SetMemoryLimit(-1))
}
