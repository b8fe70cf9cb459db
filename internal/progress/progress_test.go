package progress

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        float64
		known       bool
	}{
		{0, 0, 0, false}, {5, 0, 0, false}, {5, -1, 0, false}, {0, 4, 0, true}, {
			1, 4, 0.25, true,
		}, {4, 4, 1, true}, {5, 4, 1, true},
	} {
		var counters Counters
		counters.Done.Store(c.done)
		counters.Total.Store(c.total)
		share, known := counters.Share()
		require.Equal(t, c.want, share)
		require.Equal(t, c.known, known)
	}
}

// A run with a limit of rows is done when it has them, or when the table has no more.
func TestShareOfALimit(t *testing.T) {
	for _, c := range []struct {
		rows, rejected, limit int64
		done, total           int64
		want                  float64
	}{
		{rows: 402_302, limit: 500_000, done: 2009, total: 10_000, want: 0.804604},
		{rows: 402_302, rejected: 97_698, limit: 500_000, done: 2009, total: 10_000, want: 1},
		{rows: 500_100, limit: 500_000, done: 2009, total: 10_000, want: 1},
		// the table has fewer rows
		{rows: 900, limit: 1_000_000, done: 9000, total: 10_000, want: 0.9},
		{rows: 0, limit: 10, done: 10_000, total: 10_000, want: 1}, // the table has none
		// the work is unknown
		{rows: 5, limit: 10, want: 0.5},
	} {
		var counters Counters
		counters.Rows.Store(c.rows)
		counters.Rejected.Store(c.rejected)
		counters.Limit.Store(c.limit)
		counters.Done.Store(c.done)
		counters.Total.Store(c.total)
		share, known := counters.Share()
		require.True(t, known)
		require.InDelta(t, c.want, share, 1e-9, "%+v", c)
	}
}
