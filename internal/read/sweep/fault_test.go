package sweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Each class of fault, at the first page of a range and at later pages, temporary and permanent.
func TestFaultClasses(t *testing.T) {
	const attempts = 4
	for _, c := range []struct {
		name  string
		err   error
		retry bool
	}{
		{"transient", errTransient, true},
		{"overloaded", errOverloaded, true},
		{"unknown", errUnknown, true},
		{"permanent", errPermanent, false},
		{"fatal", errFatal, false},
		{"without a class", fmt.Errorf("a bug"), false},
	} {
		for _, page := range []int{0, 1, 2} {
			for _, times := range []int{1, attempts - 1, attempts} {
				t.Run(
					fmt.Sprintf("%s, page %d, %d times", c.name, page, times),
					func(t *testing.T) {
						table := &sweeptest.Table{
							Rows: sweeptest.Numbered(9),
							Fail: failTimes(c.err, page, times),
						}
						splits := one(token.Whole(token.Murmur3))
						if page == 0 {
							// nothing to cut, so that all attempts are for one range
							splits = one(
								token.Range{Start: token.Token{}, End: table.Rows[0].Token},
							)
							table.Rows = table.Rows[:1]
						}
						var retries atomic.Int64
						k := blind()
						result, err := Run(bg(), splits, table, Options{
							Workers:     2,
							MaxAttempts: attempts,
							PageRows:    3,
							Backoff:     brief,
							OnRetry:     func(string, error) { retries.Add(1) },
						}, k.consumer)
						require.NoError(t, table.Check())
						k.requireRows(t, table, result)
						switch {
						case !c.retry:
							require.ErrorIs(t, err, c.err)
							require.Zero(t, retries.Load())
							require.Empty(t, result.Done)
							require.Empty(t, result.Failed)
							return
						case times < attempts:
							require.NoError(t, err)
							require.Empty(t, result.Failed)
							require.EqualValues(t, times, retries.Load())
						default:
							require.NoError(t, err)
							require.Equal(
								t,
								[]Failure{{Range: splits[0].Range, Err: c.err}},
								result.Failed,
							)
							require.EqualValues(t, attempts-1, retries.Load())
						}
						requireCover(t, splits, result)
					},
				)
			}
		}
	}
}

// Only the range that cannot be read is listed as failed. If no consumer reports progress, none of
// its rows are kept.
func TestFailedRangeIsNamed(t *testing.T) {
	splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 1)))
	bad := splits[5].Range
	table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == bad && r.Page == 2 {
			return errOverloaded
		}
		return nil
	}
	k := blind()
	read := &parts{}
	result, err := Run(
		bg(),
		splits,
		table,
		Options{Workers: 3, PageRows: 2, Backoff: brief, OnRead: read.add},
		k.consumer,
	)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, []Failure{{Range: bad, Err: errOverloaded}}, result.Failed)
	require.Len(t, result.Done, 11)
	read.requireAll(t, splits) // a split with a failed range counts as read, too
	requireCover(t, splits, result)
	k.requireRows(t, table, result)
}

// A range that its reader gives up is listed at once. It is not retried, no node counts as dead or
// silent because of it, and its complete part is kept. The others are read.
func TestGivenUpRangeIsNeitherRetriedNorWaitedFor(t *testing.T) {
	errGivenUp := fault.New(fault.GivenUp, errors.New("a file is broken"))
	splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 1)))
	for page := range 3 {
		bad := splits[5].Range
		table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Within == bad && r.Page == page {
				return errGivenUp
			}
			return nil
		}
		var failures atomic.Int64
		k := take(table)
		read := &parts{}
		result, err := Run(bg(), splits, table, Options{
			Workers:     3,
			PageRows:    2,
			MaxAttempts: 10,
			Backoff:     forever,
			Patience:    1,
			Hosts:       fixed("a", "b"),
			OnRead:      read.add,
			Ping: func(context.Context, string) error {
				t.Error("asked whether the nodes live")
				return errGivenUp
			},
			OnRetry:   func(string, error) { t.Error("retried") },
			OnFailure: func(token.Range) { failures.Add(1) },
		}, k.consumer)
		require.NoError(t, err)
		require.NoError(t, table.Check())
		require.Len(t, result.Failed, 1)
		require.Equal(t, errGivenUp, result.Failed[0].Err)
		require.Equal(t, bad.End, result.Failed[0].Range.End)
		require.Equal(
			t,
			page == 0,
			result.Failed[0].Range.Start == bad.Start,
			"partitions that came whole are kept",
		)
		require.EqualValues(t, 1, failures.Load())
		asked := 0
		for _, r := range table.Requests() {
			if r.Within == bad {
				asked++
			}
		}
		require.Equal(t, page+1, asked)
		read.requireAll(t, splits)
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
	}
}

