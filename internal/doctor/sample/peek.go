package sample

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// Limits of reading ahead, in bytes and in time: a load of a slow pipe has to begin, too.
const (
	peekSize = 4 << 20
	peekTime = time.Second
)

// Peek reads the first text of an input that can be read only once, such as a pipe. Its reader
// returns all of the text once more.
type Peek struct {
	input  source.Input
	wait   time.Duration // for text; default peekTime
	opened chan struct{} // closed when reader or err is set
	reader *source.Reader
	err    error
	done   chan struct{} // closed when reading ahead has ended

	mu   sync.Mutex
	head []byte // text that was read ahead and not yet returned
	over bool   // reading ahead has to end
}

// NewPeek begins to read ahead, in a goroutine of its own.
func NewPeek(in source.Input) *Peek {
	p := &Peek{
		input:  in,
		wait:   peekTime,
		opened: make(chan struct{}),
		done:   make(chan struct{}),
	}
	go p.ahead()
	return p
}

func (p *Peek) ahead() {
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
		// The reader returns an error again.
		over := p.over || err != nil || len(p.head) >= peekSize
		p.mu.Unlock()
		if over {
			return
		}
	}
}

// Arrived waits until enough text was read ahead, for a second at most. It returns an input of the
// complete records, and whether reading ahead reached its limit.
func (p *Peek) Arrived(ctx context.Context, f format.Format) (in source.Input, full bool) {
	late := time.NewTimer(p.wait)
	defer late.Stop()
	select {
	case <-p.done:
	case <-late.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	head := format.Head(f, bytes.Clone(p.head))
	return source.Text(p.input.Name, head), len(p.head) >= peekSize
}

// Open returns the input's reader. The caller closes it.
func (p *Peek) Open() (io.ReadCloser, error) {
	<-p.opened
	if p.err != nil {
		return nil, p.err
	}
	return peeked{p.reader, p}, nil
}

// take returns text that was read ahead.
func (p *Peek) take(b []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := copy(b, p.head)
	p.head = p.head[n:]
	return n
}

// peeked is a reader that begins with the text that was read ahead.
type peeked struct {
	*source.Reader
	peek *Peek
}

func (p peeked) Read(b []byte) (int, error) {
	if n := p.peek.take(b); n > 0 || len(b) == 0 {
		return n, nil
	}
	<-p.peek.done // the goroutine may still wait for the pipe
	if n := p.peek.take(b); n > 0 {
		return n, nil
	}
	return p.Reader.Read(b)
}

// Close does not close a pipe while the goroutine reads from it: such a read cannot be interrupted.
func (p peeked) Close() error {
	select {
	case <-p.peek.done:
		return p.Reader.Close()
	default:
		return nil
	}
}
