// Package stream is the target of a load that writes rows as SSTables. It streams them to the
// replicas over the port that nodes use between each other, or keeps them in a folder
// ([FolderSender]).
//
// Rows are encoded as they come, and sorted by token, key and clustering (package extsort). When a
// slice of rows is sorted, or memory is low, rows of one clustering are merged as a server would.
// Their partitions are written to spools on the disk, for a few stretches of tokens at the same
// time, in sections of one token range each. Each replica of a range is sent its sections in few
// large files of many ranges, which do not overlap. If all rows in memory go to the same nodes,
// SSTables are made of them without a spool.
//
// The rows of a slice are complete when all nodes have all of its files. Until then the load can
// repeat everything: rows have timestamps by their place in the input.
//
// Start with [New]. Rows are released as soon as they are encoded.
package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Options say how to write.
type Options struct {
	Table *schema.Table
	// all replicas, in all data centers, as they were when the options were made
	Placement *token.Placement
	Nodes     []string        // ids of the nodes that the placement's indexes mean
	Ignored   map[string]bool // ids of nodes that are sent nothing
	Sender    Sender
	// Local means that the Sender keeps what was made on this host. Then bytes count as sent when
	// they are made.
	Local bool
	// Clock returns the time that deletions and expiries are counted from; default time.Now. See
	// expiries.
	Clock func() time.Time
	TTL   int32 // seconds, of rows that have none of their own; 0: they do not expire
	// Append keeps the elements of collections that are not frozen, and adds those of a row's value
	// to them. Otherwise the value replaces them.
	Append bool
	// Delete deletes rows by the start of their primary keys: the partition key and DeleteBy
	// clustering columns. They have no other columns.
	Delete   bool
	DeleteBy int
	// Indexes are those that do not take all values. Rows with such values are rejected.
	Indexes []Index
	// Whole makes SSTables here and sends them as they are. If it is nil, the nodes make them of
	// the rows, which takes at least ten times as long.
	Whole *WholeOptions
	// Version is that of the SSTables, and of rows that nodes write to SSTables; default
	// component.NB.
	Version component.Version
	// Single sends each range to only one of its replicas, which has to bring the rows to the
	// others.
	Single    bool
	Timestamp int64  // about the least timestamp of a row, microseconds since the epoch
	Memory    int64  // bytes of rows that are being sorted, at most; default 64 MiB
	Dir       string // folder for sorting on the disk
	Run       string // a name that no other load has, for the files in Dir
	FileBytes int64  // approximate size of one SSTable of a node; default DefaultFileBytes
	// Slice is the number of bytes of rows that are sorted, sent and completed before the next rows
	// are sorted. 0: all rows are one slice. See DefaultSlice.
	Slice int64
	// BatchBytes is the largest mutation of a table whose nodes write streamed rows as mutations.
	// 0: its nodes do not.
	BatchBytes int64
	Sessions   int           // files in flight, to all nodes together; default 8
	Patience   time.Duration // how long to try a file again; default pace.DefaultPatience
	Backoff    pace.Backoff
	// Ring returns which nodes rows belong to. It is called before rows are sent and after they
	// have arrived. If the answer changes, the rows are sent again. nil: the options do not change.
	Ring func(ctx context.Context) (Ring, error)
	// OnMove is called before rows are sent again because the ring changed or the table was
	// truncated; may be nil.
	OnMove func(why error)
	// Fits returns an error if the table has changed so that rows have to be made with other
	// options. It is called after Ring, before rows are sent and when a node fails; may be nil.
	Fits func(ctx context.Context) error
	// Begin is called before rows are sent. From then on their pieces must be recorded, even after
	// a power failure. An error ends the load; may be nil.
	Begin func() error
	// Complete is called when all files have arrived, before the last rows are completed; may be
	// nil.
	Complete func(ctx context.Context) error
	NodeName func(host string) string // what messages, and Progress, call a node; default its id
	// Progress counts how much of a slice was sorted and sent, and the bytes for each node;
	// default: counters of its own.
	Progress *progress.Counters
	// OnRetry is called for each file that is sent again, with the node that failed and the reason;
	// may be nil.
	OnRetry func(node string, err error)
	// OnOverdue is called once, if a slice took longer to reach the nodes than some of its rows
	// live; may be nil.
	OnOverdue func(ttl, took time.Duration)
}

// DefaultFileBytes is a size at which an SSTable is not compacted soon, and is cheap to send again.
const DefaultFileBytes = 512 << 20

// leastSlice is the least size of a slice, in bytes. Each slice waits for its last SSTable and for
// a check of the ring, and a smaller one is not worth that.
const leastSlice = 4 << 30

// DefaultSlice returns a size of slices, in bytes, that leaves few SSTables. Each queue yields one
// SSTable for every FileBytes, and one for its rest at the end of a slice. A slice has FileBytes
// for each queue, so that the rests are no more than the full ones. So all slices together make at
// most one SSTable for every half of FileBytes, and one or two (see startRest) for each queue.
func (o Options) DefaultSlice() int64 {
	o = o.withDefaults()
	return max(leastSlice, o.FileBytes*int64(o.queues()))
}

