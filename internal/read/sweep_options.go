package read

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// pagesShare is the part of the memory that pages of rows may take. The rest is for what the driver
// keeps of frames, for text, and for the collector.
const pagesShare = 4

// gentlePage is the size of a page if a latency is to be kept: a node works on it for a few
// milliseconds.
const gentlePage = 64 << 10

// What applies to nodes that are far away.
const (
	// farReads is the largest number of reads in flight, on the line and at the nodes.
	farReads = 1024
	// farSamples is the number of answers from far away after which there may be more requests.
	farSamples = 4
	// pageTime is the time that a node is expected to work on a page before it answers.
	pageTime = 30 * time.Millisecond
)

// Swept is a table that is swept by CQL, and what the pace of its requests depends on.
type Swept struct {
	Env      spec.Environment
	Pacing   *spec.Pacing
	Source   *files.Source
	Counters *progress.Counters      // of the run
	Keeper   *pace.LatencyController // nil: no latency is to be kept
}

// Options returns the options of the sweep. It measures how far away the nodes are. The counters
// then have the gate of the requests, and the names of the nodes. The caller must call stop when
// the sweep is over.
func (s Swept) Options(ctx context.Context) (options sweep.Options, stop func()) {
	env, o, t, c, keeper := s.Env, s.Pacing, s.Source, s.Counters, s.Keeper
	limits := pace.GateOptions{Ceiling: t.Plan.Parallel}
	budget := int64(o.Memory) / pagesShare
	page := min(sweep.DefaultPageBytes, budget/int64(2*t.Plan.Parallel))
	watches := []func(){memory.LimitSmall(o.Memory, c)}
	var trips *pace.Trips
	if keeper != nil {
		page = min(page, gentlePage)
	} else {
		trips = t.Trips(ctx, env)
		limits.Far = mostReads(t.Table, trips, budget/page)
		// Most of them are on the line. A small number to begin with would cost round trips.
		if limits.Far > limits.Ceiling {
			limits.Start, limits.Samples = limits.Ceiling, farSamples
			limits.Trip = trips.Longest()
			limits.OnWire = pace.OnWire(limits.Ceiling, limits.Trip, pageTime)
		}
		if trips.Longest() > 0 {
			advice := adviseReads(t.Table, limits.Far)
			watches = append(watches, c.AdviseWhileBound(advice, env.Logf))
		}
	}
	gate := keeper.Gate(limits)
	options = sweep.Options{
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
				"node %s does not answer: what it alone has is read last, "+
					"or given up once it was silent for %s (--patience)",
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

// mostReads returns the limit of reads in flight, if the memory holds the given number of pages. It
// is above the plan's number if a node is far away and the user did not set the number.
func mostReads(t *table.Table, trips *pace.Trips, pages int64) int {
	near := t.Plan.Parallel
	if trips.Longest() == 0 || !t.Plan.Chosen {
		return near
	}
	return max(near, min(pace.FarTimes*near, farReads, int(pages)))
}

// adviseReads returns the advice for more reads in flight than the given number.
func adviseReads(t *table.Table, most int) string {
	if t.Plan.Chosen && most < min(pace.FarTimes*t.Plan.Parallel, farReads) {
		return fmt.Sprintf(
			"most of the requests under way are on the line, and the nodes could take more: "+
				"with a larger --memory there is room for more than %s",
			human.Of(most, "page"),
		)
	}
	return progress.MoreInFlight(most, "parallel", !t.Plan.Chosen)
}

// The least rows and bytes of a page, if a sweep has a rate. Each page has a fixed cost. If the
// rate is too low for such pages, they are smaller.
const (
	leastRows  = 16
	leastBytes = 16 << 10
)

// holdRates limits a sweep to the rates from its first page. Pages are so small that all workers
// have one. Together they ask for no more at once than the rates allow in a moment.
func holdRates(o *spec.Pacing, s *sweep.Options) {
	rows := pace.NewResponseLimiter(o.Rate)
	bytes := pace.NewResponseLimiter(float64(o.MaxBytesPerSec))
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
			_ = askedRows.Complete(ctx, 0) // it does not wait for 0 rows
			return nil, err
		}
		return func(ctx context.Context, many, size int64) error {
			err := askedRows.Complete(ctx, many)
			return cmp.Or(askedBytes.Complete(ctx, size), err)
		}, nil
	}
}

// FilesOptions returns the options of a sweep of SSTables. They spare no node, and repeat no
// request. FilesOptions sets the memory limit of the process.
func FilesOptions(o *spec.Pacing, t *files.Source) sweep.Options {
	memory.Limit(o.Memory)
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
