package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// logBudget is a budget that records each acquisition and release.
type logBudget struct {
	*pace.Budget
	size int64

	mu    sync.Mutex
	used  int64
	most  int64   // the highest number of bytes in use at any time
	moves []int64 // bytes acquired; below zero: released
}

func newLogBudget(
	size int64,
) *logBudget {
	return &logBudget{Budget: pace.NewBudget(size), size: size}
}

func (b *logBudget) AcquireBy(ctx context.Context, want func() int64) (int64, error) {
	n, err := b.Budget.AcquireBy(ctx, want)
	if err != nil {
		return 0, err
	}
	b.move(n)
	return n, nil
}

func (b *logBudget) Release(n int64) {
	b.move(-n)
	b.Budget.Release(n)
}

func (b *logBudget) move(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	b.most = max(b.most, b.used)
	b.moves = append(b.moves, n)
}

// requireBalanced checks that no byte is in use, and that the budget was never exceeded.
func (b *logBudget) requireBalanced(t *testing.T) {
	t.Helper()
	require.Zero(t, b.Used())
	require.Zero(t, b.used)
	require.LessOrEqual(t, b.most, b.size)
}

// Before anything is known of the rows, a page is read alone.
func TestFirstPageAlone(t *testing.T) {
	const size = 1 << 20
	table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
	budget := newLogBudget(size)
	k := take(table)
	result, err := Run(
		bg(),
		many(20),
		table,
		Options{Workers: 8, PageRows: 3, Budget: budget, BudgetSize: size},
		k.consumer,
	)
	require.NoError(t, err)
	k.requireRows(t, table, result)
	require.Equal(t, []int64{size, -size}, budget.moves[:2])
	require.Less(t, budget.moves[len(budget.moves)-1], int64(0))
	require.Greater(
		t,
		budget.moves[len(budget.moves)-1],
		int64(-size/8),
		"what is known of the rows is used",
	)
	budget.requireBalanced(t)
}

// All rows are read, however large they are and however small the budget is. A page that is larger
// than the budget takes all of it.
func TestOversizedPages(t *testing.T) {
	for _, size := range []int64{1, 100, 5000, 40000, 200000} {
		table := &sweeptest.Table{Rows: sweeptest.Numbered(60)}
		for i := range table.Rows {
			table.Rows[i].Cells = append(table.Rows[i].Cells, make([]byte, 1+10000*(i%3)))
		}
		budget := newLogBudget(size)
		k := take(table)
		result, err := Run(
			bg(),
			many(7),
			table,
			Options{Workers: 4, PageRows: 4, Budget: budget, BudgetSize: size},
			k.consumer,
		)
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Len(t, result.Done, 7)
		k.requireRows(t, table, result)
		budget.requireBalanced(t)
		if size <= 40000 {
			require.Equal(t, 1, table.MostUnderway())
		}
	}
}

// If the budget has room for a few pages, no more of them are in flight.
func TestBudgetHoldsWorkersBack(t *testing.T) {
	const perPage = 10*(1000+4) + pageOverhead
	table := &sweeptest.Table{Rows: sweeptest.Numbered(2000)}
	for i := range table.Rows {
		table.Rows[i].Cells = [][]byte{make([]byte, 1000)}
	}
	budget := newLogBudget(3*perPage + 1)
	_, err := Run(
		bg(),
		many(40),
		table,
		Options{Workers: 16, PageRows: 10, Budget: budget, BudgetSize: budget.size},
		blind().consumer,
	)
	require.NoError(t, err)
	require.LessOrEqual(t, table.MostUnderway(), 3)
	budget.requireBalanced(t)
}

// A page keeps its part of the budget until it is closed.
func TestBudgetIsHeldWhileAPageIsRead(t *testing.T) {
	const size = 1 << 20
	table := &sweeptest.Table{Rows: sweeptest.Numbered(50)}
	budget := newLogBudget(size)
	_, err := Run(
		bg(),
		many(3),
		table,
		Options{Workers: 2, PageRows: 5, Budget: budget, BudgetSize: size},
		func() (Consumer, error) {
			return withPage(func(_ token.Range, p row.Page) error {
				for p.Next() {
					if budget.Used() == 0 {
						return errors.New("a page without its part of the budget")
					}
				}
				return nil
			}), nil
		},
	)
	require.NoError(t, err)
	budget.requireBalanced(t)
}

