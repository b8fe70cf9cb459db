package operation

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
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
	t, err := read.Open(
		ctx,
		env,
		&settings.Reading,
		&settings.Connection,
		settings.TableName,
		planning,
		settings.Where,
		settings.Patience,
	)
	if err != nil {
		return nil, err
	}
	t.WarnOfLearned(env)
	c := &Count{env: env, spec: settings, t: t}
	if c.spec.PageSize == 0 {
		c.spec.PageSize = c.pageRows(ctx)
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

// Table is the table's name, as CQL has it.
func (c *Count) Table() string { return c.t.Schema.String() }

// Counters are what the count has done so far.
func (c *Count) Counters() *progress.Counters { return c.job.Counters }

// Close ends the connection.
func (c *Count) Close() { c.t.Close() }

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
		showSweep(c.board, &c.job.Sweep, &c.job.Reader, true)
		c.job.Counted = func(within token.Range, rows int64) { c.board.Ring.Read(within, int(rows)) }
	}
	result, err := c.job.Run(ctx)
	if err == nil {
		err = c.countRows(ctx, &result)
	}
	r.end(c.job.Counters)
	r.Rows, r.Ranges = result.Rows, len(result.Done)
	if err != nil {
		err = sweepError(err, c.spec.Where, len(result.Done) > 0)
	} else {
		r.Failed, err = failedRanges(ctx, c.t, result.Result)
	}
	if err == nil && c.spec.Via == spec.ViaCQL {
		c.warnOfTruncationMeanwhile(ctx, truncated)
	}
	if r.Outcome = run.OutcomeOf(ctx, err, len(r.Failed) > 0); r.Outcome == run.Done {
		err = c.breakDown(&r, result)
	}
	return r, err
}
