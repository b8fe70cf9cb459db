package sink

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// tally counts what passes, and sums it up.
type tally struct {
	next  io.Writer
	sum   hash.Hash // nil: none
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

// digest is the sum of all that passed, in hex.
func (t *tally) digest() string {
	if t.sum == nil {
		return ""
	}
	return hex.EncodeToString(t.sum.Sum(nil))
}

// state is the running sum, as the standard library writes it down; setState and
// stateDigest read it.
func (t *tally) state() ([]byte, error) {
	m, ok := t.sum.(encoding.BinaryMarshaler)
	if !ok {
		return nil, errors.New("the state of the SHA-256 cannot be kept")
	}
	return m.MarshalBinary()
}

func (t *tally) setState(state []byte) error {
	m, ok := t.sum.(encoding.BinaryUnmarshaler)
	if !ok {
		return errors.New("the state of the SHA-256 cannot be set")
	}
	if err := m.UnmarshalBinary(state); err != nil {
		return fmt.Errorf("state of the SHA-256: %w", err)
	}
	return nil
}

// stateDigest is the sum, in hex, of what passed before the state was taken.
func stateDigest(state []byte) (string, error) {
	t := tally{sum: sha256.New()}
	if err := t.setState(state); err != nil {
		return "", err
	}
	return t.digest(), nil
}
