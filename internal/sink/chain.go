package sink

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// bufferSize is what waits before it goes to the file: compressors hand over
// small pieces, and a page of a small range may be a few rows.
const bufferSize = 64 << 10

// target is where a chain ends.
type target interface {
	io.Writer
	Sync() error
	Close() error
}

// streamTarget is a target that somebody else owns.
type streamTarget struct{ io.Writer }

func (streamTarget) Sync() error  { return nil }
func (streamTarget) Close() error { return nil }

// chain takes the text of one file after another to their targets.
type chain struct {
	encoder encoder // nil: none
	tally   tally
	buffer  *bufio.Writer // nil: none
	target  target
}

// newChain makes a chain. That of a stream keeps no sum, which nobody could
// compare with anything; without compression it keeps no buffer either, so that
// whoever reads the other end sees rows as they come.
func newChain(c codec, stream bool) (*chain, error) {
	ch := &chain{}
	if c.make != nil {
		var err error
		if ch.encoder, err = c.make(c.level); err != nil {
			return nil, err
		}
	}
	if !stream {
		ch.tally.sum = sha256.New()
	}
	if !stream || ch.encoder != nil {
		ch.buffer = bufio.NewWriterSize(nil, bufferSize)
	}
	return ch, nil
}

// begin sets the chain on its next target.
func (c *chain) begin(t target) {
	c.target = t
	c.tally.bytes, c.tally.next = 0, t
	if c.tally.sum != nil {
		c.tally.sum.Reset()
	}
	if c.buffer != nil {
		c.buffer.Reset(t)
		c.tally.next = c.buffer
	}
	if c.encoder != nil {
		c.encoder.Reset(&c.tally)
	}
}

func (c *chain) write(text []byte) error {
	if c.encoder != nil {
		_, err := c.encoder.Write(text)
		return err
	}
	_, err := c.tally.Write(text)
	return err
}

// finish brings everything to the disk, end marks included, and closes.
func (c *chain) finish() error {
	err := c.end()
	if err == nil {
		err = c.target.Sync()
	}
	return errors.Join(err, c.target.Close())
}

// end writes what is still held, and the compressor's end mark.
func (c *chain) end() error {
	if c.encoder != nil {
		if err := c.encoder.Close(); err != nil {
			return err
		}
	}
	return c.flushBuffer()
}

// flush writes what is still held, and no end mark.
func (c *chain) flush() error {
	if c.encoder != nil {
		if err := c.encoder.Flush(); err != nil {
			return err
		}
	}
	return c.flushBuffer()
}

func (c *chain) flushBuffer() error {
	if c.buffer == nil {
		return nil
	}
	return c.buffer.Flush()
}

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
