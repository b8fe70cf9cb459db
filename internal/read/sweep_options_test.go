package read

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/table"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// metered is a table that notes when its rows came, each page some time after it was asked for.
type metered struct {
	*sweeptest.Table
	latency time.Duration
	begin   time.Time

	mu    sync.Mutex
	came  int64   // rows
	ahead float64 // of a rate, at most: rows
	rate  float64
}

func (m *metered) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	p, err := m.Table.Page(ctx, host, within, state, rows)
	if err != nil {
		return nil, err
	}
	time.Sleep(m.latency)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.came += int64(p.Rows())
	m.ahead = max(m.ahead, float64(m.came)-m.rate*time.Since(m.begin).Seconds())
	return p, nil
}

// rowBytes is the size of each row of a metered table, as rates count it.
const rowBytes = 100

// A rate holds from the first row on. The rows so far are never more than it allows in the time so
// far and a quarter of a second. The rate is used to the full.
func TestRatesHoldFromTheStart(t *testing.T) {
	for _, c := range []struct {
		name    string
		set     func(p *spec.Pacing)
		rows    int     // of the table
		rate    float64 // rows a second that come of it
		workers int
		first   float64 // rows that may come besides, since their size is unknown
	}{
		{"rows", func(p *spec.Pacing) { p.Rate = 1000 }, 100_000, 1000, 18, 0},
		{"few rows", func(p *spec.Pacing) { p.Rate = 3 }, 300, 3, 18, 0},
		{"many workers", func(p *spec.Pacing) { p.Rate = 1000 }, 20_000, 1000, 400, 0},
		{"many rows", func(p *spec.Pacing) { p.Rate = 50_000 }, 500_000, 50_000, 18, 0},
		{"pages as they are asked for", func(p *spec.Pacing) { p.Rate, p.PageSize = 1000, 10_000 }, 20_000, 1000, 18, 0},
		{"bytes", func(p *spec.Pacing) { p.MaxBytesPerSec = 1000 * rowBytes }, 50_000, 1000, 18, 32},
		{"bytes in pages as they are asked for", func(p *spec.Pacing) { p.MaxBytesPerSec, p.PageSize = 1000*rowBytes, 10_000 }, 20_000, 1000, 18, 32},
		{"both", func(p *spec.Pacing) { p.Rate, p.MaxBytesPerSec = 2000, 1000*rowBytes }, 20_000, 1000, 18, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := sweeptest.Numbered(c.rows)
				for i := range all {
					all[i].Cells = [][]byte{make([]byte, rowBytes-4)}
				}
				table := &metered{
					Table:   &sweeptest.Table{Rows: all},
					latency: 5 * time.Millisecond,
					begin:   time.Now(),
					rate:    c.rate,
				}
				p := spec.NewPacing()
				c.set(&p)
				const memory = 64 << 20
				options := sweep.Options{
					Workers:    c.workers,
					PageRows:   p.PageSize,
					PageBytes:  sweep.DefaultPageBytes,
					Budget:     pace.NewBudget(memory),
					BudgetSize: memory,
				}
				holdRates(&p, &options)
				splits := sweeptest.Splits(2*c.workers, rand.New(rand.NewPCG(1, 2)))
				_, err := sweep.Run(
					t.Context(),
					splits,
					table,
					options,
					func() (sweep.Consumer, error) { return sweeptest.Discard{}, nil },
				)
				require.NoError(t, err)
				require.EqualValues(t, c.rows, table.came)
				require.LessOrEqual(t, table.ahead, max(c.rate/4, 1)+1+c.first)
				require.InEpsilon(
					t,
					float64(c.rows)/c.rate,
					time.Since(table.begin).Seconds(),
					0.05,
					"in the bubble's time",
				)
			})
		})
	}
}

// Without a rate a sweep asks for pages as it would.
func TestWithoutARateNothingIsHeld(t *testing.T) {
	p := spec.NewPacing()
	options := sweep.Options{Workers: 18, PageRows: 10_000, PageBytes: sweep.DefaultPageBytes}
	holdRates(&p, &options)
	require.Equal(
		t,
		sweep.Options{Workers: 18, PageRows: 10_000, PageBytes: sweep.DefaultPageBytes},
		options,
	)
}

// counted is a table whose ranges are counted by the server, each some time after it was asked for.
type counted struct {
	metered
	most int64 // rows of a range
}

func (c *counted) Page(
	ctx context.Context,
	host string,
	within token.Range,
	_ []byte,
	rows int,
) (row.Page, error) {
	n := int64(0)
	for _, r := range c.Rows {
		if within.Contains(r.Token) {
			n++
		}
	}
	time.Sleep(c.latency)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came, c.most = c.came+n, max(c.most, n)
	c.ahead = max(c.ahead, float64(c.came)-c.rate*time.Since(c.begin).Seconds())
	number := &sweeptest.Table{
		Rows: []sweeptest.Row{{Cells: [][]byte{binary.BigEndian.AppendUint64(nil, uint64(n))}}},
	}
	return number.Page(ctx, host, token.Range{}, nil, rows)
}

// The rows of a count are those that servers count, a range at a time.
func TestRateOfACount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, rows = 1000, 10_000
		table := &counted{
			metered: metered{
				Table:   &sweeptest.Table{Rows: sweeptest.Numbered(rows)},
				latency: 5 * time.Millisecond,
				begin:   time.Now(),
				rate:    rate,
			},
		}
		p := spec.NewPacing()
		p.Rate = rate
		job := &count.Job{
			Reader:   table,
			Splits:   sweeptest.Splits(60, rand.New(rand.NewPCG(1, 2))),
			Sweep:    sweep.Options{Workers: 18},
			Counters: new(progress.Counters),
		}
		holdRates(&p, &job.Sweep)
		result, err := job.Run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, rows, result.Rows)
		require.LessOrEqual(t, table.ahead, rate/4+float64(table.most))
		require.InEpsilon(
			t,
			rows/rate,
			time.Since(table.begin).Seconds(),
			0.05,
			"in the bubble's time",
		)
	})
}

// TestMostReads: more reads than N are in flight if a node is far away, memory has room for them,
// and N is not the user's. The test also checks the advice if that is not enough.
func TestMostReads(t *testing.T) {
	near := pace.NewTrips(map[string]time.Duration{"a": time.Millisecond})
	far := pace.NewTrips(
		map[string]time.Duration{"a": time.Millisecond, "b": 50 * time.Millisecond},
	)
	for _, tt := range []struct {
		parallel int
		chosen   bool
		trips    *pace.Trips
		pages    int64
		want     int
		advice   string
	}{
		{6, true, near, 256, 6, "larger --memory"},
		{6, false, far, 256, 6, "without --parallel, or with one above 6,"},
		{6, true, far, 256, 256, "larger --memory there is room for more than 256 pages"},
		{6, true, far, 10_000, 384, "--parallel above 384"},
		{100, true, far, 10_000, 1024, "--parallel above 1,024"},
		{2000, true, far, 10_000, 2000, "--parallel above 2,000"},
	} {
		s := &table.Table{Plan: &plan.Plan{Parallel: tt.parallel, Chosen: tt.chosen}}
		require.Equal(t, tt.want, mostReads(s, tt.trips, tt.pages), "%+v", tt)
		require.Contains(t, adviseReads(s, tt.want), tt.advice)
	}
}
