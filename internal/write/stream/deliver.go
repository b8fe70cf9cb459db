package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
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
	// Transfer is told of how the file gets to the node; nil: nobody is.
	Transfer *Transfer
}

// Sender streams a file to a node, and returns nil when the node has it for good. It must be
// safe for concurrent use and give errors with a class (package fault). A file may be sent
// again, whatever became of it: its rows have timestamps.
type Sender interface {
	Send(ctx context.Context, node string, f File) error
}

// delivery brings sections to their nodes.
type delivery struct {
	t     *shipper
	codec *sstable.Codec // of what is sent
	bySet bool           // a file is for all of a set of replicas; else for one node
	// how many files of a queue are made at the same time, or wait for another to be sent: enough
	// to keep the processors busy
	makeTogether int
	sendTogether int // how many files of a queue are sent at the same time
	queues       map[string]*queue

	group  *errgroup.Group
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // one for each session under way
	making chan struct{} // one for each SSTable that is made
	kept   chan struct{} // one for each SSTable that is on the disk, or made

	whole  int64        // bytes of records, or token ranges where there are no records
	merged atomic.Int64 // those of them that were made partitions of
	// bytes of partitions for all of their nodes, and those of them that were sent
	queued, sent atomic.Int64
	prepared     atomic.Int64 // those that an SSTable was made of, to be sent whole
	ready        atomic.Int64 // those of files that are sent, or may be
	stored       atomic.Int64 // bytes of those files
	// bytes that were handed to the network, and those of files that they are
	wired, plain atomic.Int64
	copies       bool // partitions are copied and not sorted

	seeking chan struct{} // has an element while no goroutine seeks rows that a node does not take
	refused []*refusedRow // that were found; who took the element of seeking has it

	files, bytes atomic.Int64 // that nodes have
	made         atomic.Int64 // SSTables, for their names
}

// queue is what some nodes are yet to be sent. Who sorts fills it.
type queue struct {
	nodes    []string
	sections []section
	bytes    int64
	filled   bool // a file, at least
	// has an element for each file of the queue that may be begun: see delivery.makeTogether
	making chan struct{}
	// has an element for each file of the queue that may be sent at the same time
	sending chan struct{}
}

