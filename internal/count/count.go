// Package count counts the rows of a table. The servers count each token range, or each partition
// of it, and only the numbers travel.
//
// Start with [Job]. The numbers of a range count when the range is done, or is cut behind them.
package count

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Job is one count. The last cell of each row that its reader returns is a bigint, a number of
// rows. The cells before it are the partition key of those rows; there are none if the number is
// that of a whole range. With Single the rows are the table's own.
type Job struct {
	Reader sweep.Reader
	Splits []token.Split
	Sweep  sweep.Options
	Vnodes int                   // number of vnode ranges
	Find   func(token.Token) int // returns the vnode range of a token; nil: there is one
	Top    int                   // number of largest partitions to keep
	// Single: the reader returns the rows of the table, and this is the number of cells of the
	// partition key at the beginning of each row. 0: the reader returns numbers.
	Single int
	// Partitioner returns the token of a partition. A range whose partitions are counted one by one
	// can then be cut behind those that have come. Nil: a range is counted as a whole.
	Partitioner token.Partitioner
	Counters    *progress.Counters
	// Counted is called with each range that counts and its rows, by several goroutines; nil: not
	// called.
	Counted func(within token.Range, rows int64)
}

// Result is the count of the ranges that are done.
type Result struct {
	sweep.Result
	Rows       int64
	ByVnode    []int64     // rows by vnode range
	Partitions []Partition // the largest first, at most Job.Top
}

// Partition is a partition and its number of rows.
type Partition struct {
	Key  [][]byte // its key's cells, as CQL wire bytes
	Rows int64
}

// Run counts. Its errors are those of [sweep.Run].
func (j *Job) Run(ctx context.Context) (Result, error) {
	options := j.Sweep.Counted(j.Counters, j.Splits, j.Partitioner)
	total := &totals{
		job:    j,
		vnodes: make([]int64, max(j.Vnodes, 1)),
		top:    largestPartitions{keep: j.Top},
	}
	swept, err := sweep.Run(ctx, j.Splits, j.Reader, options, func() (sweep.Consumer, error) {
		return &worker{total: total, top: largestPartitions{keep: j.Top}}, nil
	})
	return Result{
		Result:     swept,
		Rows:       total.rows,
		ByVnode:    total.vnodes,
		Partitions: total.top.sorted(),
	}, err
}

// TakeUnanswered removes the ranges from the failures for which the servers had no number in time,
// so that another job can count them. It takes them back from the counters. The splits have the
// replicas of the placement, if there is one.
func (j *Job) TakeUnanswered(r *Result, placement *token.Placement) (splits []token.Split) {
	var others []sweep.Failure
	for _, f := range r.Failed {
		if !fault.Answered(f.Err) {
			others = append(others, f)
			continue
		}
		split := token.Split{Range: f.Range}
		if placement != nil {
			split.Set = placement.SetOf(f.Range)
		}
		j.Counters.Done.Add(-sweep.Work(f.Range, j.Partitioner))
		j.Counters.Failed.Add(-1)
		splits = append(splits, split)
	}
	r.Failed = others
	return splits
}

// Add adds the result of another job, which counted ranges that TakeUnanswered returned.
func (r *Result) Add(o Result, keep int) {
	r.Done, r.Failed = append(r.Done, o.Done...), append(o.Failed, r.Failed...)
	r.Rows += o.Rows
	for i, rows := range o.ByVnode {
		r.ByVnode[i] += rows
	}
	largest := largestPartitions{keep: keep}
	for _, p := range slices.Concat(r.Partitions, o.Partitions) {
		largest.add(p.Key, p.Rows)
	}
	r.Partitions = largest.sorted()
}

// totals are the sums of all workers.
type totals struct {
	job *Job

	mu     sync.Mutex
	rows   int64
	vnodes []int64
	top    largestPartitions
}

