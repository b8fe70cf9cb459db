package extsort

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/pierrec/lz4/v4"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// run is a temporary file of sorted records. A record is its number (eight bytes), its length
// (unsigned varint) and its bytes. If it is large, the length of its head (Options.Head) follows
// the length. In compressed runs, each stretch of numbers is compressed separately, so that it can
// be read separately.
type run struct {
	sorter *Sorter
	file   *os.File
	ends   []int64 // end of each stretch that was written, as a position in the file
	level  int     // how often its records were merged
	out    *bufio.Writer
	lz     *lz4.Writer // if the run is compressed
	head   [8 + 2*binary.MaxVarintLen64]byte
}

// runBuffer is the number of bytes of a run that are written at once. The same number is read at
// once, or less if many runs are read, but at least leastReadBuffer.
const (
	runBuffer       = 64 << 10
	leastReadBuffer = 16 << 10
)

func (s *Sorter) newRun() (*run, error) {
	file, err := fsync.Nameless(s.o.Dir, ".sorted-*")
	if err != nil {
		return nil, fmt.Errorf("sorted run: %w", err)
	}
	r := &run{sorter: s, file: file, out: bufio.NewWriterSize(file, runBuffer)}
	if !s.o.Compress {
		return r, nil
	}
	r.lz = lz4.NewWriter(file)
	if err := r.lz.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.out.Reset(r.lz)
	return r, nil
}

// add appends a record. The writer keeps the first error.
func (r *run) add(number uint64, record []byte) error {
	for bounds := r.sorter.bounds; len(r.ends) < len(bounds) && number >= bounds[len(r.ends)]; {
		if err := r.endStretch(); err != nil {
			return err
		}
	}
	binary.BigEndian.PutUint64(r.head[:], number)
	n := 8 + binary.PutUvarint(r.head[8:], uint64(len(record)))
	if len(record) > largeRecord {
		head := len(record)
		if r.sorter.o.Head != nil {
			head = r.sorter.o.Head(record)
		}
		n += binary.PutUvarint(r.head[n:], uint64(head))
	}
	_, _ = r.out.Write(r.head[:n])
	if _, err := r.out.Write(record); err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	return nil
}

// endStretch flushes a stretch.
func (r *run) endStretch() error {
	err := r.out.Flush()
	if r.sorter.o.Compress {
		err = errors.Join(err, r.lz.Close())
		r.lz.Reset(r.file)
	}
	if err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	at, err := r.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	r.ends = append(r.ends, at)
	return nil
}

// end flushes the run.
func (r *run) end() error {
	for len(r.ends) <= len(r.sorter.bounds) {
		if err := r.endStretch(); err != nil {
			return err
		}
	}
	r.out, r.lz = nil, nil
	return nil
}

// size returns the size of the file.
func (r *run) size() int64 { return r.ends[len(r.ends)-1] }

// read starts to read a stretch through a buffer of that many bytes. Several stretches may be read
// at the same time.
func (r *run) read(stretch, buffer int) *runSource {
	var from int64
	if stretch > 0 {
		from = r.ends[stretch-1]
	}
	stored := io.NewSectionReader(r.file, from, r.ends[stretch]-from)
	var in io.Reader = stored
	if r.sorter.o.Compress {
		in = lz4.NewReader(in)
	}
	return &runSource{stored: stored, in: bufio.NewReaderSize(in, buffer)}
}

func (r *run) close() error { return r.file.Close() }

// runSource reads the records of a run.
type runSource struct {
	stored *io.SectionReader
	in     *bufio.Reader
	number uint64
	record []byte // of a large record, the head
	rest   int    // bytes of the record after that
}

func (s *runSource) next() (bool, error) {
	if _, err := s.in.Discard(s.rest); err != nil { // of a record that was not read
		return false, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	var head [8]byte
	if _, err := io.ReadFull(s.in, head[:]); errors.Is(err, io.EOF) {
		return false, s.whole()
	} else if err != nil {
		return false, fmt.Errorf("sorted run: %w", err)
	}
	s.number = binary.BigEndian.Uint64(head[:])
	length, err := binary.ReadUvarint(s.in)
	if err != nil {
		return false, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	kept := length
	if length > largeRecord {
		if kept, err = binary.ReadUvarint(s.in); err != nil || kept > length {
			return false, fmt.Errorf("sorted run: %w", noEOF(cmp.Or(err, io.ErrUnexpectedEOF)))
		}
	}
	s.rest = int(length - kept)
	if uint64(cap(s.record)) < kept || cap(s.record) > largeRecord {
		s.record = make([]byte, kept)
	}
	s.record = s.record[:kept]
	if _, err := io.ReadFull(s.in, s.record); err != nil {
		return false, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	return true, nil
}

// appendRecord appends the record: its head, and the rest from the run.
func (s *runSource) appendRecord(dst []byte) ([]byte, error) {
	dst = append(slices.Grow(dst, len(s.record)+s.rest), s.record...)
	at := len(dst)
	dst = dst[:at+s.rest]
	s.rest = 0
	if _, err := io.ReadFull(s.in, dst[at:]); err != nil {
		return nil, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	return dst, nil
}

// whole returns an error if the file ended before the stretch.
func (s *runSource) whole() error {
	at, err := s.stored.Seek(0, io.SeekCurrent)
	if err == nil && at < s.stored.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	return nil
}

// noEOF converts the error of a file that ends too early.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (s *runSource) at() (uint64, []byte) { return s.number, s.record }

// bufferSource returns the records of a stretch of a sorted buffer.
type bufferSource struct {
	buffer  *Buffer
	entries []entry
	i       int // index of the entry after the current one
}

func (s *bufferSource) next() (bool, error) {
	if s.i%together == 0 {
		s.buffer.touch(s.entries[s.i:])
	}
	s.i++
	return s.i <= len(s.entries), nil
}

// together is the number of records fetched from memory at the same time.
const together = 32

// touch makes the processor fetch the next records. They are anywhere in the buffer, so the
// processor would wait for each one. If it reads them right one after another, it waits for all of
// them together.
func (b *Buffer) touch(next []entry) {
	touched := byte(0)
	for _, e := range next[:min(together, len(next))] {
		touched += b.records[e.at] + b.records[min(e.at+cacheLine, len(b.records)-1)]
	}
	b.touched.Store(uint32(touched))
}

// cacheLine is the number of bytes that come from memory at once, on most processors.
const cacheLine = 64

func (s *bufferSource) appendRecord(dst []byte) ([]byte, error) {
	return append(dst, s.buffer.record(s.entries[s.i-1])...), nil
}

func (s *bufferSource) at() (uint64, []byte) {
	e := s.entries[s.i-1]
	return e.number, s.buffer.record(e)
}
