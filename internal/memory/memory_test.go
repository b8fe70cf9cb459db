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
