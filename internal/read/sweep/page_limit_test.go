package sweep

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// rooms records what the requests in flight have reserved.
type rooms struct {
	mu       sync.Mutex
	reserved map[int64]int
}

func (r *rooms) reserve(bytes int64) (free func()) {
	r.add(bytes, 1)
	return func() { r.add(bytes, -1) }
}

func (r *rooms) add(bytes int64, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reserved == nil {
		r.reserved = make(map[int64]int)
	}
	r.reserved[bytes] += n
}

// largest returns the largest reservation.
func (r *rooms) largest() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var largest int64
	for n, requests := range r.reserved {
		if requests > 0 {
			largest = max(largest, n)
		}
	}
	return largest
}

// sizedTable returns a table of rows of the given sizes, each a partition of its own.
func sizedTable(sizes ...int) *sweeptest.Table {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(len(sizes))}
	large := make([]byte, 4<<20)
	for i, size := range sizes {
		table.Rows[i].Cells = append(table.Rows[i].Cells, large[:size:size])
	}
	return table
}

// repeated returns n times a size.
func repeated(n, size int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

// heldBytes records the bytes of the largest page that was read.
type heldBytes struct {
	mu      sync.Mutex
	largest int64
}

// consumer makes consumers that only measure their pages.
func (h *heldBytes) consumer() (Consumer, error) {
	return withPage(func(_ token.Range, p row.Page) error {
		var bytes int64
		for p.Next() {
			for _, c := range p.Cells() {
				bytes += int64(len(c)) + 4
			}
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.largest = max(h.largest, bytes)
		return nil
	}), nil
}

// a sixteenth of what a scan with 64 MiB has, and so are the sizes of rows, since each of their
// bytes is copied
const (
	roomSize = 1 << 20
	roomPage = DefaultPageBytes / 16
)

func sweepRooms(
	t *testing.T,
	table *sweeptest.Table,
	splits []token.Split,
) (*logBudget, *heldBytes, Result) {
	t.Helper()
	budget, reserved, held := newLogBudget(roomSize), new(rooms), new(heldBytes)
	table.Room = reserved.largest
	result, err := Run(bg(), splits, table, Options{
		Workers:    6,
		PageBytes:  roomPage,
		Budget:     budget,
		BudgetSize: roomSize,
		Reserve:    reserved.reserve,
	}, held.consumer)
	require.NoError(t, err)
	require.Empty(t, result.Failed)
	require.Zero(t, reserved.largest(), "all is free again")
	budget.requireBalanced(t)
	requireCover(t, splits, result)
	return budget, held, result
}

// Rows of 5 MB are read one by one from the first request on. No more of them are in memory than
// the budget has room for.
func TestLargeRowsAreReadOneByOne(t *testing.T) {
	table := sizedTable(repeated(60, 5_000_000/16)...)
	budget, held, _ := sweepRooms(t, table, many(20))
	for _, r := range table.Requests() {
		require.Equal(t, 1, r.Rows)
	}
	require.Less(t, held.largest, int64(5_100_000/16))
	require.LessOrEqual(t, budget.most, int64(roomSize))
	require.LessOrEqual(t, table.MostUnderway(), 3)
}

// A page that has several rows of 16 MB, behind small ones, is refused.
func TestLargeRowsBehindSmallOnes(t *testing.T) {
	table := sizedTable(append(repeated(5000, 64), repeated(8, 1_000_000)...)...)
	_, held, _ := sweepRooms(t, table, one(token.Whole(token.Murmur3)))
	require.LessOrEqual(t, held.largest, int64(roomSize))
	requests := table.Requests()
	require.Equal(t, 1, requests[len(requests)-1].Rows)
	require.Less(
		t,
		len(requests),
		80,
		"the size of a refused page determines how many rows are requested",
	)
}

// A row of 16 MB among small ones costs one refused page, and is read with its neighbors.
func TestALargeRowAmongSmallOnes(t *testing.T) {
	sizes := repeated(3000, 64)
	sizes[2000] = 1_000_000
	table := sizedTable(sizes...)
	_, held, _ := sweepRooms(t, table, one(token.Whole(token.Murmur3)))
	require.Greater(t, held.largest, int64(1_000_000))
	twice := 0
	seen := make(map[int]bool)
	for _, r := range table.Requests() {
		if seen[r.Page] {
			twice++
		}
		seen[r.Page] = true
	}
	require.Equal(t, 1, twice)
}

// A row that is larger than the budget is read alone.
func TestRowLargerThanTheBudget(t *testing.T) {
	table := sizedTable(64, 64, 40<<16, 64, 40<<16, 60<<16, 64)
	_, held, _ := sweepRooms(t, table, many(3))
	require.Greater(t, held.largest, int64(60<<16))
	require.Less(t, held.largest, int64(61<<16))
}

// The size of a refused page counts for its own request only.
func TestPageSizerOfRefusedPages(t *testing.T) {
	s := newPageSizer(Options{PageBytes: 1000}.withDefaults())
	s.addPage(1000, 10_000)
	require.Equal(t, 100, s.tooLarge(100, 5000, 5000), "it fits")
	require.EqualValues(t, 50, s.mean.Load())
	require.Equal(t, 12, s.tooLarge(100, 20_000, 5000))
	require.Equal(t, 49, s.tooLarge(100, 5001, 5000), "half at most")
	require.Equal(t, 1, s.tooLarge(100, 1<<40, 5000))
	require.Equal(t, 1, s.tooLarge(1, 1<<40, 5000))
	require.EqualValues(t, 5000, s.neededBytes(1, 1<<40, 5000))
	require.EqualValues(t, 2<<40, s.maxBytes(1, 1<<40, 5000, 4))
}