// The sweep releases everything however it ends: done, a range given up, a consumer's error, a
// permanent error, a broken page, canceled at any request.
func TestBudgetInEveryEnding(t *testing.T) {
	const size = 100000
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		course := &schedule{
			Rand:   rand.New(rand.NewPCG(seed, 8)),
			faults: 0.7 * r.Float64(),
			empty:  0.3 * r.Float64(),
		}
		ctx, cancel := context.WithCancel(bg())
		table := &sweeptest.Table{Rows: sweeptest.Numbered(r.IntN(200)), Short: course.short}
		at, ending := r.IntN(60), r.IntN(5)
		table.Fail = func(ctx context.Context, q sweeptest.Request) error {
			if q.Number == at {
				switch ending {
				case 0:
					cancel()
				case 1:
					return errFatal
				}
			}
			return course.fail(ctx, q)
		}
		var reader Reader = table
		if ending == 2 {
			reader = brokenReader{table}
		}
		k := take(table)
		var pages sync.Mutex
		seen := 0
		budget := newLogBudget(size)
		_, err := Run(ctx, sweeptest.Splits(8, r), reader, Options{
			Workers: 1 + r.IntN(
				6,
			),
			MaxAttempts: 1 + r.IntN(8),
			Backoff:     brief,
			PageRows:    r.IntN(20),
			Budget:      budget,
			BudgetSize:  size,
		}, func() (Consumer, error) {
			c, err := k.consumer()
			return brokenAt{c, func() error {
				pages.Lock()
				defer pages.Unlock()
				if seen++; ending == 3 && seen > at {
					return errBroken
				}
				return nil
			}}, err
		})
		cancel()
		if ending == 4 {
			require.NoError(t, err)
		}
		require.NoError(t, table.Check())
		budget.requireBalanced(t)
		goleak.VerifyNone(t)
	}
}

// brokenAt fails when its function says so.
type brokenAt struct {
	Consumer
	fail func() error
}

func (c brokenAt) Page(within token.Range, p row.Page) error {
	return errors.Join(c.Consumer.Page(within, p), c.fail())
}

func TestEstimate(t *testing.T) {
	const all = 64 << 20
	s := newPageSizer(Options{PageBytes: 1 << 20}.withDefaults())
	require.EqualValues(t, all, s.expectedBytes(firstRows, all))
	s.addPage(0, 0)
	require.EqualValues(
		t,
		all/2,
		s.expectedBytes(firstRows, all),
		"a page without rows shows something",
	)
	for range 100 {
		s.addPage(0, 0)
	}
	require.EqualValues(
		t,
		1<<20+pageOverhead,
		s.expectedBytes(firstRows, all),
		"but no page is free",
	)
	require.EqualValues(t, 1000, s.expectedBytes(firstRows, 1000))
	s.addPage(10, 5000)
	require.EqualValues(t, 100*500+pageOverhead, s.expectedBytes(100, all))
	require.EqualValues(t, 1000, s.expectedBytes(100, 1000))
	s.addPage(1, 1<<40)
	require.EqualValues(t, all, s.expectedBytes(mostRows, all))
}

// An empty table is not read one request at a time. After a few pages, all workers have a request
// in flight: each waits for the others.
func TestEmptyTableIsReadTogether(t *testing.T) {
	const workers, alone = 5, 20
	var arrived sync.WaitGroup
	arrived.Add(workers)
	table := &sweeptest.Table{}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Number >= alone && r.Number < alone+workers {
			arrived.Done()
			arrived.Wait()
		}
		return nil
	}
	const size = 64 << 20
	budget := newLogBudget(size)
	_, err := Run(
		bg(),
		many(100),
		table,
		Options{Workers: workers, Budget: budget, BudgetSize: size},
		blind().consumer,
	)
	require.NoError(t, err)
	budget.requireBalanced(t)
}
