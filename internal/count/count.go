// Package count counts the rows of a table: the servers count each token range,
// and only the sums travel.
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
// number of rows in the range.
type Job struct {
	Reader   sweep.Reader
	Splits   []token.Split
	Sweep    sweep.Options
	Counters *progress.Counters
}

// Run counts. The number is that of the ranges that are done; the result names
// those that are not.
func (j *Job) Run(ctx context.Context) (int64, sweep.Result, error) {
	var sum atomic.Int64
	j.Counters.Total.Store(int64(len(j.Splits)))
	options := j.Sweep
	options.OnRetry = func() { j.Counters.Retries.Add(1) }
	options.OnSplit = func() { j.Counters.Done.Add(1) }
	result, err := sweep.Run(ctx, j.Splits, j.Reader, options, func() (sweep.Consumer, error) {
		return func(_ token.Range, p row.Page) error {
			for p.Next() {
				n, err := number(p.Cells())
				if err != nil {
					return err
				}
				sum.Add(n)
				j.Counters.Rows.Add(n)
			}
			return nil
		}, nil
	})
	j.Counters.Failed.Store(int64(len(result.Failed)))
	return sum.Load(), result, err
}

func number(cells [][]byte) (int64, error) {
	if len(cells) != 1 || len(cells[0]) != 8 {
		return 0, fmt.Errorf("the server answered count(*) with %x instead of a bigint", cells)
	}
	return int64(binary.BigEndian.Uint64(cells[0])), nil
}
