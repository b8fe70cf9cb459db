package operation

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/count/breakdown"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/progress/tableboard"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Count is a count that is ready to run.
type Count struct {
	env  spec.Environment
	spec spec.Count
	t    *files.Source
	job  *count.Job

	board *board.Board // nil: the run is not shown
}

// PrepareCount connects and plans.
func PrepareCount(ctx context.Context, env spec.Environment, settings spec.Count) (*Count, error) {
	if err := settings.Check(); err != nil {
		return nil, err
	}
	planning, err := settings.Planning.Options(settings.TableName)
	if err != nil {
		return nil, err
	}
	// a count by host or by range is reported by vnode range
	planning.Coarse = settings.Via == spec.ViaCQL && settings.By != spec.ByHost &&
		settings.By != spec.ByRange
	t, err := read.Open(ctx, files.Request{
		Env:        env,
		Reading:    &settings.Reading,
		Connection: &settings.Connection,
		Table:      settings.TableName,
		Planning:   planning,
		Where:      settings.Where,
		Patience:   settings.Patience,
	})
	if err != nil {
		return nil, err
	}
	t.WarnOfLearned(env)
	c := &Count{env: env, spec: settings, t: t}
	if c.spec.PageSize == 0 {
		c.spec.PageSize = read.CountPage(ctx, env, t, settings.TargetP99 > 0)
	}
	query := driver.Count()
	var by []schema.Selector
	c.job = &count.Job{
		Splits:      t.Plan.Splits,
		Vnodes:      t.Plan.Ranges(),
		Partitioner: t.Plan.Partitioner(),
		Counters:    t.NewCounters(),
	}
	sweep.CountTotal(c.job.Counters, c.job.Splits, c.job.Partitioner)
	if p := t.Plan.Placement(); p != nil {
		c.job.Find = p.Find
	}
	if settings.By == spec.ByPartition {
		c.job.Top = settings.Top
		for _, k := range t.Schema.OfKind(schema.PartitionKey) {
			query.GroupBy = append(query.GroupBy, cqltype.QuoteIdent(k.Name))
			by = append(by, schema.Selector{Name: k.Name, Type: k.Type, Column: k, Plain: true})
		}
		query.Select = append(slices.Clone(query.GroupBy), query.Select...)
	}
	query.Where, query.AllowFiltering = settings.Where, settings.AllowFiltering
	c.job.Reader = t.Reader(
		files.Wanted{Read: by, Query: query, Count: true, Memory: c.spec.Memory, Now: time.Now()},
	)
	return c, nil
}

// The parts of a count.
type (
	// HostRows has the rows in the ranges that a node owns.
	HostRows = breakdown.Host
	// RangeRows has the rows of a vnode range.
	RangeRows = breakdown.Range
	// PartitionRows has the rows of a partition.
	PartitionRows = breakdown.Partition
)

// Table is the table's name, as CQL has it.
func (c *Count) Table() string { return c.t.Schema.String() }

// Counters are what the count has done so far.
func (c *Count) Counters() *progress.Counters { return c.job.Counters }

// Close ends the connection.
func (c *Count) Close() { c.t.Close() }

// CountReport is what was counted. Hosts, Vnodes and Partitions are there when they were
// asked for and every range was counted.
type CountReport struct {
	Report
	Ranges     int           // token ranges counted
	Failed     []FailedRange // those that could not be
	Hosts      []HostRows
	Vnodes     []RangeRows
	Partitions []PartitionRows // the largest first
}

// Run counts. That ranges could not be counted is no error.
func (c *Count) Run(ctx context.Context) (CountReport, error) {
	r := CountReport{Report: newReadingReport(c.t)}
	var truncated records.Truncations
	if c.spec.Via == spec.ViaCQL {
		truncated = c.t.FewTruncations(ctx)
	}
	var stopWatch func()
	c.job.Sweep, stopWatch = sweepOptions(ctx, c.env, &c.spec.Pacing, c.t, c.job.Counters)
	defer stopWatch()
	c.job.Sweep.Blind, c.job.Sweep.MaxTimeouts = true, countTimeouts
	if c.board != nil {
		tableboard.ShowSweep(c.board, &c.job.Sweep, &c.job.Reader, true)
		c.job.Counted = func(within token.Range, rows int64) {
			c.board.Ring.Read(within, int(rows))
		}
	}
	result, err := c.job.Run(ctx)
	if err == nil {
		err = c.countRows(ctx, &result)
	}
	r.end(c.job.Counters, c.t.Table)
	r.Rows, r.Ranges = result.Rows, len(result.Done)
	if err != nil {
		err = read.Error(err, c.spec.Where, len(result.Done) > 0)
	} else {
		r.Failed, err = read.Failed(ctx, c.t, result.Result)
	}
	if err == nil && c.spec.Via == spec.ViaCQL {
		c.warnOfTruncationMeanwhile(ctx, truncated)
	}
	if r.Outcome = run.OutcomeOf(ctx, err, len(r.Failed) > 0); r.Outcome == run.Done {
		err = c.breakDown(&r, result)
	}
	return r, err
}

// breakDown fills in the parts of the number that were asked for.
func (c *Count) breakDown(r *CountReport, result count.Result) (err error) {
	switch c.spec.By {
	case spec.ByHost:
		r.Hosts = breakdown.Hosts(result, c.t.Table)
	case spec.ByRange:
		r.Vnodes = breakdown.Ranges(result, c.t.Table)
	case spec.ByPartition:
		r.Partitions, err = breakdown.Partitions(result, c.t.Schema)
	}
	return err
}
