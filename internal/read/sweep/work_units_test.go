package sweep

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// parts are the ranges that a sweep has reported as read.
type parts struct {
	mu     sync.Mutex
	ranges []token.Range
}

func (p *parts) add(r token.Range) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ranges = append(p.ranges, r)
}

// requireAll checks that they are the splits, each token once.
func (p *parts) requireAll(t *testing.T, splits []token.Split) {
	t.Helper()
	slices.SortFunc(p.ranges, func(a, b token.Range) int { return a.Start.Compare(b.Start) })
	for _, s := range splits {
		var in []token.Range
		for _, r := range p.ranges {
			if s.Range.Contains(r.End) {
				in = append(in, r)
			}
		}
		require.NoError(t, token.Cover(token.Murmur3, s.Range, in))
	}
}

// The sweep reports what it has read page by page, each token once, however often the range is cut
// and its pages are retried.
func TestWhatIsReadIsToldPageByPage(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 8))
		splits := sweeptest.Splits(4, random)
		table := &sweeptest.Table{
			Rows: sweeptest.Numbered(300),
			Fail: failTimes([]error{errUnknown, errTransient}[seed%2], 3, random.IntN(6)),
		}
		read := &parts{}
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 2, PageRows: 5, MaxAttempts: 4, Backoff: brief, OnRead: read.add},
			take(table).consumer,
		)
		require.NoError(t, err)
		requireCover(t, splits, result)
		require.Greater(t, len(read.ranges), 2*len(splits))
		read.requireAll(t, splits)
	}
}

// The work of ranges adds up to the work of the ring, to the last unit.
func TestWorkAddsUp(t *testing.T) {
	for _, p := range []token.Partitioner{token.Murmur3, token.Random} {
		require.EqualValues(t, ringWork, Work(token.Whole(p), p))
	}
	require.EqualValues(t, ringWork, Work(token.Range{}, nil))
	var sum int64
	for _, s := range sweeptest.Splits(1000, rand.New(rand.NewPCG(1, 9))) {
		work := Work(s.Range, token.Murmur3)
		require.InDelta(t, token.Fraction(s.Range, token.Murmur3), float64(work)/ringWork, 1e-12)
		sum += work
	}
	require.EqualValues(t, ringWork, sum)
}

// Counters begin with what an earlier run has done.
func TestCountedGoesOnFromAnEarlierRun(t *testing.T) {
	half := sweeptest.Between(0, 500)
	rest := one(
		token.Range{Start: sweeptest.At(500), End: token.Murmur3.Max()},
	)
	var c progress.Counters
	c.Done.Store(Work(half, token.Murmur3))
	c.Before.Store(c.Done.Load())
	o := Options{}.Counted(&c, rest, token.Murmur3)
	share, _ := c.Share()
	require.InDelta(t, 0.5, share, 1e-9)
	_, err := Run(bg(), rest, &sweeptest.Table{Rows: sweeptest.Numbered(50)}, o, blind().consumer)
	require.NoError(t, err)
	share, _ = c.Share()
	require.Equal(t, 1.0, share)
}

// A serial plan has no work done until all of it is.
func TestWorkOfASerialPlan(t *testing.T) {
	var c progress.Counters
	o := Options{PageRows: 5}.Counted(&c, []token.Split{{}}, nil)
	_, err := Run(
		bg(),
		[]token.Split{{}},
		&sweeptest.Table{Rows: sweeptest.Numbered(50)},
		o,
		blind().consumer,
	)
	require.NoError(t, err)
	require.EqualValues(t, ringWork, c.Done.Load())
	require.EqualValues(t, ringWork, c.Total.Load())
}
