package scan

import (
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// encodeBuffer is what a worker needs to encode a page: an encoder, a buffer, and a writer of the
// output. There are a few more than processors, whatever the number of requests in flight, so
// memory does not grow with that. It has one owner at a time.
type encodeBuffer struct {
	encoder  format.Encoder
	hasher   *hasher
	out      Writer
	counters *progress.Counters

	text  []byte
	whole tally // the first part of text: rows of complete partitions
	open  tally // the rest: rows of the partition being read

	written        tally
	uncheckpointed tally // the part of written since the last checkpoint
	partWritten    bool  // a write failed: a part of a partition may have been written
}

// tally is a number of rows, with the length of their text and their checksum.
type tally struct {
	bytes int
	rows  int64
	sum   rowsum.Sum
}

func (t *tally) add(u tally) {
	t.bytes += u.bytes
	t.rows += u.rows
	t.sum = t.sum.Add(u.sum)
}

// add encodes a row of the partition being read. If that fails, the rows before it are unchanged.
func (s *encodeBuffer) add(cells [][]byte) error {
	from := len(s.text)
	text, err := s.encoder.AppendRow(s.text, cells)
	if err != nil {
		return err
	}
	s.text = text
	s.open.add(tally{len(s.text) - from, 1, s.hasher.row(cells)})
	return nil
}

// flush writes the rows of complete partitions.
func (s *encodeBuffer) flush() error {
	if s.whole.rows == 0 {
		return nil
	}
	if err := s.write(s.whole, s.text[:s.whole.bytes]); err != nil {
		return err
	}
	s.text = append(s.text[:0], s.text[s.whole.bytes:]...)
	s.whole = tally{}
	return nil
}

// write writes rows to the output.
func (s *encodeBuffer) write(rows tally, text []byte) error {
	if err := s.out.Write(int(rows.rows), text); err != nil {
		s.partWritten = true
		return err
	}
	s.counters.Rows.Add(rows.rows)
	s.counters.Bytes.Add(int64(rows.bytes))
	s.written.add(rows)
	s.uncheckpointed.add(rows)
	return nil
}

// largeText is the size from which a buffer is not kept for the next page. Rows of that size are
// rare, or else garbage collection is the least of their costs.
const largeText = 4 * flushSize

// release empties the buffer and gives it back.
func (s *encodeBuffer) release(buffers chan<- *encodeBuffer) {
	if cap(s.text) > largeText {
		s.text = nil
	}
	clear(s.hasher.picked) // cells of a page that is no longer needed
	s.text, s.whole, s.open = s.text[:0], tally{}, tally{}
	buffers <- s
}
