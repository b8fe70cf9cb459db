package stream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// A spool keeps sorted partitions on the disk until all of their replicas have them. It is a number
// of temporary files, written one after another. A file is closed when none of its sections is
// needed. The names of the files are removed at once, so that no file is left behind.
type spool struct {
	dir   string
	size  int64 // approximate size of a file, in bytes
	file  *spoolFile
	files []*spoolFile // all that were made
}

// spoolFile is one of the files.
type spoolFile struct {
	file  *os.File
	out   *bufio.Writer
	size  int64
	holds atomic.Int64 // sections of it that are needed, and one for the writer
}

// section is a stretch of entire partitions of one token range, or of parts of partitions.
type section struct {
	file     *spoolFile
	from, to int64
	keys     int64
	// number of the parts, which are in SSTables of their own; 0: the first part, or all of each
	// partition
	part int
}

func (s section) bytes() int64 { return s.to - s.from }

// spoolBuffer is the number of bytes that are written at once.
const spoolBuffer = 256 << 10

// next returns the file to write to.
func (s *spool) next() (*spoolFile, error) {
	if s.file != nil && s.file.size < s.size {
		return s.file, nil
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	file, err := fsync.Nameless(s.dir, ".partitions-*")
	if err != nil {
		return nil, fmt.Errorf("sorted partitions: %w", err)
	}
	s.file = &spoolFile{file: file, out: bufio.NewWriterSize(file, spoolBuffer)}
	s.file.holds.Store(1)
	s.files = append(s.files, s.file)
	return s.file, nil
}

// end flushes and releases the last file.
func (s *spool) end() error {
	f := s.file
	if f == nil {
		return nil
	}
	s.file = nil
	return errors.Join(f.flush(), f.release())
}

// discard closes all files of a delivery that has failed.
func (s *spool) discard() {
	for _, f := range s.files {
		if f.holds.Swap(0) > 0 {
			_ = f.file.Close() // no goroutine reads it any more
		}
	}
}

// write appends bytes.
func (f *spoolFile) write(p []byte) error {
	n, err := f.out.Write(p)
	f.size += int64(n)
	if err != nil {
		return fmt.Errorf("sorted partitions: %w", err)
	}
	return nil
}

// flush makes what was written readable for others.
func (f *spoolFile) flush() error {
	if err := f.out.Flush(); err != nil {
		return fmt.Errorf("sorted partitions: %w", err)
	}
	return nil
}

// hold keeps the file for one more section.
func (f *spoolFile) hold() { f.holds.Add(1) }

// release removes a hold. With the last one the file is closed.
func (f *spoolFile) release() error {
	if f.holds.Add(-1) > 0 {
		return nil
	}
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("sorted partitions: %w", err)
	}
	return nil
}

// read returns the bytes of sections, one after another.
func read(sections []section) io.Reader {
	readers := make([]io.Reader, len(sections))
	for i, s := range sections {
		readers[i] = io.NewSectionReader(s.file.file, s.from, s.bytes())
	}
	return io.MultiReader(readers...)
}
