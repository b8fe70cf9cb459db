package scan

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// flushSize is the number of bytes of text gathered before they go to the output.
const flushSize = 128 << 10

// worker takes the pages of one worker of the sweep. It implements [sweep.Consumer]. It has no
// buffer of its own: to encode a page, it takes an encodeBuffer.
type worker struct {
	job         *Job
	buffers     chan *encodeBuffer
	left        *atomic.Int64 // rows that the limit still allows
	checkpoints *checkpoints

	partition partitionRows // rows of the partition being read, from earlier pages

	key, scratch []byte      // serialized partition key of the last row
	current      token.Token // of key
	last         token.Token // the last token whose rows were all written
	begun        bool        // the range has had a row
	from         token.Token // the range up to this token is recorded for a checkpoint

	err error // the error that ended the worker, other than the limit
}

// Page encodes a page. Rows of complete partitions are written. Those of the last partition, which
// may continue, are added to the partitionRows. Even if a cell is malformed, only complete
// partitions are written.
func (w *worker) Page(within token.Range, p row.Page) error {
	s := <-w.buffers
	defer s.release(w.buffers)
	w.checkpoints.lockShared()
	defer w.checkpoints.unlockShared()
	defer w.checkpoints.addWritten(s)
	enough, err := w.encode(s, within, p)
	switch {
	case err == nil:
		err = w.spill(s)
	case !s.partWritten:
		err = errors.Join(err, s.flush())
	}
	w.err = err
	if err == nil && enough {
		return errLimit
	}
	return err
}

// encode adds a page's rows to the encode buffer, and empties that when it is full. If the limit
// does not allow the rest of the rows, enough is true.
func (w *worker) encode(s *encodeBuffer, within token.Range, p row.Page) (enough bool, err error) {
	for p.Next() {
		cells := p.Cells()
		selected := w.job.Selects == nil || w.job.Selects(cells)
		if selected && w.job.Limit > 0 && w.left.Add(-1) < 0 {
			return true, nil
		}
		if w.starts(within, cells) {
			if err := w.complete(s); err != nil {
				return false, err
			}
		}
		if !selected {
			continue
		}
		if err := s.add(cells); err != nil {
			return false, err
		}
		if len(s.text) >= flushSize || w.full(s.open.rows) {
			if err := w.spill(s); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// starts records which partition a row belongs to, and reports whether the one before has ended.
// Partitions that share a token count as one.
func (w *worker) starts(within token.Range, cells [][]byte) bool {
	if w.job.Partitioner == nil {
		return false
	}
	w.scratch = w.scratch[:0]
	if len(w.job.Key) == 1 {
		w.scratch = append(w.scratch, cells[w.job.Key[0]]...)
	} else {
		var parts [8][]byte
		key := parts[:0]
		for _, i := range w.job.Key {
			key = append(key, cells[i])
		}
		w.scratch = token.AppendKey(w.scratch, key...)
	}
	if w.begun && bytes.Equal(w.scratch, w.key) {
		return false
	}
	w.key = append(w.key[:0], w.scratch...)
	next := w.job.Partitioner.Hash(w.key)
	if !w.begun {
		w.begun, w.current, w.last, w.from = true, next, within.Start, within.Start
		return false
	}
	if next == w.current {
		return false
	}
	w.last, w.current = w.current, next
	return true
}

// complete makes the partition being read a complete one. Its rows from earlier pages are written,
// and those in the encode buffer will be.
func (w *worker) complete(s *encodeBuffer) error {
	if err := w.replay(s); err != nil {
		return err
	}
	if w.full(s.whole.rows + s.open.rows - 1) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.whole.add(s.open)
	s.open = tally{}
	return nil
}

// replay writes the held rows of the partition. If it fails, some of them may have been written.
func (w *worker) replay(s *encodeBuffer) error {
	err := w.partition.replay(s)
	s.partWritten = s.partWritten || err != nil
	return err
}

// full reports whether one write may not have more than that many rows.
func (w *worker) full(rows int64) bool { return w.job.WriteRows > 0 && rows >= w.job.WriteRows }

// spill empties the encode buffer. Complete partitions go to the output, the rows of the one being
// read to the partitionRows.
func (w *worker) spill(s *encodeBuffer) error {
	if w.job.Partitioner == nil {
		s.whole.add(s.open)
		s.open = tally{}
	}
	if err := s.flush(); err != nil {
		return err
	}
	if s.open.rows == 0 {
		return nil
	}
	if err := w.partition.add(s.open, s.text); err != nil {
		return err
	}
	s.text, s.open = s.text[:0], tally{}
	return nil
}

// Done writes everything: the range is complete. It fails if the worker has failed.
func (w *worker) Done(within token.Range) error {
	if w.err != nil {
		return w.err
	}
	s := <-w.buffers
	defer s.release(w.buffers)
	w.checkpoints.lockShared()
	defer w.checkpoints.unlockShared()
	defer w.checkpoints.addWritten(s)
	if w.err = w.replay(s); w.err != nil {
		return w.err
	}
	if !w.begun {
		w.from = within.Start
	}
	w.begun = false
	w.cover(within.End)
	return nil
}

// cover records for a checkpoint that the rows of the range up to a token were written.
func (w *worker) cover(to token.Token) {
	w.checkpoints.addRange(token.Range{Start: w.from, End: to})
	w.from = to
}

// Progress returns the last token whose rows have all come: the one before that of the partition
// being read.
func (w *worker) Progress(within token.Range) token.Token {
	if !w.begun {
		return within.Start
	}
	return w.last
}

// Weight implements [sweep.Consumer]: each row stands for itself.
func (w *worker) Weight() (rows int64, weighs bool) { return 0, false }

// Cut drops the rows of the partition being read; those before are written. The limit allows that
// many others instead. If the limit has ended the scan meanwhile, the rows are kept, since they
// have been counted.
func (w *worker) Cut(token.Range) error {
	if w.job.Limit > 0 && !w.allow(w.partition.rows) {
		return errLimit
	}
	w.checkpoints.lockShared()
	defer w.checkpoints.unlockShared()
	if w.begun {
		w.cover(w.last)
	}
	w.begun = false
	w.partition.discard()
	return nil
}

// allow gives rows back to the limit. It returns false if the limit was reached meanwhile.
func (w *worker) allow(rows int64) bool {
	for {
		left := w.left.Load()
		if left < 0 {
			return false
		}
		if w.left.CompareAndSwap(left, left+rows) {
			return true
		}
	}
}
