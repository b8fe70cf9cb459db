package sweep

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestPageSizer(t *testing.T) {
	type page struct {
		rows  int
		bytes int64
	}
	for _, c := range []struct {
		name  string
		o     Options
		pages []page
		want  int
	}{
		{"before the first page", Options{}, nil, firstRows},
		{"fixed", Options{PageRows: 7}, []page{{10, 10}}, 7},
		{"by size", Options{PageBytes: 1000}, []page{{50, 500}}, 100},
		{"empty pages show nothing", Options{PageBytes: 1000}, []page{{50, 500}, {0, 0}}, 100},
		{"eight times the rows seen", Options{PageBytes: 1000}, []page{{1, 10}, {2, 20}}, 24},
		{"larger rows count at once", Options{PageBytes: 1000}, []page{{10, 100}, {1, 500}}, 2},
		{"smaller ones little by little", Options{PageBytes: 1000}, []page{{1, 100}, {100, 2000}}, 12},
		{"a row above the target", Options{PageBytes: 1000}, []page{{1, 5000}}, 1},
		{"rows of no bytes", Options{PageBytes: 1000}, []page{{500, 0}}, 1000},
		{"never above the most", Options{}, []page{{mostRows, mostRows}}, mostRows},
		{"never above what is allowed", Options{MaxPageRows: 40}, []page{{100, 100}}, 40},
		{"nor before the first page", Options{MaxPageRows: 4}, nil, 1},
		{"nor when fixed", Options{MaxPageRows: 4, PageRows: 7}, nil, 4},
		{"less than is allowed", Options{MaxPageRows: 7, PageRows: 4}, nil, 4},
		{"fixed, above the most", Options{PageRows: 20_000}, nil, 20_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPageSizer(c.o.withDefaults())
			for _, p := range c.pages {
				s.addPage(p.rows, p.bytes)
			}
			require.Equal(t, c.want, s.rows(false))
		})
	}
}

// Servers count with internal pages of the requested size, so requests for counts do not begin
// small.
func TestPageSizerOfNumbers(t *testing.T) {
	s := newPageSizer(Options{}.withDefaults())
	require.Equal(t, firstLarge, s.rows(true))
	s.addPage(1, 12)
	require.Equal(t, mostRows, s.rows(true))
	s = newPageSizer(Options{MaxPageRows: 4}.withDefaults())
	require.Equal(t, 4, s.rows(true))
}

// After large rows, small rows bring the page size back to what it was.
func TestPageSizerComesBack(t *testing.T) {
	s := newPageSizer(Options{PageBytes: 1 << 20})
	s.addPage(1, 1<<20)
	require.Equal(t, 1, s.rows(false))
	for range 60 {
		s.addPage(100, 100*1000)
	}
	require.Equal(t, 1048, s.rows(false))
}

// The expected weight is high until some pages have come, and then follows their weights.
func TestPageSizerOfWeights(t *testing.T) {
	s := newPageSizer(Options{})
	require.EqualValues(t, mostWeight, s.expectedWeight(token.Range{}))
	s.addWeight(0, token.Range{})
	require.EqualValues(t, mostWeight/2, s.expectedWeight(token.Range{}))
	for range 100 {
		s.addWeight(0, token.Range{})
	}
	require.EqualValues(t, 1, s.expectedWeight(token.Range{}))
	s.addWeight(1000, token.Range{})
	require.EqualValues(t, 1000, s.expectedWeight(token.Range{}))
	s.addWeight(0, token.Range{})
	require.EqualValues(t, 750, s.expectedWeight(token.Range{}))
	for range 100 {
		s.addWeight(0, token.Range{})
	}
	require.EqualValues(t, 1, s.expectedWeight(token.Range{}))
}

// The expected weight of a range that is wider than those before grows with its width. That of a
// narrower range stays, since a page of several may hold only a part of its range.
func TestPageSizerOfWeightsOfWideRanges(t *testing.T) {
	s := newPageSizer(Options{})
	of := func(tokens uint64) token.Range {
		return token.Range{Start: token.Token{Lo: 5}, End: token.Token{Lo: 5 + tokens}}
	}
	s.addWeight(100, of(1000))
	require.EqualValues(t, 100, s.expectedWeight(of(1000)))
	require.EqualValues(t, 1000, s.expectedWeight(of(10_000)))
	require.EqualValues(t, 100, s.expectedWeight(of(10)))
	s.addWeight(10, of(100))
	require.EqualValues(t, 1000, s.expectedWeight(of(10_000)), "as dense as before")
	s.addWeight(1<<40, of(1))
	s.addWeight(0, of(1))
	require.LessOrEqual(t, int64(mostWeight), s.expectedWeight(of(1<<60)))
}

func TestPageSizerIsSafeForConcurrentUse(t *testing.T) {
	s := newPageSizer(Options{PageBytes: 1000})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 1000 {
				s.addPage(10, 100)
			}
		})
	}
	group.Wait()
	require.Equal(t, 100, s.rows(false))
}

// The number of rows requested follows the rows seen. Each cell counts 4 bytes more.
func TestPageSizeAdapts(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(2000)}
	for i := range table.Rows {
		table.Rows[i].Cells = [][]byte{make([]byte, 88), nil}
	}
	_, err := Run(
		bg(),
		one(token.Whole(token.Murmur3)),
		table,
		Options{PageBytes: 19200},
		blind().consumer,
	)
	require.NoError(t, err)
	requests := table.Requests()
	require.Equal(t, 1, requests[0].Rows)
	asked := 0
	for _, r := range requests {
		require.LessOrEqual(t, r.Rows, max(growth*asked, 1), "eight times what has come, at most")
		asked += r.Rows
	}
	require.Equal(t, 200, requests[len(requests)-1].Rows)
	require.Less(t, len(requests), 20)
}
