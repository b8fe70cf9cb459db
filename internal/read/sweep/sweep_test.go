package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestEveryRowOnce(t *testing.T) {
	emptyFirst := func(r sweeptest.Request) int {
		if r.Page%2 == 0 {
			return 0
		}
		return 3
	}
	for _, c := range []struct {
		name     string
		rows     int
		splits   int
		workers  int
		pageRows int
		short    func(sweeptest.Request) int
		trailing bool
	}{
		{name: "empty table", rows: 0, splits: 5, workers: 2},
		{name: "one row", rows: 1, splits: 1, workers: 1},
		{name: "one page a range", rows: 100, splits: 10, workers: 3, pageRows: 1000},
		{name: "one row a page", rows: 60, splits: 3, workers: 2, pageRows: 1},
		{name: "pages end with the range", rows: 64, splits: 1, workers: 1, pageRows: 8},
		{name: "an empty page at the end", rows: 64, splits: 4, workers: 2, pageRows: 8, trailing: true},
		{name: "empty pages between", rows: 50, splits: 4, workers: 2, pageRows: 8, short: emptyFirst},
		{name: "empty pages between and at the end", rows: 50, splits: 4, workers: 2, short: emptyFirst, trailing: true},
		{name: "more workers than ranges", rows: 50, splits: 2, workers: 16, pageRows: 4},
		{name: "page size found", rows: 3000, splits: 4, workers: 4},
		{name: "options left out", rows: 50, splits: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := &sweeptest.Table{
				Rows:     sweeptest.Numbered(c.rows),
				Short:    c.short,
				Trailing: c.trailing,
			}
			splits := sweeptest.Splits(c.splits, rand.New(rand.NewPCG(1, 2)))
			read := &parts{}
			k := take(table)
			result, err := Run(bg(), splits, table, Options{
				Workers: c.workers, PageRows: c.pageRows, Backoff: brief, OnRead: read.add,
			}, k.consumer)
			require.NoError(t, err)
			require.NoError(t, table.Check())
			require.Empty(t, result.Failed)
			require.Len(t, result.Done, len(splits))
			read.requireAll(t, splits)
			require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), result.Done))
			k.requireRows(t, table, result)
			require.LessOrEqual(t, table.MostUnderway(), max(c.workers, 1))
		})
	}
}

func TestNothingToSweep(t *testing.T) {
	result, err := Run(bg(), nil, &sweeptest.Table{}, Options{Workers: 4}, blind().consumer)
	require.NoError(t, err)
	require.Equal(t, Result{}, result)
}

// A serial plan has one split, the zero Range, and no place to cut it.
func TestSerialPlan(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(20), Fail: failTimes(errUnknown, 0, 3)}
	k := take(table)
	result, err := Run(
		bg(),
		[]token.Split{{}},
		table,
		Options{Workers: 8, PageRows: 6, Backoff: brief},
		k.consumer,
	)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, []token.Range{{}}, result.Done)
	require.Len(t, k.rows[token.Range{}], 20)
}

// All workers have a request in flight at the same time: each waits for the others.
func TestWorkersAreBusyTogether(t *testing.T) {
	const workers = 5
	var arrived sync.WaitGroup
	arrived.Add(workers)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(100)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Number < workers {
			arrived.Done()
			arrived.Wait()
		}
		return nil
	}
	splits := sweeptest.Splits(20, rand.New(rand.NewPCG(3, 4)))
	_, err := Run(bg(), splits, table, Options{Workers: workers, PageRows: 2}, blind().consumer)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, workers, table.MostUnderway())
}

// The next page is requested while the consumer is busy: the consumer does not return before that
// request was made.
func TestNextPageIsAskedForAhead(t *testing.T) {
	var asked [4]chan struct{}
	for i := range asked {
		asked[i] = make(chan struct{})
	}
	table := &sweeptest.Table{Rows: sweeptest.Numbered(8)}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		close(asked[r.Page])
		return nil
	}
	taken := 0
	_, err := Run(
		bg(),
		one(token.Whole(token.Murmur3)),
		table,
		Options{PageRows: 2},
		func() (Consumer, error) {
			return withPage(func(token.Range, row.Page) error {
				taken++
				if taken < len(asked) {
					<-asked[taken]
				}
				return nil
			}), nil
		},
	)
	require.NoError(t, err)
	require.NoError(t, table.Check())
	require.Equal(t, 4, taken)
}

func TestConsumerIsMadeOnceForEachWorker(t *testing.T) {
	made := 0
	splits := sweeptest.Splits(9, rand.New(rand.NewPCG(5, 6)))
	_, err := Run(bg(), splits, &sweeptest.Table{}, Options{Workers: 4}, func() (Consumer, error) {
		made++
		return blind().consumer()
	})
	require.NoError(t, err)
	require.Equal(t, 4, made)
}

// If a consumer cannot be made, nothing was requested.
func TestConsumerThatCannotBeMade(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(100)}
	broken := errors.New("no codec")
	made := 0
	splits := sweeptest.Splits(9, rand.New(rand.NewPCG(7, 8)))
	_, err := Run(bg(), splits, table, Options{Workers: 4}, func() (Consumer, error) {
		if made++; made == 4 {
			return nil, broken
		}
		return blind().consumer()
	})
	require.ErrorIs(t, err, broken)
	require.Empty(t, table.Requests())
	require.NoError(t, table.Check())
}

// BenchmarkPages measures the cost of the sweep itself for each page.
func BenchmarkPages(b *testing.B) {
	const pages = 1000
	table := &sweeptest.Table{Rows: sweeptest.Numbered(pages)}
	splits := sweeptest.Splits(10, rand.New(rand.NewPCG(1, 2)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 4, PageRows: 1, Hosts: fixed("a", "b", "c")},
			func() (Consumer, error) {
				return withPage(func(token.Range, row.Page) error { return nil }), nil
			},
		)
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pages, "ns/page")
}
