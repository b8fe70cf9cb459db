package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/sweep/sweeptest"
)

// schedule is a random course of faults, the same for a seed and an order of
// requests.
type schedule struct {
	mu sync.Mutex
	*rand.Rand
	faults float64 // share of requests that fail
	empty  float64 // share of pages without rows
}

var retryable = []error{errTransient, errOverloaded, errUnknown}

func (s *schedule) fail(_ context.Context, r sweeptest.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Float64() < s.faults {
		return retryable[s.IntN(len(retryable))]
	}
	return nil
}

func (s *schedule) short(r sweeptest.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Float64() < s.empty {
		return 0
	}
	return 1 + s.IntN(r.Rows)
}

// Whatever fails and however often: what is done and what failed are the plan,
// each range that is done gave its rows once, no more requests are under way than
// there are workers, and every page is closed.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 99))
			course := &schedule{Rand: rand.New(rand.NewPCG(seed, 100)), faults: 0.8 * r.Float64(), empty: 0.5 * r.Float64()}
			table := &sweeptest.Table{
				Rows: sweeptest.Numbered(r.IntN(300)), Fail: course.fail, Short: course.short, Trailing: r.IntN(2) == 0,
			}
			splits := sweeptest.Splits(1+r.IntN(20), r)
			o := Options{
				Workers: 1 + r.IntN(6), MaxAttempts: 1 + r.IntN(8), Backoff: brief, PageRows: r.IntN(30),
				Hosts: fixed([]string{"a", "b", "c"}[:r.IntN(4)]...),
			}
			k := &taker{}
			result, err := Run(bg(), splits, table, o, k.consumer)
			require.NoError(t, err)
			require.NoError(t, table.Check())
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
			require.LessOrEqual(t, table.MostUnderway(), o.Workers)
		})
	}
}
