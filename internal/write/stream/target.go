// Package stream is the target of a load that writes rows as SSTables, streamed to the replicas
// over the port that they stream to each other by, or kept for them in a folder
// ([Keeper]).
//
// Rows are encoded as they come and sorted by token, key and clustering (package extsort); when a
// slice of them is there (all, where there are no slices), or memory is short, rows of one
// clustering are merged as a server would, and the partitions written to spools on the disk, of a
// few stretches of tokens at the same time, in sections of one token range each. Each replica of a
// range is sent its sections, in files of many ranges: few and large ones, that do not overlap.
// Rows that are in memory, and all for the same nodes, become SSTables without that. The rows of a
// slice are settled when all nodes have all of its files. Until then the load has done nothing that
// it could not do again: rows have timestamps, by their place in the input.
//
// Start with [New]. Rows are freed as soon as they are encoded.
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
	// of all replicas, in all data centers, as they were when the options were made
	Placement *token.Placement
	Nodes     []string        // ids of the nodes that the placement's indexes mean
	Ignored   map[string]bool // ids of nodes that are sent nothing
	Sender    Sender
	// Local is set if the Sender only keeps what was made, on this host: what counts as sent is
	// what was made.
	Local bool
	// Clock gives the time that deletions and expiries are counted from; default time.Now. See
	// expiries.
	Clock func() time.Time
	TTL   int32 // seconds, of rows that have none of their own; 0: they do not expire
	// Append leaves what is in collections that are not frozen, where a row has a value for
	// them: it is added to, not replaced.
	Append bool
	// Indexes are those that do not take all values: rows that have others are rejected.
	Indexes []Index
	// Whole has SSTables made here and sent as they are; nil: the nodes make them of the rows,
	// which takes them ten times as long or more.
	Whole *WholeOptions
	// Version is that of the SSTables, and of rows that nodes make SSTables of; default component.NB.
	Version component.Version
	// Single gives each range to one of its replicas alone, which is to bring the rows to the
	// others.
	Single    bool
	Timestamp int64  // about the least that a row has, microseconds since the epoch
	Memory    int64  // bytes that rows which are being sorted may take; default 64 MiB
	Dir       string // folder for what is sorted on the disk
	Run       string // a name that no other load has, for what is made there
	FileBytes int64  // size of what makes one SSTable of a node, about; default DefaultFileBytes
	// Slice is how many bytes of rows, as they are sorted, are brought to their nodes and settled
	// before the next are sorted; 0: all are one slice. See DefaultSlice.
	Slice int64
	// BatchBytes is how large a mutation may be, of a table whose nodes write the rows that they
	// are sent as mutations; 0: they do not.
	BatchBytes int64
	Sessions   int           // files under way at once, to all nodes together; default 8
	Patience   time.Duration // how long to try a file again; default pace.DefaultPatience
	Backoff    pace.Backoff
	// Ring says, before anything is sent and when it is there, where rows belong: they are sent
	// again where that is elsewhere. nil: it is as the options have it.
	Ring func(ctx context.Context) (Ring, error)
	// OnMove is called before rows are sent again for that, or because the table was truncated; may
	// be nil.
	OnMove func(why error)
	// Fits gives an error when what is sent next has to be made otherwise than these options say,
	// since the table has changed. It is asked beside Ring, before rows are sent and when a node
	// fails; nil: it is not asked.
	Fits func(ctx context.Context) error
	// Begin is called before rows are sent: from then on their pieces must be known, even after a
	// power failure. An error ends the load; nil: nothing is to be done.
	Begin func() error
	// Complete is called when all files are there, before the rows that were not settled until then
	// are; nil: nothing is to be done.
	Complete func(ctx context.Context) error
	NodeName func(host string) string // what messages, and Progress, call a node; default its id
	// Progress counts how much of a slice was sorted and sent, and what nodes were streamed;
	// default: counters of its own.
	Progress *progress.Counters
	// OnRetry is called for each file that is sent again, with the node that failed and why;
	// may be nil.
	OnRetry func(node string, err error)
	// OnOverdue is called once, when a slice took longer to reach the nodes than the least time to
	// live of its rows; may be nil.
	OnOverdue func(ttl, took time.Duration)
}

// DefaultFileBytes is a size at which an SSTable is not soon compacted with others, and is
// cheap to send again.
const DefaultFileBytes = 512 << 20

// leastSlice is below what a slice is not worth its waits: for the last SSTable, for the check of
// the ring.
const leastSlice = 4 << 30

// DefaultSlice is a size of slices, in bytes, that leaves few SSTables. What is full by FileBytes
// is one, and what is left of each queue at the end of a slice another; a slice has as many times
// FileBytes as there are queues, so that the second are no more than the first. So all slices
// together make at most an SSTable for every half of FileBytes, and one or two (see sendRest) for
// each queue.
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

// replicas lists the nodes that a range is sent to, in an order that does not hang on the range:
// ranges of the same replicas go together.
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

// sets is how many sets of replicas there are.
func (o *Options) sets() int {
	known := make(map[string]bool)
	for i := range o.Placement.Len() {
		known[strings.Join(o.replicas(i), " ")] = true
	}
	return len(known)
}

