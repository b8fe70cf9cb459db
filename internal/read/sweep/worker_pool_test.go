package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
)

// farNode is the node of farTable.
const farNode = "far"

// farTable returns a table of a node 100 ms away, which reads any number of pages at once, and a
// function that returns the largest number of requests in flight.
func farTable(rows int) (*sweeptest.Table, *atomic.Int64) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(rows)}
	var underWay, most atomic.Int64
	table.Fail = func(ctx context.Context, _ sweeptest.Request) error {
		n := underWay.Add(1)
		defer underWay.Add(-1)
		most.Store(max(most.Load(), n))
		return pace.Sleep(ctx, 100*time.Millisecond)
	}
	return table, &most
}

func farOptions(most int) Options {
	return Options{
		Workers: 4, MaxRequests: most, PageRows: 10,
		Gate:  pace.NewGate(pace.GateOptions{Ceiling: 4, Far: most}),
		Hosts: func(int) []string { return []string{farNode} },
		Trips: pace.NewTrips(map[string]time.Duration{farNode: 100 * time.Millisecond}),
	}
}

// If nodes are far away, there are as many workers as the gate lets requests pass, and every row
// comes once.
func TestWorkerPool(t *testing.T) {
	for _, tt := range []struct{ splits, most, least, bound int }{
		{400, 64, 50, 64}, {400, 4, 4, 4}, {10, 64, 8, 10}, {1, 64, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			table, most := farTable(20_000)
			taker := take(table)
			splits := sweeptest.Splits(tt.splits, rand.New(rand.NewPCG(1, 1)))
			result, err := Run(t.Context(), splits, table, farOptions(tt.most), taker.consumer)
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			taker.requireRows(t, table, result)
			require.GreaterOrEqual(t, int(most.Load()), tt.least)
			require.LessOrEqual(t, int(most.Load()), tt.bound)
		})
	}
}

// If a worker cannot be made, the sweep ends.
func TestWorkerPoolWithoutAConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _ := farTable(20_000)
		taker, made := take(table), 0
		failure := errors.New("no more")
		_, err := Run(
			t.Context(),
			sweeptest.Splits(400, rand.New(rand.NewPCG(1, 1))),
			table,
			farOptions(64),
			func() (Consumer, error) {
				if made++; made > 10 {
					return nil, failure
				}
				return taker.consumer()
			},
		)
		require.ErrorIs(t, err, failure)
		require.Equal(t, 11, made)
	})
}
