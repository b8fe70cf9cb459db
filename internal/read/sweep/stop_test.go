package sweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A consumer's error ends the run with that error, whatever its class says.
func TestConsumerErrorEndsTheRun(t *testing.T) {
	for _, broken := range []error{errors.New("disk full"), errTransient, errUnknown, context.Canceled} {
		for _, after := range []int{0, 1, 5, 20} {
			table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
			splits := sweeptest.Splits(10, rand.New(rand.NewPCG(1, uint64(after))))
			pages := make(chan struct{}, after)
			_, err := Run(
				bg(),
				splits,
				table,
				Options{Workers: 4, PageRows: 5, Backoff: brief},
				func() (Consumer, error) {
					return withPage(func(token.Range, row.Page) error {
						select {
						case pages <- struct{}{}:
							return nil
						default:
							return broken
						}
					}), nil
				},
			)
			require.ErrorIs(t, err, broken)
			require.EqualError(t, err, broken.Error())
			require.NoError(t, table.Check())
			goleak.VerifyNone(t)
		}
	}
}

// The run does not wait for the page requested ahead: it may never come.
func TestConsumerErrorDoesNotWaitForTheNextPage(t *testing.T) {
	asked := make(chan struct{})
	table := &sweeptest.Table{Rows: sweeptest.Numbered(10)}
	table.Fail = func(ctx context.Context, r sweeptest.Request) error {
		if r.Page == 0 {
			return nil
		}
		close(asked)
		<-ctx.Done()
		return fault.New(fault.Canceled, ctx.Err())
	}
	broken := errors.New("disk full")
	_, err := Run(bg(), many(1), table, Options{PageRows: 2}, func() (Consumer, error) {
		return withPage(func(token.Range, row.Page) error {
			<-asked
			return broken
		}), nil
	})
	require.ErrorIs(t, err, broken)
	require.NoError(t, table.Check())
}

// If that page comes all the same, it is closed.
func TestConsumerErrorClosesTheNextPage(t *testing.T) {
	asked := make(chan struct{})
	table := &sweeptest.Table{Rows: sweeptest.Numbered(10)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Page == 1 {
			close(asked)
		}
		return nil
	}
	broken := errors.New("disk full")
	_, err := Run(
		bg(),
		many(1),
		unresponsive{table},
		Options{PageRows: 2},
		func() (Consumer, error) {
			return withPage(func(token.Range, row.Page) error {
				<-asked
				return broken
			}), nil
		},
	)
	require.ErrorIs(t, err, broken)
	require.Len(t, table.Requests(), 2)
	require.NoError(t, table.Check())
}

// brokenPage is a page that ends early with an error.
type brokenPage struct{ row.Page }

var errBroken = errors.New("decoding row 3")

func (brokenPage) Err() error { return errBroken }

type brokenReader struct{ *sweeptest.Table }

func (r brokenReader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	p, err := r.Table.Page(ctx, host, within, state, rows)
	return brokenPage{p}, err
}

// A page that could not be read to its end never counts as complete.
func TestBrokenPageEndsTheRun(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(30)}
	result, err := Run(
		bg(),
		many(3),
		brokenReader{table},
		Options{Workers: 2, PageRows: 3},
		blind().consumer,
	)
	require.ErrorIs(t, err, errBroken)
	require.Empty(t, result.Done)
	require.NoError(t, table.Check())
}

// The run can be canceled at every request.
func TestCancelAtAnyRequest(t *testing.T) {
	splits := sweeptest.Splits(5, rand.New(rand.NewPCG(1, 2)))
	for at := range 40 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			ctx, cancel := context.WithCancel(bg())
			defer cancel()
			table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
			table.Fail = func(_ context.Context, r sweeptest.Request) error {
				if r.Number == at {
					cancel()
				}
				if r.Number%3 == 0 {
					return errOverloaded
				}
				return nil
			}
			k := take(table)
			result, err := Run(ctx, splits, table, Options{
				Workers: 3, PageRows: 3, MaxAttempts: 1000, Backoff: brief, Hosts: fixed("a", "b"),
			}, k.consumer)
			require.Equal(t, fault.Canceled, fault.ClassOf(err))
			require.NoError(t, table.Check())
			require.Empty(t, result.Failed)
			k.requireRows(t, table, result)
			goleak.VerifyNone(t)
		})
	}
}

// If a reader ignores the context, it is not called again after the context's end.
func TestCancelWithAStubbornReader(t *testing.T) {
	for _, answer := range []error{nil, errTransient, errUnknown} {
		ctx, cancel := context.WithCancel(bg())
		table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Number == 4 {
				cancel()
			}
			return answer
		}
		_, err := Run(
			ctx,
			many(4),
			unresponsive{table},
			Options{Workers: 1, PageRows: 1, Backoff: brief, MaxAttempts: 100},
			blind().consumer,
		)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.Len(t, table.Requests(), 5)
		require.NoError(t, table.Check())
	}
}

// unresponsive is a table that ignores the context.
type unresponsive struct{ *sweeptest.Table }

func (d unresponsive) Page(
	_ context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	return d.Table.Page(bg(), host, within, state, rows)
}

// The run can be canceled while a consumer is busy.
func TestCancelInAConsumer(t *testing.T) {
	ctx, cancel := context.WithCancel(bg())
	table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
	_, err := Run(ctx, many(4), table, Options{Workers: 2, PageRows: 5}, func() (Consumer, error) {
		return withPage(func(token.Range, row.Page) error {
			cancel()
			return nil
		}), nil
	})
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.NoError(t, table.Check())
}

// The run can be canceled before the first request.
func TestCancelledFromTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(bg())
	cancel()
	table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
	result, err := Run(ctx, many(4), table, Options{Workers: 2}, blind().consumer)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.Empty(t, table.Requests())
	require.Empty(t, result.Done)
}

// A sweep of a cluster that answers nothing ends when the patience is over.
func TestSilentCluster(t *testing.T) {
	table := &sweeptest.Table{}
	table.Fail = func(context.Context, sweeptest.Request) error {
		return fault.New(fault.Transient, errors.New("no route"))
	}
	_, err := Run(bg(), many(8), table, Options{
		MaxAttempts: 1,
		Patience:    time.Millisecond,
		Backoff:     pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond},
	}, blind().consumer)
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.ErrorContains(t, err, "the cluster has answered no read for")
}