// newDelivery begins a delivery of what is so much, by any measure, in all. A file that cannot be
// sent ends its context.
func newDelivery(ctx context.Context, t *shipper, codec *sstable.Codec, whole int64) *delivery {
	processors, queues := runtime.GOMAXPROCS(0), t.o.queues()
	d := &delivery{
		t:            t,
		codec:        codec,
		whole:        whole,
		queues:       make(map[string]*queue),
		bySet:        t.o.bySet(),
		makeTogether: (processors + queues - 1) / queues,
		sendTogether: 1,
		slots:        make(chan struct{}, t.o.Sessions),
		making:       make(chan struct{}, processors),
		kept:         make(chan struct{}, t.o.Sessions+processors),
		seeking:      tokens(1),
	}
	if !d.bySet || queues == 1 { // else nodes have sessions of several sets
		d.sendTogether = nodeSessions
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.group, d.ctx = errgroup.WithContext(ctx)
	return d
}

// nodeSessions is how many files a node is sent at the same time: it takes one thread for those of
// a session, with which it makes SSTables of rows, and that longer than we make the rows, or takes
// over SSTables that it was sent whole. One that is slow is sent fewer (pace.Throttle).
const nodeSessions = 2

// tokens is a channel with so many elements.
func tokens(n int) chan struct{} {
	c := make(chan struct{}, n)
	for range n {
		c <- struct{}{}
	}
	return c
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
	q := d.queueOf(nodes, s.part)
	s.file.hold()
	d.queued.Add(s.bytes() * int64(len(nodes)))
	q.sections = append(q.sections, s)
	q.bytes += s.bytes()
	if q.bytes < d.t.o.FileBytes {
		return nil
	}
	q.filled = true
	return d.startFile(q, q.out(q.bytes))
}

// queueOf gives the queue of some nodes and parts of partitions.
func (d *delivery) queueOf(nodes []string, part int) *queue {
	name := strings.Join(nodes, " ") + "/" + strconv.Itoa(part)
	q := d.queues[name]
	if q == nil {
		q = &queue{nodes: nodes, making: tokens(d.makeTogether), sending: tokens(d.sendTogether)}
		d.queues[name] = q
	}
	return q
}

// out takes the first sections out of the queue, as many as have that many bytes or more.
func (q *queue) out(bytes int64) []section {
	n := 0
	for ; n < len(q.sections) && bytes > 0; n++ {
		bytes -= q.sections[n].bytes()
		q.bytes -= q.sections[n].bytes()
	}
	first := q.sections[:n]
	q.sections = q.sections[n:]
	return first
}

// startFile sends a file of some sections of a queue. It waits until one may be made, so that a slow
// node has few files on the disk.
func (d *delivery) startFile(q *queue, sections []section) error {
	f := File{Header: d.codec.AppendHeader(nil), Open: func() io.Reader { return read(sections) }}
	for _, s := range sections {
		f.Bytes += s.bytes()
		f.Keys += s.keys
	}
	if err := takeToken(d.ctx, q.making); err != nil {
		return err
	}
	d.group.Go(func() error {
		if err := d.makeAndSend(q, f); err != nil {
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

// makeAndSend makes a file of a queue, and sends it when the one before is there.
func (d *delivery) makeAndSend(q *queue, f File) error {
	if d.t.o.Whole != nil {
		if err := putToken(d.ctx, d.kept); err != nil {
			return err
		}
		defer func() { <-d.kept }()
		if err := putToken(d.ctx, d.making); err != nil {
			return err
		}
		var err error
		f.Whole, err = d.t.makeWhole(
			d.codec,
			&countingReader{d, int64(len(q.nodes)), f.Open()},
			f,
			q.nodes,
			d.made.Add(1),
		)
		<-d.making
		if err != nil {
			return err
		}
	}
	return d.sendInTurn(q, f)
}

// sendInTurn sends a file of a queue when the one before is there, and has the next one made.
func (d *delivery) sendInTurn(q *queue, f File) error {
	if err := takeToken(d.ctx, q.sending); err != nil {
		f.Whole.remove()
		return err
	}
	defer func() {
		f.Whole.remove() // before the one after the next is made
		q.sending <- struct{}{}
	}()
	q.making <- struct{}{}
	return d.sendToNodes(q.nodes, f)
}

// countingReader reads what an SSTable is made of, and tells how much was read; it ends with the
// delivery.
type countingReader struct {
	d     *delivery
	nodes int64 // that it is for
	in    io.Reader
}

func (p *countingReader) Read(b []byte) (int, error) {
	if p.d.ctx.Err() != nil {
		return 0, p.d.ctx.Err()
	}
	n, err := p.in.Read(b)
	p.d.prepared.Add(int64(n) * p.nodes)
	p.d.share()
	return n, err
}

// sendToNodes sends a file to all of its nodes.
func (d *delivery) sendToNodes(nodes []string, f File) error {
	d.ready.Add(f.Bytes * int64(len(nodes)))
	d.stored.Add(f.Size() * int64(len(nodes)))
	group, ctx := errgroup.WithContext(d.ctx)
	for _, node := range nodes {
		group.Go(func() error {
			n := d.t.node(node)
			if err := n.throttle.Acquire(ctx); err != nil { // before others could use the slot
				return err
			}
			defer n.throttle.Release()
			if err := putToken(ctx, d.slots); err != nil {
				return err
			}
			defer func() { <-d.slots }()
			return d.sendToNode(ctx, node, f)
		})
	}
	return group.Wait()
}

func takeToken(ctx context.Context, from <-chan struct{}) error {
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

func putToken(ctx context.Context, to chan<- struct{}) error {
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

// sendOnce sends a file to a node.
func (d *delivery) sendOnce(ctx context.Context, id string, f File) error {
	n := d.t.node(id)
	n.begin()
	defer n.end()
	f.Transfer = &Transfer{d: d, node: n, begun: time.Now(), size: f.Size(), bytes: f.Bytes}
	err := d.t.o.Sender.Send(ctx, id, f)
	f.Transfer.end(err == nil)
	if err != nil {
		return err
	}
	d.files.Add(1)
	if f.Whole == nil { // rows are compressed on their way
		d.bytes.Add(f.Transfer.wired())
	} else {
		d.bytes.Add(f.Size())
	}
	n.has(f.Size())
	return nil
}

// sendToNode sends a file, and again for as long as there is patience with the node. If the node fails
// it for rows, these are found, and the others are sent.
func (d *delivery) sendToNode(ctx context.Context, node string, f File) error {
	err := d.sendWithRetry(ctx, node, f, triesForRows)
	if rows := (*RowsError)(nil); errors.As(err, &rows) {
		return d.seek(ctx, node, f, rows)
	}
	return err
}

// sendWithRetry sends a file, and again for as long as there is patience with the node. It returns a
// *RowsError once that many sessions have failed with one.
func (d *delivery) sendWithRetry(ctx context.Context, node string, f File, tries int) error {
	d.t.begun.Store(true)
	var since time.Time // the first failure
	for attempt := 1; ; attempt++ {
		err := d.sendOnce(ctx, node, f)
		if err == nil {
			return nil
		}
		if rows := (*RowsError)(nil); errors.As(err, &rows) {
			if tries--; tries == 0 {
				return err
			}
		}
		if !fault.Retryable(err, true) {
			return err
		}
		if attempt == 1 {
			since = time.Now()
		}
		if past := time.Since(since); past >= d.t.o.Patience {
			return fmt.Errorf(
				"%s: given up after %s in %s: %w",
				d.t.o.NodeName(node),
				human.Of(attempt, "attempt"),
				past.Round(time.Second),
				err,
			)
		}
		if err := d.checkStillWanted(ctx, node); err != nil { // what does not mend is not waited for
			return err
		}
		d.t.o.OnRetry(node, err)
		if err := pace.Sleep(ctx, d.t.o.Backoff.Delay(attempt)); err != nil {
			return err
		}
	}
}

// checkStillWanted gives an error when a node that has failed is not to be sent anything any more.
func (d *delivery) checkStillWanted(ctx context.Context, node string) error {
	if d.t.o.Ring == nil {
		return nil
	}
	switch now, err := d.t.o.Ring(ctx); {
	case err != nil && !fault.Retryable(err, true):
		return err
	case err == nil && !now.has(node):
		return fault.New(fault.Fatal, ErrMoved)
	}
	if err := d.t.o.Fits(ctx); err != nil && !fault.Retryable(err, true) {
		return err
	}
	return nil
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
	failed := d.startRest()
	if err := d.group.Wait(); err != nil {
		return err
	}
	return failed
}

// leastHalved is the size, in bytes, from which on a queue that has filled no file makes two
// SSTables rather than one.
const leastHalved = 8 << 20

// restTables is how many SSTables are made of a queue of so many bytes that has filled no file:
// two, where they are made at the same time, here or by a node; most loads are no more than that.
func (d *delivery) restTables(bytes int64) int {
	together := d.sendTogether
	if d.t.o.Whole != nil {
		together = d.makeTogether
	}
	if together > 1 && bytes >= leastHalved {
		return 2
	}
	return 1
}

// startRest sends what is left of all queues.
func (d *delivery) startRest() error {
	for _, q := range d.queues {
		if !q.filled && d.restTables(q.bytes) > 1 {
			if err := d.startFile(q, q.out(q.bytes/2)); err != nil {
				return err
			}
		}
		if len(q.sections) == 0 {
			continue
		}
		if err := d.startFile(q, q.out(q.bytes)); err != nil {
			return err
		}
	}
	return nil
}
