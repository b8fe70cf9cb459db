package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
)

// schedule is a random course of faults. It is the same for a seed and an order of requests.
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

// mixed makes a table of partitions of one to many rows. Some of them share a token.
func mixed(r *rand.Rand) *sweeptest.Table {
	table := &sweeptest.Table{}
	for i, p := range sweeptest.Numbered(r.IntN(80)) {
		for share := range 1 + r.IntN(8)/6 {
			rows := 1 + r.IntN(4)
			if r.IntN(20) == 0 {
				rows = 1 + r.IntN(200)
			}
			for n := range rows {
				table.Rows = append(
					table.Rows,
					sweeptest.Row{
						Token: p.Token,
						Cells: [][]byte{fmt.Appendf(nil, "row %d of %d/%d", n, i, share)},
					},
				)
			}
		}
	}
	return table
}

// Random faults: done and failed ranges are together the plan. Done ranges gave their rows once,
// and no others gave any. There is at most one request in flight per worker. Every page is closed,
// and nothing of gate and budget stays in use.
func TestRandomFaults(t *testing.T) {
	cuts, failures := 0, 0
	for seed := range uint64(600) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 99))
			course := &schedule{
				Rand:   rand.New(rand.NewPCG(seed, 100)),
				faults: 0.8 * r.Float64(),
				empty:  0.5 * r.Float64(),
			}
			table := mixed(r)
			table.Fail, table.Short, table.Trailing = course.fail, course.short, r.IntN(2) == 0
			splits := sweeptest.Splits(1+r.IntN(20), r)
			var gate logGate
			budget := newLogBudget(1 << (4 + r.IntN(17)))
			o := Options{
				Workers: 1 + r.IntN(
					6,
				),
				MaxAttempts: 1 + r.IntN(8),
				Backoff:     brief,
				PageRows:    r.IntN(30),
				Hosts: fixed(
					[]string{"a", "b", "c"}[:r.IntN(4)]...),
				Gate:       &gate,
				Budget:     budget,
				BudgetSize: budget.size,
			}
			k := take(table)
			if r.IntN(5) == 0 {
				k = blind()
			}
			result, err := Run(bg(), splits, table, o, k.consumer)
			require.NoError(t, err)
			require.NoError(t, table.Check())
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
			require.LessOrEqual(t, table.MostUnderway(), o.Workers)
			require.Equal(t, len(table.Requests()), gate.acquired)
			require.Len(t, gate.released, gate.acquired)
			budget.requireBalanced(t)
			cuts += len(result.Done) + len(result.Failed) - len(splits)
			failures += len(result.Failed)
		})
	}
	require.Greater(t, cuts, 600, "the courses are hard enough")
	require.Greater(t, failures, 200)
}
