package sweep

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
)

// Only the very first page is read alone. Once it has shown how large rows are, the requests that
// wait for the whole budget need less.
func TestOnlyTheFirstPageIsReadAlone(t *testing.T) {
	const workers, size = 8, 64 << 20
	table := &sweeptest.Table{Rows: sweeptest.Numbered(400)}
	var asked atomic.Int64
	together := make(chan struct{})
	table.Fail = func(ctx context.Context, _ sweeptest.Request) error {
		switch asked.Add(1) {
		case 1:
			return nil
		case workers:
			close(together)
		}
		select {
		case <-together: // all other requests are in flight at once
		case <-ctx.Done():
		}
		return nil
	}
	b := pace.NewBudget(size)
	_, err := Run(
		t.Context(),
		many(64),
		table,
		Options{Workers: workers, PageRows: 50, Budget: b, BudgetSize: size},
		blind().consumer,
	)
	require.NoError(t, err)
	require.Zero(t, b.Used())
}