// worker counts one range at a time. It implements sweep.Consumer.
type worker struct {
	total   *totals
	numbers int   // answers in the range so far
	weight  int64 // rows that the last page stands for
	rows    int64 // rows of the range so far, without those of pending
	top     largestPartitions

	begun   bool        // a partition of the range has come
	current token.Token // of the partition that came last
	last    token.Token // no partition up to this token is still to come
	pending []Partition // partitions of current, which may be followed by another
	key     []byte
}

// Page counts the rows of a page.
func (w *worker) Page(within token.Range, p row.Page) error {
	w.weight = 0
	if single := w.total.job.Single; single > 0 {
		for p.Next() {
			w.addPending(within, p.Cells()[:single], 1)
		}
		return nil
	}
	for p.Next() {
		cells := p.Cells()
		last := len(cells) - 1
		if len(cells[last]) != 8 {
			return fmt.Errorf(
				"the server answered count(*) with 0x%x instead of a bigint",
				cells[last],
			)
		}
		n := int64(binary.BigEndian.Uint64(cells[last]))
		w.numbers++
		w.weight += n
		switch {
		case last == 0:
			w.rows += n
		case w.total.job.Partitioner == nil:
			w.addPartition(cells[:last], n)
		default:
			w.addPending(within, cells[:last], n)
		}
	}
	return nil
}

// Weight implements [sweep.Consumer]: the servers read all the rows that they count.
func (w *worker) Weight() (rows int64, weighs bool) { return w.weight, w.total.job.Single == 0 }

// addPartition counts a partition for good.
func (w *worker) addPartition(key [][]byte, rows int64) {
	w.rows += rows
	w.top.add(key, rows)
}

// addPending records a partition. It is counted once one of a higher token has come.
func (w *worker) addPending(within token.Range, key [][]byte, rows int64) {
	w.key = token.AppendKey(w.key[:0], key...)
	switch at := w.total.job.Partitioner.Hash(w.key); {
	case !w.begun:
		w.begun, w.last, w.current = true, within.Start, at
	case at != w.current:
		w.complete()
		w.last, w.current = w.current, at
	}
	n := len(w.pending)
	if n > 0 && slices.EqualFunc(w.pending[n-1].Key, key, bytes.Equal) {
		w.pending[n-1].Rows += rows
		return
	}
	if n < cap(w.pending) {
		w.pending = w.pending[:n+1] // reuses the memory of an earlier key
	} else {
		w.pending = append(w.pending, Partition{})
	}
	p := &w.pending[n]
	p.Rows = rows
	if len(p.Key) != len(key) {
		p.Key = make([][]byte, len(key))
	}
	for i, cell := range key {
		p.Key[i] = append(p.Key[i][:0], cell...)
	}
}

// complete counts the partitions of the current token.
func (w *worker) complete() {
	for _, p := range w.pending {
		w.addPartition(p.Key, p.Rows)
	}
	w.pending = w.pending[:0]
}

// Done adds the range to the totals.
func (w *worker) Done(within token.Range) error {
	if w.total.job.Top == 0 && w.total.job.Single == 0 && w.numbers != 1 {
		return fmt.Errorf("the server answered count(*) with %d numbers instead of one", w.numbers)
	}
	w.complete()
	w.add(within)
	return nil
}

// add adds the numbers of a range to the totals of its vnode range.
func (w *worker) add(within token.Range) {
	t := w.total
	if t.job.Counted != nil {
		t.job.Counted(within, w.rows)
	}
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
	w.forget()
}

// forget resets the worker for another range.
func (w *worker) forget() {
	w.rows, w.numbers, w.begun, w.pending = 0, 0, false, w.pending[:0]
	w.top.clear()
}

// Progress returns the last token whose partitions have all come. If the range is counted in one
// number, that is its start.
func (w *worker) Progress(within token.Range) token.Token {
	if !w.begun {
		return within.Start
	}
	return w.last
}

// Cut counts the partitions up to the token that Progress returns, and drops the rest.
func (w *worker) Cut(within token.Range) error {
	if w.Progress(within) == within.Start {
		w.forget()
		return nil
	}
	w.add(token.Range{Start: within.Start, End: w.last})
	return nil
}
