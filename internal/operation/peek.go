package operation

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/source"
)

// Of a pipe no more than peekSize bytes of text are read ahead, and none after peekTime: a load of
// a slow pipe begins all the same.
const (
	peekSize = 4 << 20
	peekTime = time.Second
)

// peek reads the first text of an input that can be read but once, and gives all of it to its
// reader afterwards.
type peek struct {
	input  source.Input
	opened chan struct{} // closed when reader or err is set
	reader *source.Reader
	err    error
	done   chan struct{} // closed when nothing more will be read ahead

	mu   sync.Mutex
	head []byte // text that was read ahead and not yet given out
	over bool   // nothing more is to be read ahead
}

// newPeek begins to read ahead.
func newPeek(in source.Input) *peek {
	p := &peek{input: in, opened: make(chan struct{}), done: make(chan struct{})}
	go p.ahead()
	return p
}

func (p *peek) ahead() {
	defer close(p.done)
	p.reader, p.err = p.input.Open()
	if close(p.opened); p.err != nil {
		return
	}
	text := make([]byte, 64<<10)
	for {
		n, err := p.reader.Read(text)
		p.mu.Lock()
		p.head = append(p.head, text[:n]...)
		// An error stays with the reader, which gives it again.
		over := p.over || err != nil || len(p.head) >= peekSize
		p.mu.Unlock()
		if over {
			return
		}
	}
}

// arrived waits until enough text has been read ahead, or it took too long, and returns an input of
// the whole lines of it, and whether it is as much as is ever read ahead.
func (p *peek) arrived(ctx context.Context) (in source.Input, full bool) {
	late := time.NewTimer(peekTime)
	defer late.Stop()
	select {
	case <-p.done:
	case <-late.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	head := p.head[:bytes.LastIndexByte(p.head, '\n')+1]
	return source.Text(p.input.Name, bytes.Clone(head)), len(p.head) >= peekSize
}

// open gives the input's reader.
func (p *peek) open() (io.ReadCloser, error) {
	<-p.opened
	if p.err != nil {
		return nil, p.err
	}
	return peeked{p.reader, p}, nil
}

// take gives out text that was read ahead.
func (p *peek) take(b []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := copy(b, p.head)
	p.head = p.head[n:]
	return n
}

// peeked is a reader that begins with what was read ahead.
type peeked struct {
	*source.Reader
	peek *peek
}

func (p peeked) Read(b []byte) (int, error) {
	if n := p.peek.take(b); n > 0 || len(b) == 0 {
		return n, nil
	}
	<-p.peek.done // a read ahead may still wait for the pipe
	if n := p.peek.take(b); n > 0 {
		return n, nil
	}
	return p.Reader.Read(b)
}

// Close leaves a pipe alone that is still being read ahead: it cannot be had back from there.
func (p peeked) Close() error {
	select {
	case <-p.peek.done:
		return p.Reader.Close()
	default:
		return nil
	}
}
