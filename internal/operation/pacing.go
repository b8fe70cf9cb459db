package operation

import (
	"cmp"
	"context"
	"runtime"

	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// The parts of the memory that pages and unfinished partitions may take. The
// rest is for what the driver keeps of frames, for text, and for the collector.
const (
	pagesShare = 4
	holdShare  = 8
)

// gentlePage is the size of page where a latency is to be kept: a node works on it
// for a few milliseconds.
const gentlePage = 64 << 10

// slotMemory is what encoding a page may take: its text, and a compressor.
const slotMemory = 16 << 20

// encodeSlots returns the number of pages that are encoded at once. It keeps the processors busy
// while some pages wait for the disk, within the memory.
func encodeSlots(o *spec.Pacing) int {
	return max(min(runtime.GOMAXPROCS(0)+2, int(o.Memory/slotMemory)), 1)
}

// sweepOptions are the options of a sweep of the target, whose requests counters shall
// follow. The function it returns ends the watches over the run and must be called.
func sweepOptions(
	ctx context.Context,
	env spec.Environment,
	o *spec.Pacing,
	t *files.Source,
	c *progress.Counters,
) (sweep.Options, func()) {
	if t.Files != nil {
		memory.Limit(o.Memory)
		return filesOptions(o, t), func() {}
	}
	limits := pace.GateOptions{Ceiling: t.Plan.Parallel}
	budget := int64(o.Memory) / pagesShare
	page := min(sweep.DefaultPageBytes, budget/int64(2*t.Plan.Parallel))
	keeper, stopKeeper := keepTarget(ctx, t.Table, env, o.TargetP99, c)
	watches := []func(){memory.LimitSmall(o.Memory, c), stopKeeper}
	var trips *pace.Trips
	if keeper != nil {
		page = min(page, gentlePage)
	} else {
		trips = findTrips(ctx, t.Table, env)
		limits.Far = mostReads(t.Table, trips, budget/page)
		// the line has most of them: to begin with a few costs round trips
		if limits.Far > limits.Ceiling {
			limits.Start, limits.Samples = limits.Ceiling, farSamples
			limits.Trip = trips.Longest()
			limits.OnWire = pace.OnWire(limits.Ceiling, limits.Trip, pageTime)
		}
		if trips.Longest() > 0 {
			watches = append(watches, tellBound(env, c, adviseReads(t.Table, limits.Far)))
		}
	}
	gate := keeper.Gate(limits)
	options := sweep.Options{
		Workers:     t.Plan.Parallel,
		MaxRequests: limits.Far,
		Trips:       trips,
		MaxAttempts: o.MaxAttempts,
		Patience:    o.Patience,
		Hosts:       t.Plan.Hosts,
		Borders:     t.Plan.Borders(),
		MaxPieces:   t.Plan.MaxPieces,
		PageRows:    o.PageSize,
		PageBytes:   int(page),
		Gate:        gate,
		Ping:        t.Ping,
		NodeName:    t.NodeName,
		OnSilent: func(host string) {
			env.Warn(
				"node %s does not answer: what it alone has is read last, or given up once it was silent for %s (--patience)",
				t.NodeName(host),
				o.Patience,
			)
		},
		Budget:     pace.NewBudget(budget),
		BudgetSize: budget,
		Reserve:    t.Session.Reserve,
	}
	holdRates(o, &options)
	c.Requests.SetNames(t.NodeName)
	c.Requests.SetGate("", gate)
	return options, func() {
		for _, end := range watches {
			end()
		}
	}
}

// What pages of a sweep with a rate are not made smaller than, as far as that allows: each has its
// fixed cost.
const (
	leastRows  = 16
	leastBytes = 16 << 10
)

// holdRates limits a sweep to the rates from its first page. Pages are so small that all workers
// have one. Together they ask for no more at once than the rates allow in a moment.
func holdRates(o *spec.Pacing, s *sweep.Options) {
	rows, bytes := pace.NewResponseLimiter(o.Rate), pace.NewResponseLimiter(float64(o.MaxBytesPerSec))
	if rows == nil && bytes == nil {
		return
	}
	if rows != nil {
		s.MaxPageRows = min(max(rows.Most()/s.Workers, leastRows), rows.Most())
	}
	if bytes != nil {
		if s.PageRows > 0 {
			s.MaxPageRows, s.PageRows = min(s.PageRows, cmp.Or(s.MaxPageRows, s.PageRows)), 0
		}
		s.PageBytes = min(s.PageBytes, max(bytes.Most()/s.Workers, leastBytes), bytes.Most())
	}
	s.Pace = func(ctx context.Context, many, size func() int64) (sweep.Admission, error) {
		askedRows, err := rows.Reserve(ctx, many)
		if err != nil {
			return nil, err
		}
		askedBytes, err := bytes.Reserve(ctx, size)
		if err != nil {
			_ = askedRows.Complete(ctx, 0) // for nothing it does not wait
			return nil, err
		}
		return func(ctx context.Context, many, size int64) error {
			err := askedRows.Complete(ctx, many)
			return cmp.Or(askedBytes.Complete(ctx, size), err)
		}, nil
	}
}

// filesOptions are the options of a sweep of SSTables: there is no node to be spared, and none to
// be asked again.
func filesOptions(o *spec.Pacing, t *files.Source) sweep.Options {
	budget := int64(o.Memory) / pagesShare
	workers := t.Plan.Parallel
	options := sweep.Options{
		Workers:         workers,
		MaxAttempts:     1,
		ReaderEndsPages: true,
		PageRows:        o.PageSize,
		PageBytes:       int(min(sweep.DefaultPageBytes, budget/int64(2*workers))),
		Budget:          pace.NewBudget(budget),
		BudgetSize:      budget,
	}
	holdRates(o, &options)
	return options
}
