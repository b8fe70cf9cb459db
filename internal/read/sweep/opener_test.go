package sweep

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// behind is a table whose other ranges can be read only after the first was read to its end.
type behind struct {
	*sweeptest.Table
	first token.Range
	read  chan struct{} // closed when the first range was read
}

// Open implements Reader.
func (b *behind) Open(ctx context.Context, within token.Range) (token.Range, error) {
	if within == b.first {
		return within, nil
	}
	select {
	case <-b.read:
		return within, nil
	case <-ctx.Done():
		return within, context.Cause(ctx)
	}
}

// openSignal sends a signal when a range is done.
type openSignal struct {
	Consumer
	done func(within token.Range)
}

func (c openSignal) Done(within token.Range) error {
	defer c.done(within)
	return c.Consumer.Done(within)
}

// If a range has to wait for another one, it holds none of the budget, although each page takes all
// of it.
func TestRangesThatWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := many(6)
		table := &behind{
			Table: &sweeptest.Table{Rows: sweeptest.Numbered(100)},
			first: splits[0].Range,
			read:  make(chan struct{}),
		}
		budget := newLogBudget(1)
		k := take(table.Table)
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 4, PageRows: 2, Budget: budget, BudgetSize: 1},
			func() (Consumer, error) {
				c, err := k.consumer()
				return openSignal{c, func(within token.Range) {
					if within == table.first {
						close(table.read)
					}
				}}, err
			},
		)
		require.NoError(t, err)
		require.Len(t, result.Done, 6)
		k.requireRows(t, table.Table, result)
		budget.requireBalanced(t)
	})
}

// shut is a table that opens no range.
type shut struct{ *sweeptest.Table }

func (shut) Open(_ context.Context, within token.Range) (token.Range, error) {
	return within, errFatal
}

func (shut) Page(context.Context, string, token.Range, []byte, int) (row.Page, error) {
	panic("a range was read that was not opened")
}

// An error of Open counts like an error of Page.
func TestRangesThatCannotBeOpened(t *testing.T) {
	_, err := Run(bg(), many(6), shut{}, Options{Workers: 2}, blind().consumer)
	require.ErrorIs(t, err, errFatal)
}
