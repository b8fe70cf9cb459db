package scan

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// flushSize is how much text is gathered before it goes to the output.
const flushSize = 128 << 10

// worker takes the pages of one worker of the sweep. It implements
// sweep.Consumer. It holds no buffer of its own: to encode a page it borrows a
// slot.
type worker struct {
	job         *Job
	slots       chan *encodeBuffer
	left        *atomic.Int64 // rows that the limit still allows
	checkpoints *checkpoints

	partition partitionRows // rows of the partition being read, from the pages before

	key, scratch []byte      // serialized partition key of the last row
	current      token.Token // of key
	last         token.Token // the last token all of whose rows were written
	begun        bool        // the range has had a row
	from         token.Token // what of the range is up to here is noted for a mark

	err error // what ended the worker, other than the limit
}

// Page encodes a page. Rows of whole partitions are written; those of the last
// partition, which may go on, join the backlog. Also when a cell is malformed
// nothing but whole partitions is written.
func (w *worker) Page(within token.Range, p row.Page) error {
	s := <-w.slots
	defer s.release(w.slots)
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

// encode puts a page's rows in the slot, and makes room there when it is full.
// enough says that the limit does not allow the rest of them.
func (w *worker) encode(s *encodeBuffer, within token.Range, p row.Page) (enough bool, err error) {
	for p.Next() {
		if w.job.Limit > 0 && w.left.Add(-1) < 0 {
			return true, nil
		}
		cells := p.Cells()
		if w.starts(within, cells) {
			if err := w.complete(s); err != nil {
				return false, err
			}
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

// starts notes which partition a row is of and says whether the one before has
// ended. Partitions that share a token count as one.
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

// complete makes the partition being read a whole one: what came of it before
// this page is written, what is in the slot will be.
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

// replay writes the rows of the backlog. When it fails, some of them may have been
// written.
func (w *worker) replay(s *encodeBuffer) error {
	err := w.partition.replay(s)
	s.partWritten = s.partWritten || err != nil
	return err
}

// full says whether so many rows are as many as one write may have.
func (w *worker) full(rows int64) bool { return w.job.WriteRows > 0 && rows >= w.job.WriteRows }

// spill empties the slot: whole partitions go to the output, the rows of the
// one being read to the backlog.
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

// Done writes everything: the range is whole. It fails when the worker has.
func (w *worker) Done(within token.Range) error {
	if w.err != nil {
		return w.err
	}
	s := <-w.slots
	defer s.release(w.slots)
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

// cover notes for a mark that the rows of the range up to a token are written.
func (w *worker) cover(to token.Token) {
	w.checkpoints.addRange(token.Range{Start: w.from, End: to})
	w.from = to
}

// Progress is the last token whose rows have all come: the one before that of
// the partition being read.
func (w *worker) Progress(within token.Range) token.Token {
	if !w.begun {
		return within.Start
	}
	return w.last
}

// Weight implements sweep.Consumer: each row stands for itself.
func (w *worker) Weight() (rows int64, weighs bool) { return 0, false }

// Cut drops the rows of the partition being read; those before are written. The
// limit allows as many others instead. Where it has ended the scan meanwhile, the
// rows are kept, since they have been counted.
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

// allow gives rows back to the limit; false when it was reached meanwhile.
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
