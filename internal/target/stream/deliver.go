package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// File is what one SSTable of a node is made of: partitions in token order.
type File struct {
	Header []byte // the component of Statistics.db by which its bytes are read
	Bytes  int64
	Keys   int64 // partitions
	// Open gives the bytes from the beginning, each time that it is called.
	Open func() io.Reader
	// Whole is the SSTable itself, where it was made; nil: the node is to make it.
	Whole *Whole
}

// Sender streams a file to a node, and returns nil when the node has it for good. It must be
// safe for concurrent use and give errors with a class (package fault). A file may be sent
// again, whatever became of it: its rows have timestamps.
type Sender interface {
	Send(ctx context.Context, node string, f File) error
}

// delivery brings sections to their nodes.
type delivery struct {
	t      *Target
	bySet  bool // a file is for a set of replicas, all of which are sent it; else for one node
	queues map[string]*queue

	group  *errgroup.Group
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // one for each session under way
	making chan struct{} // one for each SSTable that is made

	files, bytes atomic.Int64 // that nodes have
	made         atomic.Int64 // SSTables, for their names
}

// queue is what some nodes are yet to be sent. Who sorts fills it.
type queue struct {
	nodes    []string
	sections []section
	bytes    int64
	turn     chan struct{} // has one element while no file of the queue is under way
}

// setsPerNode is how many sets of replicas there may be, for each node, so that files are made
// for sets. Of more of them, which vnodes make, each would get a file too small.
const setsPerNode = 2

// newDelivery begins a delivery. A file that cannot be sent ends its context.
func newDelivery(ctx context.Context, t *Target) *delivery {
	d := &delivery{
		t: t, queues: make(map[string]*queue), bySet: t.o.sets() <= setsPerNode*len(t.o.Nodes),
		slots: make(chan struct{}, t.o.Sessions), making: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.group, d.ctx = errgroup.WithContext(ctx)
	return d
}

// put adds a section to what its replicas are to have, and sends files that are full.
func (d *delivery) put(s section, replicas []string) error {
	if d.bySet {
		return d.add(s, replicas)
	}
	for _, node := range replicas {
		if err := d.add(s, []string{node}); err != nil {
			return err
		}
	}
	return nil
}

// add adds a section to the queue of some nodes.
func (d *delivery) add(s section, nodes []string) error {
	name := strings.Join(nodes, " ")
	q := d.queues[name]
	if q == nil {
		q = &queue{nodes: nodes, turn: make(chan struct{}, 1)}
		q.turn <- struct{}{}
		d.queues[name] = q
	}
	s.file.hold()
	q.sections = append(q.sections, s)
	q.bytes += s.bytes()
	if q.bytes < d.t.o.FileBytes {
		return nil
	}
	return d.send(q)
}

// send sends what a queue has, one file at a time: it waits for the one before.
func (d *delivery) send(q *queue) error {
	if len(q.sections) == 0 {
		return nil
	}
	sections, bytes := q.sections, q.bytes
	q.sections, q.bytes = nil, 0
	f := File{Header: d.t.codec.AppendHeader(nil), Bytes: bytes, Open: func() io.Reader { return read(sections) }}
	var flushed *spoolFile
	for _, s := range sections {
		f.Keys += s.keys
		if s.file != flushed {
			flushed = s.file
			if err := flushed.flush(); err != nil {
				return err
			}
		}
	}
	if err := take(d.ctx, q.turn); err != nil {
		return err
	}
	d.group.Go(func() error {
		defer func() { q.turn <- struct{}{} }()
		if err := d.sendAll(q.nodes, f); err != nil {
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

// sendAll sends a file to all of its nodes.
func (d *delivery) sendAll(nodes []string, f File) error {
	if d.t.o.Whole != nil {
		if err := give(d.ctx, d.making); err != nil {
			return err
		}
		var err error
		f.Whole, err = d.t.makeWhole(d.ctx, f, nodes, d.made.Add(1))
		<-d.making
		if err != nil {
			return err
		}
		defer f.Whole.remove()
	}
	group, ctx := errgroup.WithContext(d.ctx)
	for _, node := range nodes {
		group.Go(func() error {
			if err := give(ctx, d.slots); err != nil {
				return err
			}
			defer func() { <-d.slots }()
			return d.insist(ctx, node, f)
		})
	}
	return group.Wait()
}

func take(ctx context.Context, from <-chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-from:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func give(ctx context.Context, to chan<- struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case to <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// insist sends a file, and again for as long as there is patience with the node.
func (d *delivery) insist(ctx context.Context, node string, f File) error {
	d.t.begun.Store(true)
	var since time.Time // the first failure
	for attempt := 1; ; attempt++ {
		err := d.t.o.Sender.Send(ctx, node, f)
		if err == nil {
			d.files.Add(1)
			d.bytes.Add(f.size())
			return nil
		}
		if !fault.Retryable(err, true) {
			return err
		}
		if attempt == 1 {
			since = time.Now()
		}
		if past := time.Since(since); past >= d.t.o.Patience {
			return fmt.Errorf("%s: given up after %d attempts in %s: %w", d.t.o.NodeName(node), attempt, past.Round(time.Second), err)
		}
		if d.t.o.Check != nil { // what does not mend is not waited for
			if err := d.t.o.Check(ctx); err != nil {
				return err
			}
		}
		d.t.o.OnRetry()
		if err := pace.Sleep(ctx, d.t.o.Backoff.Delay(attempt)); err != nil {
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
	for _, q := range d.queues {
		if failed = d.send(q); failed != nil {
			break
		}
	}
	if err := d.group.Wait(); err != nil {
		return err
	}
	return failed
}
