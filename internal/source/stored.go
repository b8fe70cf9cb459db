package source

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// ErrChanged ends a file that was changed after it was opened. All bytes that were read come before
// it.
var ErrChanged = errors.New("changed while it was read: a resume needs the bytes that it had")

// stored is the bytes of an input as they are stored. It counts them. After an error, each Read
// returns that error.
type stored struct {
	src      io.Reader
	consumed atomic.Int64
	err      error // the end, io.EOF or worse

	object store.Reader // nil: src is the caller's, who closes it
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

// seek moves the next Read to a byte of a ranged object.
func (s *stored) seek(offset int64) error {
	if _, err := s.object.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	s.consumed.Store(offset)
	s.err = nil
	return nil
}

// ranged reports whether seek works.
func (s *stored) ranged() bool { return s.object != nil && s.object.Info().Ranged() }

// changed reports whether the object is not what it was.
func (s *stored) changed() (bool, error) {
	if s.object == nil {
		return false, nil
	}
	return s.object.Changed()
}

// interrupt ends a Read that waits, and reports whether the Read is sure to end.
func (s *stored) interrupt() bool {
	return s.object != nil && s.object.Interrupt()
}

func (s *stored) close() error {
	if s.object == nil {
		return nil
	}
	return s.object.Close()
}
