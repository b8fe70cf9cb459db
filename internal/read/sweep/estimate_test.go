package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
)

// If a table is larger than its estimate, a sweep begins with few splits. Each row comes once. Its
// requests and their concurrency give at least 0.8 of the speed of one split per worker.
func TestFewSplits(t *testing.T) {
	const workers = 20
	const trip = 10 * time.Millisecond // in the bubble's clock
	sweep := func(t *testing.T, splits int) (requests int, atOnce float64) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 8))
			ring, hosts := ringOf(t, r, 500, 5)
			table := large(5000, 16<<10) // 80 MiB
			table.Fail = func(context.Context, sweeptest.Request) error {
				time.Sleep(trip)
				return nil
			}
			plan := ring.PlanCoarse(splits, 3)
			k := take(table)
			begun := time.Now()
			result, err := Run(
				bg(),
				plan,
				table,
				Options{Workers: workers, Borders: ring, MaxPieces: 3000, Hosts: hosts},
				k.consumer,
			)
			took := time.Since(begun)
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			requireCover(t, plan, result)
			k.requireRows(t, table, result)
			requests = len(table.Requests())
			atOnce = float64(requests) * float64(trip) / float64(took)
		})
		return requests, atOnce
	}
	requests, atOnce := sweep(t, workers)
	for _, splits := range []int{1, 3} {
		t.Run(fmt.Sprint(splits), func(t *testing.T) {
			n, at := sweep(t, splits)
			t.Logf(
				"%d requests, %.1f at once; %d, %.1f with a split for each worker",
				n,
				at,
				requests,
				atOnce,
			)
			speed := at / float64(n) / (atOnce / float64(requests))
			t.Logf("speed %.3f", speed)
			require.GreaterOrEqual(t, speed, 0.8)
		})
	}
}
