package scan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The completed share grows with each page of a range, by the tokens of the rows that have come.
func TestShareGrowsWithinARange(t *testing.T) {
	table := numbered(1000, 3)
	job, _ := newJob(t, table, 1)
	job.Splits = []token.Split{{Range: token.Whole(token.Murmur3)}}
	job.Sweep.PageRows = 10
	var shares []float64
	table.Fail = func(context.Context, sweeptest.Request) error {
		share, known := job.Counters.Share()
		require.True(t, known)
		shares = append(shares, share)
		return nil
	}
	_, err := job.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, shares, 100)
	require.IsNonDecreasing(t, shares)
	for i, share := range shares {
		// The page before may still be on its way to the output.
		require.InDelta(t, float64(i)/100, share, 0.025)
	}
	share, _ := job.Counters.Share()
	require.Equal(t, 1.0, share)
}
