// Package scan reads a whole table and writes it as text of any format.
//
// The workers of a sweep encode their pages, a few at a time, and write the rows of complete
// partitions to the output. The rows of an unfinished partition are held back, in memory or, if
// there are many, in a temporary file. So if a range is given up in its middle, the output ends
// with its last complete partition. The rest of the range can be read later, and no row is lost or
// written twice. A scan that can be resumed makes checkpoints, which record what the output has:
// [Point].
//
// Start with [Job].
package scan

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Writer takes complete rows of one worker. It does not keep the text.
type Writer interface {
	Write(rows int, text []byte) error
}

// Job is one scan.
type Job struct {
	Reader        sweep.Reader
	Splits        []token.Split
	Sweep         sweep.Options
	EncodeBuffers int           // pages encoded at once, default 1
	Output        format.Output // form of the rows; each buffer has an encoder
	NewWriter     func() Writer // called once for each buffer
	Checksum      Checksum
	// Partitioner and Key show where a partition ends: Key lists the cells of the partition key.
	// Nil: rows are written as they come.
	Partitioner     token.Partitioner
	Key             []int
	PartitionMemory int64  // bytes of unfinished partitions kept in memory; default 32 MiB
	SpoolDir        string // folder of what exceeds that; empty: the system's
	WriteRows       int64  // largest number of rows in one write to the output; 0: no limit
	Limit           int64  // largest number of rows; 0: no limit
	// Selects reports whether a row of these cells is written; nil: each is. It must be safe for
	// concurrent use.
	Selects func(cells [][]byte) bool
	// Checkpoint makes a checkpoint. It is called at intervals during the scan, and once more when
	// the scan ends for any reason. It is not called if there is nothing to record. No writer is in
	// use meanwhile, so it should be quick: flush the output and record its length. The
	// function that it returns is then called with the point, while the writers continue. That
	// function may sync the output, and must record the point and the length. It returns before the
	// next call of Checkpoint.
	//
	// If either fails, the scan ends without another checkpoint. It also ends without one after an
	// error of the output, which may have left a part of a partition there. In that case the output
	// must be truncated to its length at the last checkpoint.
	//
	// Nil: no checkpoints. There are none either with a Limit or without a Partitioner: such a scan
	// cannot be resumed. The same applies if the format has no mark after a row.
	Checkpoint      func() (func(Point) error, error)
	CheckpointEvery time.Duration // time between checkpoints; default 2 s
	CheckpointBytes int64         // text after which one comes early, in bytes; default 256 MiB
	Counters        *progress.Counters
}

// Result is the result of a scan.
type Result struct {
	sweep.Result
	Rows    int64 // in the output
	Sum     rowsum.Sum
	Limited bool // the limit ended the scan: not all ranges were read
}

// errLimit ends the sweep when there are enough rows.
var errLimit = errors.New("enough rows")

// What a scan may take of its memory.
const (
	// partitionShare is the part for unfinished partitions.
	partitionShare = 8
	// encodeMemory is what encoding a page may take: its text, and a compressor.
	encodeMemory = 16 << 20
)

// ShareMemory divides the bytes that the scan may take. It sets the number of pages encoded at once
// and the memory of unfinished partitions. The number of pages keeps the processors busy while some
// pages wait for the disk.
func (j *Job) ShareMemory(memory int64) {
	j.EncodeBuffers = max(min(runtime.GOMAXPROCS(0)+2, int(memory/encodeMemory)), 1)
	j.PartitionMemory = memory / partitionShare
}

// Run scans. Every row in the output is in a range that is done. If a range failed, its beginning
// up to the end of a partition is among the ranges done. Errors are those of [sweep.Run], of the
// output, of the checkpoints, and of cells that are no values of their columns. The error of a last
// checkpoint is joined to the error that ended the scan.
func (j *Job) Run(ctx context.Context) (Result, error) {
	job := *j
	if job.PartitionMemory <= 0 {
		job.PartitionMemory = 32 << 20
	}
	options := job.Sweep.Counted(job.Counters, job.Splits, job.Partitioner)
	buffers := job.buffers()
	var left, room atomic.Int64
	left.Store(job.Limit)
	room.Store(job.PartitionMemory)
	var workers []*worker
	checkpoints := newCheckpoints(&job)
	sweeping, cancel := context.WithCancel(ctx)
	defer cancel()
	finish := checkpoints.start(cancel)
	swept, err := sweep.Run(
		sweeping,
		job.Splits,
		job.Reader,
		options,
		func() (sweep.Consumer, error) {
			w := &worker{
				job:         &job,
				buffers:     buffers,
				left:        &left,
				checkpoints: checkpoints,
				partition: partitionRows{
					memory:     &room,
					unfinished: &job.Counters.Unfinished,
					dir:        job.SpoolDir,
				},
			}
			workers = append(workers, w)
			checkpoints.addWorker(w)
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
	close(buffers)
	for s := range buffers {
		result.Rows += s.written.rows
		result.Sum = result.Sum.Add(s.written.sum)
	}
	return result, err
}

// buffers makes the buffers, all of them free.
func (j *Job) buffers() chan *encodeBuffer {
	buffers := make(chan *encodeBuffer, max(j.EncodeBuffers, 1))
	for range cap(buffers) {
		buffers <- &encodeBuffer{
			encoder:  j.Output.NewEncoder(),
			hasher:   j.Checksum.hasher(),
			out:      j.NewWriter(),
			counters: j.Counters,
		}
	}
	return buffers
}
