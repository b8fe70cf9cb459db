// Package scan reads a whole table and writes it as text.
//
// The workers of a sweep encode their pages, a few at a time, and give the rows
// of whole partitions to the output. The rows of a partition that is still being
// read are held back, in memory or, when there are many, in a temporary file: so
// when a range is given up in its middle, what is in the output ends with the last
// whole partition, and the rest of the range can be read again, now or another
// day, without a row lost or twice. A scan that is to be resumed after whatever
// end has marks made while it runs, which say what the output holds: [Point].
//
// Start with [Job].
package scan

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Writer takes whole rows of one worker. It keeps nothing of the text.
type Writer interface {
	Write(rows int, text []byte) error
}

// Encoder turns rows into text. It belongs to one goroutine.
type Encoder interface {
	// AppendRow appends a row of cells, nil for null, in the order of the
	// selection; there may be more cells than that, which are left out.
	AppendRow(dst []byte, cells [][]byte) ([]byte, error)
}

// Job is one scan.
type Job struct {
	Reader     sweep.Reader
	Splits     []token.Split
	Sweep      sweep.Options
	Slots      int                     // pages encoded at once, default 1
	NewEncoder func() (Encoder, error) // called once for each slot
	NewWriter  func() Writer           // likewise
	Checksum   Checksum
	// Partitioner and Key tell where a partition ends: Key lists the cells of
	// the partition key. A nil Partitioner writes rows as they come.
	Partitioner token.Partitioner
	Key         []int
	Hold        int64  // bytes of unfinished partitions kept in memory, default 32 MiB
	SpoolDir    string // folder for what is beyond that; empty: the system's
	WriteRows   int64  // rows of one write to the output at the most, 0: no limit
	Limit       int64  // rows in all, 0: no limit
	// Mark is called now and then while the scan runs, and once more at its end
	// however it ends, also when ctx is done: whenever there is something to tell
	// since the last mark. No writer is in use meanwhile, so it should be quick:
	// flush the output and note how long it is. The function it returns is then
	// given the point, while the writers go on: it may sync the output, must then
	// record the point and the lengths, and comes to its end before the next Mark.
	// An error of either ends the scan without another mark. After an error of the
	// output, which may have left a part of a partition there, there is none either:
	// what is behind the last mark is to be cut off.
	//
	// Nil: no marks. Nor are there any with a Limit or without a Partitioner:
	// such a scan cannot be resumed.
	Mark      func() (func(Point) error, error)
	MarkEvery time.Duration // time from mark to mark, default 2 s
	MarkBytes int64         // text after which a mark is made before its time, default 256 MiB
	Counters  *progress.Counters
}

// Result is what a scan gave.
type Result struct {
	sweep.Result
	Rows    int64 // in the output
	Sum     rowsum.Sum
	Limited bool // ended by the limit: not all ranges were read
}

// errLimit ends the sweep when there are enough rows.
var errLimit = errors.New("enough rows")

// Run scans. Every row in the output is in a range that is done; of a range that
// failed, what was read of it up to a partition's end is among the ranges done.
// Errors are those of [sweep.Run], of the output, of the marks and of cells that
// are no values of their columns; that of a last mark is joined to the error that
// ended the scan.
func (j *Job) Run(ctx context.Context) (Result, error) {
	job := *j
	if job.Hold <= 0 {
		job.Hold = 32 << 20
	}
	options := job.Sweep.Counted(job.Counters, job.Splits, job.Partitioner)
	slots, err := job.slots()
	if err != nil {
		return Result{}, err
	}
	var left, room atomic.Int64
	left.Store(job.Limit)
	room.Store(job.Hold)
	var workers []*worker
	marks := newCheckpoints(&job)
	sweeping, cancel := context.WithCancel(ctx)
	defer cancel()
	finish := marks.start(cancel)
	swept, err := sweep.Run(
		sweeping,
		job.Splits,
		job.Reader,
		options,
		func() (sweep.Consumer, error) {
			w := &worker{
				job:         &job,
				slots:       slots,
				left:        &left,
				checkpoints: marks,
				partition: partitionRows{
					memory:     &room,
					unfinished: &job.Counters.Unfinished,
					dir:        job.SpoolDir,
				},
			}
			workers = append(workers, w)
			marks.addWorker(w)
			return w, nil
		},
	)
	err = scanError(ctx, err, finish())
	result := Result{Result: swept}
	if errors.Is(err, errLimit) {
		err, result.Limited = nil, true
	}
	for _, w := range workers {
		if result.Limited && err == nil {
			err = w.Done(token.Range{})
		}
		w.partition.discard()
	}
	close(slots)
	for s := range slots {
		result.Rows += s.written.rows
		result.Sum = result.Sum.Add(s.written.sum)
	}
	return result, err
}

// slots makes the slots, all of them free.
func (j *Job) slots() (chan *encodeBuffer, error) {
	slots := make(chan *encodeBuffer, max(j.Slots, 1))
	for range cap(slots) {
		encoder, err := j.NewEncoder()
		if err != nil {
			return nil, err
		}
		slots <- &encodeBuffer{encoder: encoder, hasher: j.Checksum.hasher(), out: j.NewWriter(), counters: j.Counters}
	}
	return slots, nil
}
