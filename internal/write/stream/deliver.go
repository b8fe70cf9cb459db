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
	// Open returns a reader of the bytes from the beginning, at each call.
	Open func() io.Reader
	// Whole is the SSTable itself, if it was made on this host; nil: the node makes it.
	Whole *Whole
	// Transfer counts the bytes of the file on their way to the node; nil disables it.
	Transfer *Transfer
}

// Sender streams a file to a node, and returns nil when the node has stored it. It must be safe for
// concurrent use and return errors with a class (package fault). A file may be sent again after any
// result: its rows have timestamps.
type Sender interface {
	Send(ctx context.Context, node string, f File) error
}

// delivery sends sections to their nodes.
type delivery struct {
	t     *shipper
	codec *sstable.Codec // of what is sent
	bySet bool           // a file is for all of a set of replicas; else for one node
	// number of files of a queue that are made at the same time, or wait to be sent: enough to keep
	// the processors busy
	makeTogether int
	sendTogether int // number of files of a queue that are sent at the same time
	queues       map[string]*queue

	group  *errgroup.Group
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // one for each session in flight
	making chan struct{} // one for each SSTable that is made
	kept   chan struct{} // one for each SSTable that is on the disk, or made

	whole  int64        // bytes of records, or number of token ranges if there are no records
	merged atomic.Int64 // the part of whole that partitions were made of
	// bytes of partitions, counted for each of their nodes, and the part of them that was sent
	queued, sent atomic.Int64
	prepared     atomic.Int64 // bytes of partitions that SSTables were made of
	ready        atomic.Int64 // bytes of partitions in files that are sent, or may be
	stored       atomic.Int64 // bytes of those files
	// bytes that were written to the network, and the bytes of files that they stand for
	wired, plain atomic.Int64
	copies       bool // partitions are copied and not sorted

	seeking chan struct{} // has an element while no goroutine seeks rows that a node does not take
	refused []*refusedRow // rows that were found; guarded by seeking

	files, bytes atomic.Int64 // that nodes have
	made         atomic.Int64 // SSTables, for their names
}

// queue is the sections that some nodes have not been sent yet. The goroutine that sorts fills it.
type queue struct {
	nodes    []string
	sections []section
	bytes    int64
	filled   bool // it has filled a file
	// has an element for each file of the queue that may be started: see delivery.makeTogether
	making chan struct{}
	// has an element for each file of the queue that may be sent at the same time
	sending chan struct{}
}

// newDelivery starts a delivery. whole is the size of all that it will send, in bytes or token
// ranges. A file that cannot be sent cancels its context.
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
	if !d.bySet || queues == 1 { // otherwise nodes have sessions of several sets
		d.sendTogether = nodeSessions
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.group, d.ctx = errgroup.WithContext(ctx)
	return d
}

// nodeSessions is the number of files that a node is sent at the same time. A node uses one thread
// for each session. Writing rows to SSTables there takes longer than preparing them here. A slow
// node is sent fewer files (pace.Throttle).
const nodeSessions = 2

// tokens returns a channel with n elements.
func tokens(n int) chan struct{} {
	c := make(chan struct{}, n)
	for range n {
		c <- struct{}{}
	}
	return c
}

// put adds a section to the queues of its replicas, and starts files that are full.
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

// queueOf returns the queue of some nodes and parts of partitions.
func (d *delivery) queueOf(nodes []string, part int) *queue {
	name := strings.Join(nodes, " ") + "/" + strconv.Itoa(part)
	q := d.queues[name]
	if q == nil {
		q = &queue{nodes: nodes, making: tokens(d.makeTogether), sending: tokens(d.sendTogether)}
		d.queues[name] = q
	}
	return q
}

// out removes the first sections of the queue, until they have that many bytes, and returns them.
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

// startFile starts to make and send a file of some sections of a queue. It waits until one may be
// made, so that a slow node has few files on the disk.
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

// makeAndSend makes a file of a queue, and sends it after the one before.
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

// sendInTurn sends a file of a queue after the one before has arrived, and lets the next one be
// made.
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

// countingReader reads the partitions of an SSTable that is made, and counts them as prepared. It
// ends with the delivery.
type countingReader struct {
	d     *delivery
	nodes int64 // number of nodes that the SSTable is for
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
			// It waits before it takes a slot that others could use.
			if err := n.throttle.Acquire(ctx); err != nil {
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

// sendOnce sends a file to a node once.
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

// sendToNode sends a file to a node with retries. If the node fails it because of rows, these are
// found, and the others are sent.
func (d *delivery) sendToNode(ctx context.Context, node string, f File) error {
	err := d.sendWithRetry(ctx, node, f, triesForRows)
	if rows := (*RowsError)(nil); errors.As(err, &rows) {
		return d.seek(ctx, node, f, rows)
	}
	return err
}

// sendWithRetry sends a file to a node, and retries until the patience is over. It returns a
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
		if err := d.checkStillWanted(ctx, node); err != nil { // do not wait if a retry cannot help
			return err
		}
		d.t.o.OnRetry(node, err)
		if err := pace.Sleep(ctx, d.t.o.Backoff.Delay(attempt)); err != nil {
			return err
		}
	}
}

// checkStillWanted returns an error if a node that has failed must not be sent anything more.
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

// abandon cancels the delivery. It returns the error that the delivery ended with before, if any.
func (d *delivery) abandon() error {
	d.cancel()
	if err := d.group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// finish sends the rest of all queues, and waits until everything has arrived.
func (d *delivery) finish() error {
	failed := d.startRest()
	if err := d.group.Wait(); err != nil {
		return err
	}
	return failed
}

// leastHalved is the size, in bytes, from which a queue that has filled no file makes two SSTables.
const leastHalved = 8 << 20

// restTables returns the number of SSTables for a queue of that many bytes that has filled no file.
// It is two if they are made at the same time, here or by a node. Most loads have no more than
// that.
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

// startRest starts the files of what remains in all queues.
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