func (o Options) withDefaults() Options {
	if o.Version == 0 {
		o.Version = component.NB
	}
	if o.Memory <= 0 {
		o.Memory = 64 << 20
	}
	if o.FileBytes <= 0 {
		o.FileBytes = DefaultFileBytes
	}
	if o.Sessions <= 0 {
		o.Sessions = 8
	}
	if o.Patience <= 0 {
		o.Patience = pace.DefaultPatience
	}
	if o.NodeName == nil {
		o.NodeName = func(host string) string { return host }
	}
	if o.Progress == nil {
		o.Progress = new(progress.Counters)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.OnOverdue == nil {
		o.OnOverdue = func(time.Duration, time.Duration) {}
	}
	if o.OnMove == nil {
		o.OnMove = func(error) {}
	}
	if o.Fits == nil {
		o.Fits = func(context.Context) error { return nil }
	}
	if o.OnRetry == nil {
		o.OnRetry = func(string, error) {}
	}
	return o
}

// replicas lists the nodes that a range is sent to. Their order does not depend on the range, so
// that ranges of the same replicas share files.
func (o *Options) replicas(vnode int) []string {
	var ids []string
	for _, i := range o.Placement.Replicas(vnode) {
		if id := o.Nodes[i]; !o.Ignored[id] && !(o.Single && len(ids) > 0) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// sets returns the number of sets of replicas.
func (o *Options) sets() int {
	known := make(map[string]bool)
	for i := range o.Placement.Len() {
		known[strings.Join(o.replicas(i), " ")] = true
	}
	return len(known)
}

// setsPerNode is the number of sets of replicas for each node, at most, for which files are made by
// set. With more sets, as vnodes make them, files would be too small.
const setsPerNode = 2

// bySet reports whether a file is for all of a set of replicas. Otherwise it is for one node.
func (o *Options) bySet() bool { return o.sets() <= setsPerNode*len(o.Nodes) }

// queues returns the number of files that are filled at the same time, each from a part of the
// rows.
func (o *Options) queues() int {
	if o.bySet() {
		return o.sets()
	}
	return len(o.Nodes)
}

// Target streams rows. It is a write.Target.
type Target struct {
	shipper
	compare          func(a, b []byte) int // records of one token
	finished         chan struct{}
	waitingForMemory atomic.Int64  // callers that wait for memory
	memoryWait       time.Duration // see pressTime
	full             chan struct{} // has an element when the batch has the size of a slice
	expiries         expiries
	indexes          []indexPlan
	// held by the record in memory that is larger than mostKept: there is one at a time
	large sync.Mutex
	// A row had such a record. From then on, largeRows of the memory is for these rows.
	hasLarge atomic.Bool

	// A batch of rows is sorted and sent as a whole: it is a slice, or less if memory is low. The
	// goroutines that put rows lock it for reading, and the one that sends it locks it for writing.
	batch struct {
		sync.RWMutex
		sorter  *extsort.Sorter
		bytes   atomic.Int64   // of its records
		pending []pendingPiece // carrier.mu guards it while the batch is held for reading
		ttls    ttls           // carrier.mu guards it as well
		// closed when there is room again: the batch was sent, or that failed
		room    chan struct{}
		failed  error    // why no more rows are accepted
		refused refusals // rows that a node did not take; guarded by delivery.seeking
		// refused rows that the last delivery did not send; nil: it sent all rows
		leftOut refusals
		some    bool // the last delivery had only their partitions
	}
}

// pendingPiece is the rows of a piece that are complete when they have arrived.
type pendingPiece struct {
	piece  write.Tracker
	intake *intake // that took the rows
	rows   int
	sum    rowsum.Sum
}

// New returns a target. It fails for a table whose rows cannot be written to SSTables.
func New(o Options) (*Target, error) {
	t := &Target{
		memoryWait: defaultMemoryWait,
		full:       make(chan struct{}, 1),
		finished:   make(chan struct{}),
	}
	o = o.withDefaults()
	t.expiries.base = o.Clock().Unix()
	// a collection is deleted a microsecond before
	minima := sstable.Minima{Timestamp: o.Timestamp - 1, Time: t.expiries.base}
	if err := t.prepare(o, minima); err != nil {
		return nil, err
	}
	for _, c := range o.Table.Columns {
		layout, err := cqlwire.Plan(c.Type)
		if err != nil {
			return nil, err
		}
		if !layout.Checkable() {
			return nil, fmt.Errorf(
				"column %q of %s is of %s, whose values only a server can check: load it with --via cql",
				c.Name,
				o.Table,
				c.Type,
			)
		}
	}
	t.compare, t.indexes, t.reject = byKey(
		t.schema,
	), planIndexes(
		t.schema,
		o.Indexes,
	), t.rejectRefused
	t.batch.sorter, t.batch.room = t.newSorter(), make(chan struct{})
	return t, nil
}

func (t *Target) newSorter() *extsort.Sorter {
	return extsort.New(extsort.Options{
		Memory:    t.sortMemory(),
		Buffers:   runtime.GOMAXPROCS(0),
		Stretches: stretches(),
		Dir:       t.o.Dir,
		Compare:   t.compare,
		Head:      recordHead,
		Compress:  t.o.Slice == 0, // all rows of the load may be on the disk at once
	})
}

// largeRows is the memory that the largest rows take besides, as input and encoded, in bytes.
const largeRows = 8 << 20

// sortMemory returns the memory for rows that are being sorted, in bytes.
func (t *Target) sortMemory() int64 {
	if t.hasLarge.Load() {
		return max(t.o.Memory-largeRows, t.o.Memory/2)
	}
	return t.o.Memory
}

// PiecesHeld is a method of write.Target: no row waits for others in memory.
func (t *Target) PiecesHeld() int { return 0 }

// MemoryLow is a method of write.Target.
func (t *Target) MemoryLow(on bool) {
	if on {
		t.waitingForMemory.Add(1)
	} else {
		t.waitingForMemory.Add(-1)
	}
}

// Finish is a method of write.Target.
func (t *Target) Finish() { close(t.finished) }

// defaultMemoryWait is how long a caller waits for memory before the rows so far are sent. The
// target's own rows do not occupy that memory. Rejects of pieces that are not complete do, and
// would until the end.
const defaultMemoryWait = time.Second

// Run is a method of write.Target.
func (t *Target) Run(ctx context.Context) (err error) {
	defer func() {
		t.batch.Lock() // a goroutine that still puts rows may write some of them to the disk
		defer t.batch.Unlock()
		err = errors.Join(err, t.batch.sorter.Close())
	}()
	ticker := time.NewTicker(t.memoryWait)
	defer ticker.Stop()
	for waited := false; ; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-t.finished:
			return t.flush(ctx, true)
		case <-t.full:
			if err := t.flush(ctx, false); err != nil {
				return err
			}
		case <-ctx.Done():
		case <-ticker.C:
			pressed := t.waitingForMemory.Load() > 0
			if pressed && waited {
				if err := t.flush(ctx, false); err != nil {
					return err
				}
			}
			waited = pressed
		}
	}
}

// flush sends the rows that have come, and completes them. last means that no others will come.
func (t *Target) flush(ctx context.Context, last bool) error {
	t.batch.Lock()
	defer t.batch.Unlock()
	t.batch.failed = t.flushLocked(ctx, last)
	close(t.batch.room)
	t.batch.room = make(chan struct{})
	return t.batch.failed
}

func (t *Target) flushLocked(ctx context.Context, last bool) error {
	if ctx.Err() != nil { // it may have ended when the last row came in
		return ctx.Err()
	}
	if len(t.batch.pending) > 0 {
		if t.o.Begin != nil {
			if err := t.o.Begin(); err != nil {
				return err
			}
		}
		if err := t.deliverGood(ctx); err != nil {
			return err
		}
		t.countSlice()
	}
	if last && t.o.Complete != nil {
		if err := t.o.Complete(ctx); err != nil {
			return err
		}
	}
	for _, s := range t.batch.pending {
		if s.rows == 0 { // all were rejected
			continue
		}
		if err := s.piece.Written(s.rows, s.sum); err != nil {
			return err
		}
	}
	t.batch.pending, t.batch.ttls, t.batch.refused, t.batch.leftOut = nil, ttls{}, nil, nil
	t.batch.bytes.Store(0)
	t.o.Progress.Slice.Restart()
	t.o.Progress.Stage.Read()
	select {
	case <-t.full: // it was of these rows
	default:
	}
	old := t.batch.sorter
	t.batch.sorter = t.newSorter()
	return old.Close()
}

// deliver sends the sorted rows to their nodes.
func (t *Target) deliver(ctx context.Context) (err error) {
	tidy, err := t.removeLeftovers()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	t.batch.leftOut = t.batch.refused.clone()
	merges := t.batch.sorter.Merges()
	t.o.Progress.Stage.Deliver(0, 0, t.batch.bytes.Load())
	begun := t.o.Clock()
	d := newDelivery(ctx, &t.shipper, t.stamped(begun), t.batch.bytes.Load())
	defer d.cancel()
	var partitions int64
	if parts := t.direct(d, merges); parts != nil {
		partitions, err = t.makeTables(d, parts)
	} else {
		spools := make([]*spool, len(merges))
		for i := range spools {
			spools[i] = &spool{dir: t.o.Dir, size: t.o.FileBytes}
			defer spools[i].discard()
		}
		partitions, err = t.makePartitions(d, merges, spools)
	}
	if err == nil {
		err = d.finish()
	} else if cause := d.abandon(); cause != nil {
		err = cause
	}
	if t.batch.some {
		partitions = t.partitions
	}
	if err == nil {
		t.warnOverdue(t.o.Clock().Sub(begun))
	}
	return t.delivered(d, Stats{Partitions: partitions, Spilled: t.batch.sorter.Spilled()}, err)
}