// If the first page of a range never comes in time, the range is cut until its parts are small
// enough.
func TestSlowRangeIsCut(t *testing.T) {
	whole := sweeptest.Between(100, 900)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(500)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if token.Fraction(r.Within, token.Murmur3) > 0.25 && r.Page == 0 {
			return errUnknown
		}
		return nil
	}
	k := take(table)
	result, err := Run(bg(), one(whole), table, Options{PageRows: 50, Backoff: brief}, k.consumer)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Empty(t, result.Failed)
	require.Len(t, result.Done, 4)
	require.Equal(t, whole.Start, result.Done[0].Start, "the parts are read in order")
	requireCover(t, one(whole), result)
	k.requireRows(t, table, result)
}

// Only a timeout cuts a range, and without progress only before its first page.
func TestWhatDoesNotCut(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		page int
	}{{"overloaded", errOverloaded, 0}, {"transient", errTransient, 0}, {"unknown at a later page", errUnknown, 1}} {
		t.Run(c.name, func(t *testing.T) {
			whole := token.Whole(token.Murmur3)
			table := &sweeptest.Table{
				Rows: sweeptest.Numbered(40),
				Fail: failTimes(c.err, c.page, 6),
			}
			k := blind()
			result, err := Run(
				bg(),
				one(whole),
				table,
				Options{PageRows: 30, Backoff: brief},
				k.consumer,
			)
			require.NoError(t, err)
			require.NoError(t, table.Check())
			require.Equal(t, []token.Range{whole}, result.Done)
			k.requireRows(t, table, result)
		})
	}
}

// If a node never answers, its ranges are cut a limited number of times, and all parts are listed.
func TestCutsEnd(t *testing.T) {
	for attempts := 1; attempts <= 10; attempts++ {
		whole := token.Whole(token.Murmur3)
		table := &sweeptest.Table{Rows: sweeptest.Numbered(500)}
		table.Fail = func(context.Context, sweeptest.Request) error { return errUnknown }
		result, err := Run(
			bg(),
			one(whole),
			table,
			Options{MaxAttempts: attempts, Backoff: brief},
			blind().consumer,
		)
		require.NoError(t, err)
		require.Empty(t, result.Done)
		requireCover(t, one(whole), result)
		require.LessOrEqual(t, len(result.Failed), 16)
		require.LessOrEqual(t, len(table.Requests()), 62)
		for _, f := range result.Failed {
			require.Equal(t, errUnknown, f.Err)
		}
	}
}

// A page that does not come in time is retried with fewer rows each time. The pages after it begin
// small, and grow to the full size again.
func TestPageShrinksAndGrows(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(200), Fail: failTimes(errUnknown, 1, 3)}
	k := blind()
	result, err := Run(
		bg(),
		one(token.Whole(token.Murmur3)),
		table,
		Options{PageRows: 40, Backoff: brief},
		k.consumer,
	)
	require.NoError(t, err)
	k.requireRows(t, table, result)
	require.Equal(t, []int{40, 40, 20, 10, 5, 5, 10, 20, 40, 40, 40}, rowsOf(table.Requests()))
}

// The parts of a range that was too slow begin with the page size that was reached.
func TestPartsStartWithSmallPages(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(10)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == whole {
			return errUnknown
		}
		return nil
	}
	_, err := Run(bg(), one(whole), table, Options{PageRows: 40, Backoff: brief}, blind().consumer)
	require.NoError(t, err)
	require.Equal(t, []int{40, 20, 10, 10}, rowsOf(table.Requests()))
}

func TestPageNeverBelowOneRow(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(3), Fail: failTimes(errUnknown, 1, 9)}
	_, err := Run(
		bg(),
		one(token.Whole(token.Murmur3)),
		table,
		Options{PageRows: 2, Backoff: brief},
		blind().consumer,
	)
	require.NoError(t, err)
	for _, r := range table.Requests() {
		require.Positive(t, r.Rows)
	}
}
