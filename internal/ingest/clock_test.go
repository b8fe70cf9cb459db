package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClockStaysWithTheTime(t *testing.T) {
	c := clock{step: 1}
	last, reserved := int64(0), int64(0)
	before := time.Now().UnixMicro()
	for i := range 2000 {
		n := i % 50
		first := c.reserve(0, n).first
		require.GreaterOrEqual(t, first, last)
		require.LessOrEqual(t, first, time.Now().UnixMicro()+reserved)
		require.GreaterOrEqual(t, first, before)
		last = first + int64(n)
		reserved += int64(n)
	}
	// A clock that has run ahead does not go on from there for good: the time
	// catches up.
	c = clock{step: 1, next: time.Now().UnixMicro() - 1000}
	require.GreaterOrEqual(t, c.reserve(0, 1).first, before)
}
