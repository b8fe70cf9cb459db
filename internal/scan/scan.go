// Package scan reads a whole table and writes it as delimited text.
//
// The workers of a sweep encode their pages straight into buffers; full buffers
// go over one bounded channel to a single writer, and come back through a pool.
// A buffer has one owner at a time and holds whole rows only.
//
// Start with [Job]; [Encoder] is the text of a row by itself.
package scan

import (
	"context"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// bufferSize is when a buffer goes to the writer: large enough that the channel
// costs nothing, small enough that 2 N of them are no burden.
const bufferSize = 128 << 10

// Job is one scan. Its reader gives the cells of the columns in their order. The
// output is written by one goroutine at a time. OnRetry and OnSplit of the sweep
// are the job's own.
type Job struct {
	Columns  []schema.Column
	Format   dsv.Format
	Header   bool
	Null     string // text for null values; empty in lossless output
	Reader   sweep.Reader
	Splits   []token.Split
	Sweep    sweep.Options
	Output   io.Writer
	Counters *progress.Counters
}

// Run scans. Rows of ranges that failed midway may be in the output; the result
// names those ranges. Errors are those of [sweep.Run], of the output and of cells
// that are no values of their columns.
func (j *Job) Run(ctx context.Context) (sweep.Result, error) {
	first, err := j.encoder()
	if err != nil {
		return sweep.Result{}, err
	}
	if j.Header {
		if err := j.write(first.AppendHeader(nil)); err != nil {
			return sweep.Result{}, err
		}
	}
	full := make(chan *[]byte, max(j.Sweep.Workers, 1))
	pool := &sync.Pool{New: func() any { b := make([]byte, 0, bufferSize+bufferSize/4); return &b }}
	j.Counters.Total.Store(int64(len(j.Splits)))
	options := j.Sweep
	options.OnRetry = func() { j.Counters.Retries.Add(1) }
	options.OnSplit = func() { j.Counters.Done.Add(1) }

	var result sweep.Result
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		var err error
		result, err = sweep.Run(ctx, j.Splits, j.Reader, options, func() (sweep.Consumer, error) {
			e, err := j.encoder()
			w := &worker{ctx: ctx, encoder: e, full: full, pool: pool, counters: j.Counters}
			return w.page, err
		})
		return err
	})
	group.Go(func() error {
		for b := range full {
			if err := j.write(*b); err != nil {
				return err
			}
			*b = (*b)[:0]
			pool.Put(b)
		}
		return nil
	})
	err = group.Wait()
	j.Counters.Failed.Store(int64(len(result.Failed)))
	return result, err
}

func (j *Job) encoder() (*Encoder, error) { return NewEncoder(j.Columns, j.Format, j.Null) }

func (j *Job) write(b []byte) error {
	n, err := j.Output.Write(b)
	j.Counters.Bytes.Add(int64(n))
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// worker encodes the pages of one worker of the sweep.
type worker struct {
	ctx      context.Context
	encoder  *Encoder
	full     chan<- *[]byte
	pool     *sync.Pool
	counters *progress.Counters
}

// page encodes a page and hands everything to the writer before it returns, so
// that no row waits in a buffer when a later page fails.
func (w *worker) page(_ token.Range, p row.Page) error {
	buffer := w.pool.Get().(*[]byte)
	rows := 0
	for p.Next() {
		out, err := w.encoder.AppendRow(*buffer, p.Cells())
		if err != nil {
			return err
		}
		*buffer = out
		rows++
		if len(out) >= bufferSize {
			if err := w.send(buffer); err != nil {
				return err
			}
			buffer = w.pool.Get().(*[]byte)
		}
	}
	w.counters.Rows.Add(int64(rows))
	if len(*buffer) == 0 {
		w.pool.Put(buffer)
		return nil
	}
	return w.send(buffer)
}

// send gives a buffer away.
func (w *worker) send(buffer *[]byte) error {
	select {
	case w.full <- buffer:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}
