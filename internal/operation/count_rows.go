package operation

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/tableboard"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// countRows counts again, row by row, the ranges for which the servers had no number in time. A
// server reads all rows of a range for one answer, which takes longer than it may where a partition
// has several gigabytes. Read in pages, a range may be of any size.
func (c *Count) countRows(ctx context.Context, result *count.Result) error {
	if c.t.Files != nil { // no server counts
		return nil
	}
	again := c.job.TakeUnanswered(result, c.t.Plan.Placement())
	if len(again) == 0 {
		return nil
	}
	c.env.Logf(
		"%s without an answer in time: their rows are read one by one",
		human.Of(len(again), "token range"),
	)
	job := *c.job
	job.Splits = again
	job.Sweep.MaxTimeouts = 0
	job.Sweep.PageRows = min(c.spec.PageSize, rowsPage)
	key := c.t.Schema.OfKind(schema.PartitionKey)
	job.Single = len(key)
	var names []string
	// Without the static columns, a partition that has nothing else has no row.
	for _, column := range slices.Concat(key, c.t.Schema.OfKind(schema.Static)) {
		names = append(names, column.Name)
	}
	selected, err := c.t.Schema.Selectors(names)
	if err != nil {
		return err
	}
	query := driver.Columns(selected)
	query.Where, query.AllowFiltering = c.spec.Where, c.spec.AllowFiltering
	job.Reader = c.t.Reader(
		files.Wanted{Read: selected, Query: query, Memory: c.spec.Memory, Now: time.Now()},
	)
	if c.board != nil {
		tableboard.ShowSweep(c.board, &job.Sweep, &job.Reader, true)
	}
	rest, err := job.Run(ctx)
	if err != nil {
		return err
	}
	result.Add(rest, c.job.Top)
	return nil
}

// countTimeouts is the number of time-outs after which a range is counted row by row. Each time-out
// has cost a node ten seconds of work by default (range_request_timeout).
const countTimeouts = 4

// rowsPage is the most rows of a page whose rows are counted one by one.
const rowsPage = 1000
