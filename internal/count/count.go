// Package count counts the rows of a table: the servers count each token range,
// and only the sums travel. Start with [Job].
package count

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Job is one count. Its reader gives for every range one row of one bigint, the
// number of rows in the range. OnRetry and OnSplit of the sweep are the job's own.
type Job struct {
	Reader   sweep.Reader
	Splits   []token.Split
	Sweep    sweep.Options
	Counters *progress.Counters
}

// Run counts. The number is that of the ranges that are done; the result names
// those that are not. Errors are those of [sweep.Run], and an answer that is not
// one number for a range.
func (j *Job) Run(ctx context.Context) (int64, sweep.Result, error) {
	var sum atomic.Int64
	j.Counters.Total.Store(int64(len(j.Splits)))
	options := j.Sweep
	options.OnRetry = func() { j.Counters.Retries.Add(1) }
	options.OnSplit = func() { j.Counters.Done.Add(1) }
	result, err := sweep.Run(ctx, j.Splits, j.Reader, options, func() (sweep.Consumer, error) {
		var a answer
		return func(within token.Range, p row.Page) error {
			n, whole, err := a.take(within, p)
			if whole {
				sum.Add(n)
				j.Counters.Rows.Add(n)
			}
			return err
		}, nil
	})
	j.Counters.Failed.Store(int64(len(result.Failed)))
	return sum.Load(), result, err
}

// answer gathers the answer for one range after the other. It may come in several
// pages, of which some are empty, and counts when all have come.
type answer struct {
	within  token.Range
	numbers int
	sum     int64
}

// take adds a page; with the last one of its range it gives the number of rows.
func (a *answer) take(within token.Range, p row.Page) (n int64, whole bool, err error) {
	if within != a.within {
		*a = answer{within: within}
	}
	for p.Next() {
		n, err := number(p.Cells())
		if err != nil {
			return 0, false, err
		}
		a.numbers++
		a.sum += n
	}
	if len(p.State()) > 0 || p.Err() != nil {
		return 0, false, p.Err()
	}
	if a.numbers != 1 {
		return 0, false, fmt.Errorf("the server answered count(*) with %d numbers instead of one", a.numbers)
	}
	n = a.sum
	*a = answer{}
	return n, true, nil
}

func number(cells [][]byte) (int64, error) {
	if len(cells) != 1 || len(cells[0]) != 8 {
		return 0, fmt.Errorf("the server answered count(*) with %x instead of a bigint", cells)
	}
	return int64(binary.BigEndian.Uint64(cells[0])), nil
}
