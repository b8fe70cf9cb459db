package ingest

import (
	"context"
	"io"
)

// interruptible reads an input that may be silent for long, such as a pipe, and stops waiting for
// it when the context ends. It belongs to one goroutine.
//
// A read that was abandoned continues in the background until the input returns something. Its
// buffer must not be used again.
type interruptible struct {
	ctx    context.Context
	asked  chan []byte
	got    chan reading // has room for the answer to an abandoned read
	closed chan struct{}
	silent bool // a read was abandoned
	read   int64
}

type reading struct {
	n   int
	err error
}

// newInterruptible takes over in and closes it in the end.
func newInterruptible(ctx context.Context, in io.ReadCloser) *interruptible {
	r := &interruptible{
		ctx:    ctx,
		asked:  make(chan []byte),
		got:    make(chan reading, 1),
		closed: make(chan struct{}),
	}
	go func() {
		defer close(r.closed)
		defer in.Close()
		for p := range r.asked {
			n, err := in.Read(p)
			r.got <- reading{n, err}
		}
	}()
	return r
}

// Read reads, or returns the context's error when that comes first.
func (r *interruptible) Read(p []byte) (int, error) {
	if r.silent {
		return 0, r.ctx.Err()
	}
	r.asked <- p
	select {
	case got := <-r.got:
		r.read += int64(got.n)
		return got.n, got.err
	case <-r.ctx.Done():
		r.silent = true
		return 0, r.ctx.Err()
	}
}

// close closes the input, but does not wait for an abandoned read.
func (r *interruptible) close() {
	close(r.asked)
	if !r.silent {
		<-r.closed
	}
}

// opened is what came of opening an input.
type opened struct {
	in  io.ReadCloser
	err error
}

// openInput opens an input, or returns the context's error if that ends first: a pipe may have to
// wait for its other end for ever. An input that is opened later is closed again.
func (j *Job) openInput(ctx context.Context, input Input) (io.ReadCloser, error) {
	got := make(chan opened, 1)
	go func() {
		in, err := j.open(input)
		got <- opened{in, err}
	}()
	select {
	case o := <-got:
		return o.in, o.err
	case <-ctx.Done():
		go func() {
			if o := <-got; o.err == nil {
				_ = o.in.Close()
			}
		}()
		return nil, ctx.Err()
	}
}
