package ingest

import (
	"context"
	"io"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/spread"
)

// Small inputs are opened and read ahead, several at a time. Opening each takes a disk or a file
// server some time. One after the other, all these times would add up.
const (
	fetchedAhead = 64 // small inputs that are read ahead at most
	// bytes of the longest text that is taken; a compressed input has more than its size
	fetchSize = 2 * smallInput
)

// fetched is a small input that is read ahead. It belongs to the reader once done is closed.
type fetched struct {
	index    int
	done     chan struct{}
	openErr  error
	whole    bool // all of the text was taken
	buffer   *[fetchSize]byte
	text     []byte // of buffer, not given out yet
	err      error  // what reading ended with
	consumed int64  // bytes as they are stored
	read     int64  // bytes of the text that were given out
}

// buffers are for the texts of inputs.
var buffers = sync.Pool{New: func() any { return new([fetchSize]byte) }}

// fetch reads an input.
func (f *fetched) fetch(j *Job) {
	defer close(f.done)
	in, err := j.open(j.Inputs[f.index])
	if err != nil {
		f.openErr = err
		return
	}
	defer func() { _ = in.Close() }()
	f.buffer = buffers.Get().(*[fetchSize]byte)
	n := 0
	for n < fetchSize && f.err == nil {
		var some int
		some, f.err = in.Read(f.buffer[n:])
		n += some
	}
	f.text, f.whole = f.buffer[:n], f.err != nil
	f.consumed = int64(n)
	if stored, ok := in.(interface{ Consumed() int64 }); ok {
		f.consumed = stored.Consumed()
	}
}

// Read is a method of io.Reader.
func (f *fetched) Read(p []byte) (int, error) {
	if len(f.text) == 0 {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	f.read += int64(n)
	return n, nil
}

// Consumed returns the number of bytes of the input, as it is stored.
func (f *fetched) Consumed() int64 { return f.consumed }

// close gives back the memory of the text.
func (f *fetched) close() {
	if f.buffer != nil {
		buffers.Put(f.buffer)
	}
	f.buffer, f.text = nil, nil
}

// fetcher reads small inputs ahead. A nil one reads none.
type fetcher struct {
	run   *run
	order chan *fetched // in the order of the inputs
	stop  context.CancelFunc
	group sync.WaitGroup
}

// fetches reports whether an input is read ahead.
func (r *run) fetches(index int) bool {
	input := r.job.Inputs[index]
	if !input.Plain || input.Size <= 0 || input.Size > smallInput {
		return false
	}
	_, completed := r.job.Journal.ResumePoint(index)
	return !completed && r.job.Journal.Seen(index) == 0
}

// fetchAhead starts goroutines that read small inputs ahead.
func (r *run) fetchAhead(until context.Context) *fetcher {
	if !r.many() {
		return nil
	}
	ctx, stop := context.WithCancel(until)
	f := &fetcher{run: r, order: make(chan *fetched, fetchedAhead), stop: stop}
	work := make(chan *fetched)
	f.group.Go(func() {
		defer close(work)
		for i := range r.job.Inputs {
			if !r.fetches(i) {
				continue
			}
			one := &fetched{index: i, done: make(chan struct{})}
			for _, to := range []chan *fetched{f.order, work} {
				select {
				case to <- one:
				case <-ctx.Done():
					return
				}
			}
		}
	})
	for range spread.Workers {
		f.group.Go(func() {
			for one := range work {
				one.fetch(r.job)
			}
		})
	}
	return f
}

// next returns an input that was read ahead. It returns nil if the input has to be opened now.
func (f *fetcher) next(until context.Context, index int) (*fetched, error) {
	if f == nil || !f.run.fetches(index) {
		return nil, nil
	}
	var one *fetched
	select {
	case one = <-f.order:
	case <-until.Done():
		return nil, until.Err()
	}
	select {
	case <-one.done:
	case <-until.Done():
		return nil, until.Err()
	}
	if one.openErr != nil {
		return nil, one.openErr
	}
	if !one.whole {
		one.close()
		return nil, nil
	}
	return one, nil
}

// close stops the reading ahead, and waits for it.
func (f *fetcher) close() {
	if f == nil {
		return
	}
	f.stop()
	f.group.Wait()
}

// textReader gives the text of an input.
type textReader interface {
	io.Reader
	close()
}

// openText returns the text of an input, which was read ahead or is opened now, and the counter of
// its bytes that were read.
func (r *run) openText(
	until context.Context,
	input Input,
	got *fetched,
) (in any, text textReader, read *int64, err error) {
	if got != nil {
		return got, got, &got.read, nil
	}
	opened, err := r.job.openInput(until, input)
	if err != nil {
		return nil, nil, nil, err
	}
	reader := newInterruptible(until, opened)
	return opened, reader, &reader.read, nil
}
