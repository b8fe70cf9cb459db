package sink

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// bufferSize is the bytes that a file's buffer holds. Compressors write small pieces, and a page of
// a small range may be a few rows.
const bufferSize = 64 << 10

// target is where a chain ends.
type target interface {
	io.Writer
	Sync() error
	Close() error
}

// streamTarget is the stream, which its owner closes.
type streamTarget struct{ store.Writer }

func (streamTarget) Sync() error    { return nil }
func (t streamTarget) Close() error { return t.Commit(context.Background()) }

// chain takes the text of one file after another to their targets.
type chain struct {
	encoder encoder // nil: none
	member  bool    // the encoder is within a member: one of the pieces that are each whole
	pending bool    // text came since the last cut
	sum     string  // algorithm of the sums of files; empty: the chain keeps none
	tally   tally
	buffer  *bufio.Writer // nil: none
	target  target
}

// newChain returns a chain. That of a stream keeps no sum, because there is no manifest to compare
// it with. Without compression a stream has no buffer either, so that its reader sees rows as they
// come.
func newChain(c codec, stream bool, sum string) (*chain, error) {
	ch := &chain{}
	if c.make != nil {
		var err error
		if ch.encoder, err = c.make(c.level); err != nil {
			return nil, err
		}
	}
	if !stream {
		ch.sum = sum
	}
	if !stream || ch.encoder != nil {
		ch.buffer = bufio.NewWriterSize(nil, bufferSize)
	}
	return ch, nil
}

// begin sets the chain on its next target, which is empty.
func (c *chain) begin(t target) {
	c.set(t, 0)
	if c.sum != "" {
		c.tally.sum = filesum.New(c.sum)
	}
	c.beginMember() // even a file without text has one
}

// resume sets the chain on a target that already has a number of bytes, all of complete members.
// state is the state of their checksum.
func (c *chain) resume(t target, bytes int64, state []byte) (err error) {
	c.set(t, bytes)
	if bytes == 0 {
		c.beginMember()
	}
	c.tally.sum, err = filesum.Resume(state)
	return err
}

func (c *chain) set(t target, bytes int64) {
	c.target = t
	c.tally.bytes, c.tally.next = bytes, t
	if c.buffer != nil {
		c.buffer.Reset(t)
		c.tally.next = c.buffer
	}
	c.member, c.pending = false, false
}

func (c *chain) beginMember() {
	if c.encoder != nil {
		c.encoder.Reset(&c.tally)
		c.member = true
	}
}

func (c *chain) write(text []byte) error {
	c.pending = c.pending || len(text) > 0
	if c.encoder == nil {
		_, err := c.tally.Write(text)
		return err
	}
	if !c.member {
		c.beginMember()
	}
	_, err := c.encoder.Write(text)
	return err
}

// finish syncs everything, end marks included, and closes the target.
func (c *chain) finish() error {
	err := c.end()
	if err == nil {
		err = c.target.Sync()
	}
	return errors.Join(err, c.target.Close())
}

// cut brings all text into the target, in a complete member, so that the target can be cut there
// later. Text may follow. Without new text it does nothing.
func (c *chain) cut() error {
	if !c.pending {
		return nil
	}
	if err := c.end(); err != nil {
		return err
	}
	c.pending = false
	return nil
}

// end writes what is still held, and the compressor's end mark when it is due.
func (c *chain) end() error {
	if c.member {
		if err := c.encoder.Close(); err != nil {
			return err
		}
		c.member = false
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