// setsPerNode is how many sets of replicas there may be, for each node, so that files are made
// for sets. Of more of them, which vnodes make, each would get a file too small.
const setsPerNode = 2

// bySet says whether a file is for a set of replicas, all of which are sent it; else it is for one
// node.
func (o *Options) bySet() bool { return o.sets() <= setsPerNode*len(o.Nodes) }

// queues is how many files are filled at the same time, each from a part of the rows.
func (o *Options) queues() int {
	if o.bySet() {
		return o.sets()
	}
	return len(o.Nodes)
}

// Target streams rows. It is a write.Target.
type Target struct {
	carrier
	compare  func(a, b []byte) int // records of one token
	finished chan struct{}
	pressed  atomic.Int64  // who waits for memory
	press    time.Duration // see pressTime
	full     chan struct{} // has an element when the batch is a slice
	expiries expiries
	indexes  []indexPlan
	// of records that are larger than mostKept: one of them is in memory at a time
	large sync.Mutex

	// A batch of rows is sorted and sent as a whole: a slice, where nothing else is in the way.
	// Who puts rows in holds it for reading, who sends it for writing.
	batch struct {
		sync.RWMutex
		sorter  *extsort.Sorter
		bytes   atomic.Int64 // of its records
		settled []settled    // carrier.mu guards it while the batch is held for reading
		ttls    ttls         // carrier.mu guards it as well
		// closed when there is room again, after the batch was a slice, or it failed
		room    chan struct{}
		failed  error    // why no more rows are taken
		refused refusals // rows that a node did not take; who seeks has it: see delivery.seek
		// those of them that the last delivery did not send; nil: it sent all rows
		leftOut refusals
		some    bool // the last delivery was of their partitions alone
	}
}

// settled is what is told of a piece when the rows are there.
type settled struct {
	piece  write.Piece
	intake *intake // that took the rows
	rows   int
	sum    rowsum.Sum
}

// New makes a target. It fails for a table whose rows cannot be written as SSTables.
func New(o Options) (*Target, error) {
	t := &Target{press: pressTime, full: make(chan struct{}, 1), finished: make(chan struct{})}
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
		Memory:    t.o.Memory,
		Buffers:   runtime.GOMAXPROCS(0),
		Stretches: stretches(),
		Dir:       t.o.Dir,
		Compare:   t.compare,
		Head:      recordHead,
		Compress:  t.o.Slice == 0, // all rows of the load may be on the disk at once
	})
}

// Lookahead is a method of write.Target: no row waits for others in memory.
func (t *Target) Lookahead() int { return 0 }

// Yield is a method of write.Target.
func (t *Target) Yield(on bool) {
	if on {
		t.pressed.Add(1)
	} else {
		t.pressed.Add(-1)
	}
}

// Finish is a method of write.Target.
func (t *Target) Finish() { close(t.finished) }

// pressTime is how long somebody waits for memory until what there is goes on without the rest.
// Rows of this target take none of that, so that it is held by rejects of pieces that are not
// settled, and would be until the end.
const pressTime = time.Second

// Run is a method of write.Target.
func (t *Target) Run(ctx context.Context) (err error) {
	defer func() {
		t.batch.Lock() // who still puts rows in may write some of them to the disk
		defer t.batch.Unlock()
		err = errors.Join(err, t.batch.sorter.Close())
	}()
	ticker := time.NewTicker(t.press)
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
			pressed := t.pressed.Load() > 0
			if pressed && waited {
				if err := t.flush(ctx, false); err != nil {
					return err
				}
			}
			waited = pressed
		}
	}
}

// flush sends the rows that have come, and settles them; last says that no others will come.
func (t *Target) flush(ctx context.Context, last bool) error {
	t.batch.Lock()
	defer t.batch.Unlock()
	t.batch.failed = t.flushLocked(ctx, last)
	close(t.batch.room)
	t.batch.room = make(chan struct{})
	return t.batch.failed
}

func (t *Target) flushLocked(ctx context.Context, last bool) error {
	if ctx.Err() != nil { // it may have ended when the last row came
		return ctx.Err()
	}
	if len(t.batch.settled) > 0 {
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
	for _, s := range t.batch.settled {
		if s.rows == 0 { // all were rejected
			continue
		}
		if err := s.piece.Written(s.rows, s.sum); err != nil {
			return err
		}
	}
	t.batch.settled, t.batch.ttls, t.batch.refused, t.batch.leftOut = nil, ttls{}, nil, nil
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

// deliver brings the sorted rows to their nodes.
func (t *Target) deliver(ctx context.Context) (err error) {
	tidy, err := t.tidy()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	t.batch.leftOut = t.batch.refused.clone()
	merges := t.batch.sorter.Merges()
	t.o.Progress.Stage.Deliver(0, 0, t.batch.bytes.Load())
	begun := t.o.Clock()
	d := newDelivery(ctx, &t.carrier, t.stamped(begun), t.batch.bytes.Load())
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
		t.tellOverdue(t.o.Clock().Sub(begun))
	}
	return t.delivered(d, Stats{Partitions: partitions, Spilled: t.batch.sorter.Spilled()}, err)
}
