package extsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pierrec/lz4/v4"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// run is a temporary file with sorted records, compressed: each is its number, eight bytes,
// its length, an unsigned varint, and its bytes.
type run struct {
	file  *os.File
	size  int64 // as it stands on the disk
	level int   // how often its records were merged
	out   *bufio.Writer
	lz    *lz4.Writer
	head  [8 + binary.MaxVarintLen64]byte
}

// runBuffer is how much of a run is read or written at once.
const runBuffer = 64 << 10

func newRun(dir string) (*run, error) {
	file, err := fsync.Nameless(dir, ".sorted-*")
	if err != nil {
		return nil, fmt.Errorf("sorted run: %w", err)
	}
	r := &run{file: file, lz: lz4.NewWriter(file)}
	if err := r.lz.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.out = bufio.NewWriterSize(r.lz, runBuffer)
	return r, nil
}

// add appends a record. Its writer keeps the first error.
func (r *run) add(number uint64, record []byte) error {
	binary.BigEndian.PutUint64(r.head[:], number)
	n := 8 + binary.PutUvarint(r.head[8:], uint64(len(record)))
	_, _ = r.out.Write(r.head[:n])
	if _, err := r.out.Write(record); err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	return nil
}

// end writes out what is left.
func (r *run) end() error {
	err := errors.Join(r.out.Flush(), r.lz.Close())
	if err == nil {
		r.size, err = r.file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		return fmt.Errorf("sorted run: %w", err)
	}
	r.out, r.lz = nil, nil
	return nil
}

// read begins at the first record.
func (r *run) read() (*runSource, error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("sorted run: %w", err)
	}
	return &runSource{in: bufio.NewReaderSize(lz4.NewReader(r.file), runBuffer)}, nil
}

func (r *run) close() error { return r.file.Close() }

// runSource gives the records of a run.
type runSource struct {
	in     *bufio.Reader
	number uint64
	record []byte
}

func (s *runSource) next() (bool, error) {
	var head [8]byte
	if _, err := io.ReadFull(s.in, head[:]); errors.Is(err, io.EOF) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("sorted run: %w", err)
	}
	s.number = binary.BigEndian.Uint64(head[:])
	length, err := binary.ReadUvarint(s.in)
	if err != nil {
		return false, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	if uint64(cap(s.record)) < length {
		s.record = make([]byte, length)
	}
	s.record = s.record[:length]
	if _, err := io.ReadFull(s.in, s.record); err != nil {
		return false, fmt.Errorf("sorted run: %w", noEOF(err))
	}
	return true, nil
}

// noEOF is for a file that ends where it must not.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (s *runSource) at() (uint64, []byte) { return s.number, s.record }

// bufferSource gives the records of a sorted buffer.
type bufferSource struct {
	buffer *Buffer
	i      int // of the entry after the current one
}

func (s *bufferSource) next() (bool, error) {
	s.i++
	return s.i <= len(s.buffer.entries), nil
}

func (s *bufferSource) at() (uint64, []byte) {
	e := s.buffer.entries[s.i-1]
	return e.number, s.buffer.record(e)
}
