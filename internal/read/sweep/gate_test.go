package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// logGate records what passes it.
type logGate struct {
	mu       sync.Mutex
	acquired int
	released []release
}

type release struct {
	outcome pace.Outcome
	units   float64
}

func (g *logGate) Acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.acquired++
	return nil
}

func (*logGate) Limit() int { return 1 }

func (g *logGate) ReleaseFar(_, _ time.Duration, units float64, outcome pace.Outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.released = append(g.released, release{outcome, units})
}

// Each request passes the gate once, and reports how it ended and how many rows came.
func TestGateSeesEachRequest(t *testing.T) {
	script := []error{nil, errOverloaded, errTransient, errUnknown, nil, errOverloaded, nil}
	table := sized(20)
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		return script[min(r.Number, len(script)-1)]
	}
	var gate logGate
	_, err := Run(
		bg(),
		many(1),
		table,
		Options{PageRows: 8, Gate: &gate, Backoff: brief},
		blind().consumer,
	)
	require.NoError(t, err)
	require.Equal(t, len(table.Requests()), gate.acquired)
	require.Equal(t, []release{
		{pace.Good, pageUnits(8)},
		{pace.Overloaded, pageUnits(0)}, {pace.Bad, pageUnits(0)}, {pace.Overloaded, pageUnits(0)},
		{pace.Good, pageUnits(4)}, // half of the rows, after a timeout
		{pace.Overloaded, pageUnits(0)}, {pace.Good, pageUnits(4)},
		{pace.Good, pageUnits(4)},
	}, gate.released)
}

// The gate also learns how the last request of a failed run ended.
func TestGateSeesTheLastRequest(t *testing.T) {
	for _, c := range []struct {
		err  error
		want pace.Outcome
	}{
		{errFatal, pace.Bad}, {errPermanent, pace.Bad}, {errors.New("a bug"), pace.Bad},
		{fault.New(fault.Canceled, context.Canceled), pace.Bad},
	} {
		table := sized(20)
		table.Fail = func(context.Context, sweeptest.Request) error { return c.err }
		var gate logGate
		_, err := Run(bg(), many(1), table, Options{Gate: &gate}, blind().consumer)
		require.ErrorIs(t, err, c.err)
		require.Equal(t, 1, gate.acquired)
		require.Equal(t, []release{{c.want, pageUnits(0)}}, gate.released)
	}
}

// A narrow gate holds the workers back, and no request stays in it however the run ends. The gate
// of package pace panics if there are more releases than requests.
func TestNarrowGate(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		course := &schedule{
			Rand:   rand.New(rand.NewPCG(seed, 6)),
			faults: 0.6 * r.Float64(),
			empty:  0.3,
		}
		table := &sweeptest.Table{
			Rows:  sweeptest.Numbered(100),
			Fail:  course.fail,
			Short: course.short,
		}
		ceiling := 1 + r.IntN(3)
		gate := pace.NewGate(pace.GateOptions{Ceiling: ceiling})
		splits := sweeptest.Splits(10, r)
		k := take(table)
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 8, PageRows: 9, Gate: gate, Backoff: brief},
			k.consumer,
		)
		require.NoError(t, err)
		require.NoError(t, table.Check())
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
		require.LessOrEqual(t, table.MostUnderway(), ceiling)
		require.Zero(t, gate.InFlight())
	}
}

// If the run ends, workers that wait at the gate return.
func TestCancelAtTheGate(t *testing.T) {
	for _, broken := range []error{nil, errors.New("disk full")} {
		ctx, cancel := context.WithCancel(bg())
		table := &sweeptest.Table{Rows: sweeptest.Numbered(100)}
		gate := pace.NewGate(pace.GateOptions{Ceiling: 1})
		budget := newLogBudget(1 << 20)
		_, err := Run(
			ctx,
			many(10),
			table,
			Options{Workers: 5, PageRows: 2, Gate: gate, Budget: budget, BudgetSize: 1 << 20},
			func() (Consumer, error) {
				return withPage(func(token.Range, row.Page) error {
					if broken == nil {
						cancel()
					}
					return broken
				}), nil
			},
		)
		cancel()
		require.Error(t, err)
		require.NoError(t, table.Check())
		require.Zero(t, gate.InFlight())
		budget.requireBalanced(t)
	}
}

// Pace is called before each page, and its Admission with the rows and bytes that came.
func TestPaceSeesEachPage(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(100), Trailing: true}
	var mu sync.Mutex
	asked, pages, rows, bytes := 0, 0, int64(0), int64(0)
	result, err := Run(
		bg(),
		many(5),
		table,
		Options{
			Workers:     3,
			PageRows:    9,
			MaxPageRows: 7,
			Pace: func(_ context.Context, most, about func() int64) (Admission, error) {
				mu.Lock()
				defer mu.Unlock()
				require.EqualValues(t, 7, most())
				require.Zero(t, about(), "without a budget")
				asked++
				return func(_ context.Context, r, b int64) error {
					mu.Lock()
					defer mu.Unlock()
					pages, rows, bytes = pages+1, rows+r, bytes+b
					return nil
				}, nil
			},
		},
		take(table).consumer,
	)
	require.NoError(t, err)
	require.Len(t, result.Done, 5)
	require.Equal(t, len(table.Requests()), asked)
	require.Equal(t, asked, pages)
	require.EqualValues(t, 100, rows)
	var want int64
	for _, r := range table.Rows {
		want += int64(len(r.Cells[0])) + 4
	}
	require.Equal(t, want, bytes)
}

// An error of Pace ends the run. All pages are closed, and every Admission is called.
func TestPaceErrorEndsTheRun(t *testing.T) {
	for at := range 8 {
		table := &sweeptest.Table{Rows: sweeptest.Numbered(100)}
		budget := newLogBudget(1 << 20)
		var asked, told atomic.Int64
		_, err := Run(
			bg(),
			many(2),
			table,
			Options{
				PageRows:   10,
				Budget:     budget,
				BudgetSize: 1 << 20,
				Pace: func(_ context.Context, _, _ func() int64) (Admission, error) {
					if at%2 == 0 && asked.Load() >= int64(at) {
						return nil, context.Canceled
					}
					asked.Add(1)
					return func(_ context.Context, rows, _ int64) error {
						if told.Add(1) >= int64(at) && rows > 0 {
							return context.Canceled
						}
						return nil
					}, nil
				},
			},
			blind().consumer,
		)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, asked.Load(), told.Load())
		require.NoError(t, table.Check())
		budget.requireBalanced(t)
	}
}
