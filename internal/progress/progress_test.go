package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        float64
		known       bool
	}{
		{0, 0, 0, false}, {5, 0, 0, false}, {5, -1, 0, false}, {0, 4, 0, true}, {1, 4, 0.25, true}, {4, 4, 1, true}, {5, 4, 1, true},
	} {
		var counters Counters
		counters.Done.Store(c.done)
		counters.Total.Store(c.total)
		share, known := counters.Share()
		require.Equal(t, c.want, share)
		require.Equal(t, c.known, known)
	}
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		elapsed             time.Duration
		before, done, total int64
		want                time.Duration
	}{
		{10 * time.Second, 0, 500, 1000, 10 * time.Second},
		{10 * time.Second, 0, 900, 1000, 10 * time.Second / 9},
		{time.Minute, 0, 250, 1000, 3 * time.Minute},
		{time.Hour, 0, 1, 1000, 999 * time.Hour},
		{time.Hour, 0, 9, 10000, 0},
		{999 * time.Millisecond, 0, 500, 1000, 0},
		{time.Hour, 0, 1000, 1000, 0},
		{time.Hour, 0, 1100, 1000, 0},
		{time.Hour, 0, 0, 1000, 0},
		{time.Hour, 0, 500, 0, 0},
		// The earlier run's part is no pace of this one.
		{10 * time.Second, 800, 900, 1000, 10 * time.Second},
		{10 * time.Second, 800, 800, 1000, 0},
		{time.Minute, 999, 999, 1000, 0},
		{time.Minute, 1000, 1000, 1000, 0},
	} {
		var counters Counters
		counters.Before.Store(c.before)
		counters.Done.Store(c.done)
		counters.Total.Store(c.total)
		left, known := counters.Left(c.elapsed)
		require.Equal(t, c.want, left, "%+v", c)
		require.Equal(t, c.want != 0, known, "%+v", c)
	}
}
