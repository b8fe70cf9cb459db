package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// CountSpec says what is counted, and how.
type CountSpec struct {
	Connection
	TableName
	Reading
	Planning
	Pacing
	By             string // host, range or partition: what the number is broken down by; empty: nothing
	Top            int    // partitions to list, the largest first
	Where          string // CQL condition that rows must meet besides
	AllowFiltering bool
}

// NewCountSpec has the defaults.
func NewCountSpec() *CountSpec {
	return &CountSpec{Connection: newConnection(ReadConsistency), Reading: newReading(), Planning: newPlanning(), Pacing: newPacing(), Top: 10}
}

// Settings names the fields.
func (s *CountSpec) Settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "by", Field: &s.By, Among: countWays},
		{Name: "top", Field: &s.Top},
		{Name: "where", Field: &s.Where},
		{Name: "allow-filtering", Field: &s.AllowFiltering},
	}, s.Reading.settings(), s.Planning.settings(), s.Pacing.settings(), s.Connection.settings())
}

// What a count can be broken down by.
const (
	ByHost      = "host"
	ByRange     = "range"
	ByPartition = "partition"
)

var countWays = []string{ByHost, ByRange, ByPartition}

func (s *CountSpec) check() error {
	if s.By != "" && !slices.Contains(countWays, s.By) {
		return fmt.Errorf("--by %q: the ways are %s%s", s.By, strings.Join(countWays, ", "), schema.DidYouMean(s.By, countWays))
	}
	if s.Top < 1 {
		return fmt.Errorf("--top %d: must be at least 1", s.Top)
	}
	if s.MaxBytesPerSec > 0 {
		return errors.New("--max-bytes-per-sec: means nothing for a count, which takes in numbers and no rows; --rate bounds the rows that the servers read")
	}
	return errors.Join(s.Pacing.check(), s.Reading.check(&s.Pacing))
}

// Count is a count that is ready to run.
type Count struct {
	env  Environment
	spec CountSpec
	t    *tableSession
	job  *count.Job

	board *board.Board // nil: nobody looks
}

// PrepareCount connects and plans.
func PrepareCount(ctx context.Context, env Environment, spec CountSpec) (*Count, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	planning, err := spec.Planning.options(spec.TableName)
	if err != nil {
		return nil, err
	}
	planning.Coarse = spec.Via == viaCQL && spec.By != ByHost && spec.By != ByRange // those are told by vnode range
	t, err := spec.open(ctx, env, &spec.Connection, spec.TableName, planning, spec.Where, spec.Patience)
	if err != nil {
		return nil, err
	}
	t.tellLearned(env)
	c := &Count{env: env, spec: spec, t: t}
	if c.spec.PageSize == 0 {
		c.spec.PageSize = c.pageRows(ctx)
	}
	query := driver.Count()
	var by []schema.Selector
	c.job = &count.Job{Splits: t.plan.Splits, Vnodes: t.plan.Ranges(), Partitioner: t.plan.Partitioner(), Counters: t.newCounters()}
	sweep.CountTotal(c.job.Counters, c.job.Splits, c.job.Partitioner)
	if p := t.plan.Placement(); p != nil {
		c.job.Find = p.Find
	}
	if spec.By == ByPartition {
		c.job.Top = spec.Top
		for _, k := range t.table.OfKind(schema.PartitionKey) {
			query.GroupBy = append(query.GroupBy, cqltype.QuoteIdent(k.Name))
			by = append(by, schema.Selector{Name: k.Name, Type: k.Type, Column: k, Plain: true})
		}
		query.Select = append(slices.Clone(query.GroupBy), query.Select...)
	}
	query.Where, query.AllowFiltering = spec.Where, spec.AllowFiltering
	c.job.Reader = t.reader(wanted{read: by, query: query, count: true, memory: c.spec.Memory, now: time.Now()})
	return c, nil
}

// Table is the table's name, as CQL has it.
func (c *Count) Table() string { return c.t.table.String() }

// Counters are what the count has done so far.
func (c *Count) Counters() *progress.Counters { return c.job.Counters }

// Close ends the connection.
func (c *Count) Close() { c.t.close() }

// Run counts. That ranges could not be counted is no error.
func (c *Count) Run(ctx context.Context) (CountReport, error) {
	r := CountReport{Report: newReport(c.t)}
	var stopWatch func()
	c.job.Sweep, stopWatch = c.spec.sweepOptions(ctx, c.env, c.t, c.job.Counters)
	defer stopWatch()
	c.job.Sweep.Blind = true
	if c.board != nil {
		showSweep(c.board, &c.job.Sweep, &c.job.Reader, true)
		c.job.Counted = func(within token.Range, rows int64) { c.board.Ring.Read(within, int(rows)) }
	}
	result, err := c.job.Run(ctx)
	r.end(c.job.Counters)
	r.Rows, r.Ranges = result.Rows, len(result.Done)
	if err != nil {
		err = sweepError(err, c.spec.Where, len(result.Done) > 0)
	} else {
		r.Failed, err = c.t.failed(ctx, result.Result)
	}
	if r.Outcome = outcomeOf(ctx, err, len(r.Failed) > 0); r.Outcome == Done {
		err = c.breakDown(&r, result)
	}
	return r, err
}
