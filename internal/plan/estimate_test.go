package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// If an estimate is 1,000 times too high, there are no more splits than the table has pages, or
// requests run at once. If it is too low, 0, or of a dropped table, the splits are wide and may be
// cut. In any case they are the ring.
func TestWrongEstimates(t *testing.T) {
	const slack = 1.5 // borders of coarse splits add some
	c := large(100, 64, 4)
	for _, size := range []int64{0, 1000, 80 << 20, 10 << 30, 1 << 40} {
		for _, estimate := range []int64{0, size / 1000, size, 1000 * size} {
			t.Run(fmt.Sprintf("%d for %d", estimate, size), func(t *testing.T) {
				p, err := Make(c, three, Options{Coarse: true, Seed: 7, Bytes: estimate})
				require.NoError(t, err)
				require.NoError(
					t,
					token.Cover(token.Murmur3, token.Whole(token.Murmur3), ranges(p.Splits)),
				)
				require.NoError(t, p.Check(ranges(p.Splits)))
				least := min(p.Parallel, coarseSplits)
				require.LessOrEqual(
					t,
					float64(len(p.Splits)),
					slack*float64(max(int64(least), size/pageBytes)),
				)
				require.GreaterOrEqual(t, slack*float64(len(p.Splits)), float64(least))
				if p.Borders() == nil {
					require.GreaterOrEqual(t, len(p.Splits), p.Parallel*SplitsPerRequest)
				}
			})
		}
	}
}
