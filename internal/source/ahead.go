package source

import (
	"bufio"
	"errors"
	"io"
)

// Text is decompressed ahead in a few blocks. A block is passed on as soon as anything is in it, so
// that a slow pipe is not held up.
const (
	blockSize = 64 << 10
	blocks    = 4
)

// ahead reads the text in a goroutine of its own, before its owner wants it.
type ahead struct {
	full  chan block
	free  chan []byte
	done  chan struct{} // closed: the reader has ended
	ended chan struct{} // closed: the goroutine has ended
	now   block         // being read
	rest  []byte        // of now
}

// block is some text, and what came after it.
type block struct {
	buf  []byte
	size int
	err  error
}

// readAhead starts to read the text of in, and requires that nothing remains of in at the end.
func readAhead(f *format, in *bufio.Reader) *ahead {
	a := &ahead{
		full:  make(chan block, blocks),
		free:  make(chan []byte, blocks),
		done:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	for range blocks {
		a.free <- nil // made when first used
	}
	go func() {
		defer close(a.ended)
		text, release, err := f.open(in)
		if err != nil {
			a.send(block{err: notTheEnd(err)})
			return
		}
		defer release()
		for a.next(text, in) {
		}
	}()
	return a
}

// next fills a block, and reports whether to continue.
func (a *ahead) next(text io.Reader, in *bufio.Reader) bool {
	var b block
	select {
	case b.buf = <-a.free:
	case <-a.done:
		return false
	}
	if b.buf == nil {
		b.buf = make([]byte, blockSize)
	}
	for range maxEmptyReads {
		b.size, b.err = text.Read(b.buf)
		if b.size > 0 || b.err != nil {
			break
		}
	}
	switch {
	case b.size == 0 && b.err == nil:
		b.err = io.ErrNoProgress
	case isEnd(b.err):
		if _, err := in.Peek(1); err == nil {
			b.err = errTrailing
		}
	case b.err != nil:
		b.err = notTheEnd(b.err)
	}
	return a.send(b) && b.err == nil
}

const maxEmptyReads = 100

var errTrailing = errors.New("what follows the end is no compressed data")

// isEnd reports whether err is the end of a reader, which is io.EOF itself: a wrapped one is a
// failure.
func isEnd(err error) bool {
	return err == io.EOF //nolint:errorlint // errors.Is would take such a failure for the end
}

// notTheEnd returns io.ErrUnexpectedEOF for an end in the wrong place.
func notTheEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (a *ahead) send(b block) bool {
	select {
	case a.full <- b:
		return true
	case <-a.done:
		return false
	}
}

// Read returns the text of the blocks. It must not be called again after an error.
func (a *ahead) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.buf != nil {
			a.free <- a.now.buf
		}
		a.now = <-a.full
		a.rest = a.now.buf[:a.now.size]
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	if len(a.rest) == 0 && a.now.err != nil {
		return n, a.now.err
	}
	return n, nil
}

func (a *ahead) stop() { close(a.done) }
func (a *ahead) wait() { <-a.ended }
