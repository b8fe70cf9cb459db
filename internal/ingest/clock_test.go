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
	// A clock that has run ahead stands until the time catches up.
	c = clock{step: 1, next: time.Now().UnixMicro() - 1000}
	require.GreaterOrEqual(t, c.reserve(0, 1).first, before)
}

// Records of one timestamp have places of their own, which are the same when the piece is resumed.
func TestPlacesOfOneTimestamp(t *testing.T) {
	fixed := int64(1_600_000_000_000_000)
	c := clock{step: 2, fixed: &fixed}
	first, second := c.reserve(0, 10), c.reserve(3, 10)
	known := make(map[int64]bool)
	for n := range 10 {
		for _, place := range []int64{first.place(n), second.place(3 + n)} {
			require.False(t, known[place])
			known[place] = true
		}
		require.Equal(t, fixed, first.at(n))
		require.Equal(t, fixed, second.at(3+n))
	}
	later := clock{step: 2, fixed: &fixed}
	again := later.resume(second.first, 3, 10)
	require.Equal(t, second.place(5), again.place(5))
	require.Equal(t, fixed, again.at(5))
	require.Greater(t, later.reserve(0, 1).place(0), second.place(12))

	own := stamps{first: 100, step: 1, given: []int64{7}}
	require.EqualValues(t, 7, own.place(0))
	require.EqualValues(t, 101, own.place(1))
}
