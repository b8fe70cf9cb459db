package sink

import (
	"io"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
)

// tally counts the bytes that pass, and computes their checksum.
type tally struct {
	next  io.Writer
	sum   *filesum.Hash // nil: none
	bytes int64
}

func (t *tally) Write(b []byte) (int, error) {
	if t.sum != nil {
		t.sum.Write(b)
	}
	n, err := t.next.Write(b)
	t.bytes += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// result is the sum of all that passed.
func (t *tally) result() filesum.Sum {
	if t.sum == nil {
		return filesum.Sum{}
	}
	return t.sum.Result()
}

// stateSum is the sum of what passed before the state was taken.
func stateSum(state []byte) (filesum.Sum, error) {
	h, err := filesum.Resume(state)
	if err != nil {
		return filesum.Sum{}, err
	}
	return h.Result(), nil
}
