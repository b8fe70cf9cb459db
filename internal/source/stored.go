package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// ErrChanged ends a file that was not the same at its end as when it was opened.
// All bytes that were read come before it.
var ErrChanged = errors.New("changed while it was read: a resume needs the bytes that it had")

// stored is the bytes of an input as they are stored. It counts them, and once
// it has ended it stays so.
type stored struct {
	src      io.Reader
	consumed atomic.Int64
	err      error // the end, io.EOF or worse

	file *os.File    // nil: not ours to close
	then fs.FileInfo // what the file was when opened; nil: it may change
}

func (s *stored) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := 0, error(nil)
	for range maxEmptyReads {
		if n, err = s.src.Read(p); n > 0 || err != nil {
			break
		}
	}
	if n == 0 && err == nil {
		err = io.ErrNoProgress
	}
	s.consumed.Add(int64(n))
	s.err = err
	return n, err
}

// seek has the next Read begin at a byte.
func (s *stored) seek(offset int64) error {
	if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	s.consumed.Store(offset)
	s.err = nil
	return nil
}

// changed says whether the file is not what it was.
func (s *stored) changed() (bool, error) {
	if s.then == nil {
		return false, nil
	}
	now, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	return now.Size() != s.then.Size() || !now.ModTime().Equal(s.then.ModTime()), nil
}

// interrupt ends a Read that waits, and says whether it can be relied upon to
// end: the standard input may keep silent for ever.
func (s *stored) interrupt() bool {
	return s.file != nil && (s.then != nil || s.file.SetReadDeadline(time.Unix(1, 0)) == nil)
}

func (s *stored) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
