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
