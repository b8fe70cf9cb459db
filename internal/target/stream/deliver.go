package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// File is what one SSTable of a node is made of: partitions in token order.
type File struct {
	Bytes int64
	Keys  int64 // partitions
	// Open gives the bytes from the beginning, each time that it is called.
	Open func() io.Reader
}

// Sender streams a file to a node, and returns nil when the node has it for good. It must be
// safe for concurrent use and give errors with a class (package fault). A file may be sent
// again, whatever became of it: its rows have timestamps.
type Sender interface {
	Send(ctx context.Context, node string, f File) error
}

// delivery brings sections to their nodes.
type delivery struct {
	o     *Options
	size  int64 // of a file, in bytes, about
	nodes map[string]*queue

	group  *errgroup.Group
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // one for each file under way

	files, bytes atomic.Int64 // that nodes have
}

// queue is what a node is yet to be sent. Who sorts fills it.
type queue struct {
	node     string
	sections []section
	bytes    int64
	turn     chan struct{} // has one element while no file of the node is under way
}

// newDelivery begins a delivery. A file that cannot be sent ends its context.
func newDelivery(ctx context.Context, o *Options) *delivery {
	d := &delivery{o: o, size: o.FileBytes, nodes: make(map[string]*queue), slots: make(chan struct{}, o.Sessions)}
	ctx, d.cancel = context.WithCancel(ctx)
	d.group, d.ctx = errgroup.WithContext(ctx)
	return d
}

// put adds a section to what its replicas are to have, and sends files that are full.
func (d *delivery) put(s section, replicas []string) error {
	for _, node := range replicas {
		q := d.nodes[node]
		if q == nil {
			q = &queue{node: node, turn: make(chan struct{}, 1)}
			q.turn <- struct{}{}
			d.nodes[node] = q
		}
		s.file.hold()
		q.sections = append(q.sections, s)
		q.bytes += s.bytes()
		if q.bytes >= d.size {
			if err := d.send(q); err != nil {
				return err
			}
		}
	}
	return nil
}

// send sends what a queue has, one file of a node at a time: it waits for the one before.
func (d *delivery) send(q *queue) error {
	if len(q.sections) == 0 {
		return nil
	}
	sections, bytes := q.sections, q.bytes
	q.sections, q.bytes = nil, 0
	f := File{Bytes: bytes, Open: func() io.Reader { return read(sections) }}
	for _, s := range sections {
		f.Keys += s.keys
	}
	flushed := make(map[*spoolFile]bool)
	for _, s := range sections {
		if !flushed[s.file] {
			flushed[s.file] = true
			if err := s.file.flush(); err != nil {
				return err
			}
		}
	}
	for _, wait := range []func() error{
		func() error { return take(d.ctx, q.turn) },
		func() error { return give(d.ctx, d.slots) },
	} {
		if err := wait(); err != nil {
			return err
		}
	}
	d.group.Go(func() error {
		defer func() { <-d.slots; q.turn <- struct{}{} }()
		if err := d.insist(q.node, f); err != nil {
			return err
		}
		var failures []error
		for _, s := range sections {
			failures = append(failures, s.file.release())
		}
		return errors.Join(failures...)
	})
	return nil
}

func take(ctx context.Context, from <-chan struct{}) error {
	select {
	case <-from:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func give(ctx context.Context, to chan<- struct{}) error {
	select {
	case to <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// insist sends a file, and again for as long as there is patience with the node.
func (d *delivery) insist(node string, f File) error {
	since := time.Now()
	for attempt := 1; ; attempt++ {
		err := d.o.Sender.Send(d.ctx, node, f)
		if err == nil {
			d.files.Add(1)
			d.bytes.Add(f.Bytes)
			return nil
		}
		if !fault.Retryable(err, true) {
			return err
		}
		if past := time.Since(since); past >= d.o.Patience {
			return fmt.Errorf("%s: given up after %d attempts in %s: %w", d.o.NodeName(node), attempt, past.Round(time.Second), err)
		}
		d.o.OnRetry()
		if err := pace.Sleep(d.ctx, d.o.Backoff.Delay(attempt)); err != nil {
			return err
		}
	}
}

// abandon ends the delivery of what is under way, and gives the error that it ended with
// before, if any.
func (d *delivery) abandon() error {
	d.cancel()
	if err := d.group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// finish sends what is left and waits until all is there.
func (d *delivery) finish() error {
	var failed error
	for _, q := range d.nodes {
		if failed = d.send(q); failed != nil {
			break
		}
	}
	if err := d.group.Wait(); err != nil {
		return err
	}
	return failed
}
