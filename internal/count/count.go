// Package count counts the rows of a table: the servers count each token range,
// or each partition of it, and only the numbers travel.
//
// Start with [Job]. What is counted of a range counts when the range is done.
package count

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Job is one count. The last cell of each row that its reader gives is a bigint,
// a number of rows; the cells before it are the partition key they are of, none
// when the number is that of a whole range.
type Job struct {
	Reader   sweep.Reader
	Splits   []token.Split
	Sweep    sweep.Options
	Vnodes   int                   // number of vnode ranges
	Find     func(token.Token) int // the vnode range of a token; nil: there is one
	Top      int                   // largest partitions to keep
	Counters *progress.Counters
}

// Result is what was counted in the ranges that are done.
type Result struct {
	sweep.Result
	Rows       int64
	ByVnode    []int64     // rows by vnode range
	Partitions []Partition // the largest first, Job.Top of them at the most
}

// Partition is a partition with its number of rows.
type Partition struct {
	Key  [][]byte // its key's cells, as CQL wire bytes
	Rows int64
}

// Run counts. Its errors are those of [sweep.Run].
func (j *Job) Run(ctx context.Context) (Result, error) {
	options := j.Sweep
	options.OnRetry = func() { j.Counters.Retries.Add(1) }
	options.OnSplit = func() { j.Counters.Done.Add(1) }
	j.Counters.Total.Store(int64(len(j.Splits)))
	total := &totals{job: j, vnodes: make([]int64, max(j.Vnodes, 1)), top: top{keep: j.Top}}
	swept, err := sweep.Run(ctx, j.Splits, j.Reader, options, func() (sweep.Consumer, error) {
		return &worker{total: total, top: top{keep: j.Top}}, nil
	})
	j.Counters.Failed.Store(int64(len(swept.Failed)))
	return Result{Result: swept, Rows: total.rows, ByVnode: total.vnodes, Partitions: total.top.sorted()}, err
}

// totals are the sums of all workers.
type totals struct {
	job *Job

	mu     sync.Mutex
	rows   int64
	vnodes []int64
	top    top
}

// worker counts one range at a time. It implements sweep.Consumer.
type worker struct {
	total   *totals
	numbers int // of rows, in the range so far
	rows    int64
	top     top
}

// Page takes numbers of rows.
func (w *worker) Page(_ token.Range, p row.Page) error {
	for p.Next() {
		cells := p.Cells()
		last := len(cells) - 1
		if len(cells[last]) != 8 {
			return fmt.Errorf("the server answered count(*) with 0x%x instead of a bigint", cells[last])
		}
		n := int64(binary.BigEndian.Uint64(cells[last]))
		w.rows += n
		w.numbers++
		if last > 0 {
			w.top.offer(cells[:last], n)
		}
	}
	return nil
}

// Done adds the range to the totals.
func (w *worker) Done(within token.Range) error {
	if w.total.job.Top == 0 && w.numbers != 1 {
		return fmt.Errorf("the server answered count(*) with %d numbers instead of one", w.numbers)
	}
	t := w.total
	vnode := 0
	if t.job.Find != nil {
		vnode = t.job.Find(within.End)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows += w.rows
	t.vnodes[vnode] += w.rows
	t.top.merge(&w.top)
	t.job.Counters.Rows.Add(w.rows)
	w.rows, w.numbers = 0, 0
	return nil
}

// Progress is nothing before the range is done.
func (w *worker) Progress(within token.Range) token.Token { return within.Start }

// Cut forgets what was counted of the range.
func (w *worker) Cut(token.Range) error {
	w.rows, w.numbers = 0, 0
	w.top.clear()
	return nil
}
