// Package progress is the set of counters of a run. The pipelines add to it, and the printers
// (package printer) read it.
package progress

import (
	"sync/atomic"
	"time"
)

// Counters are the figures of a run so far. All fields are safe for concurrent use.
type Counters struct {
	Rows atomic.Int64 // rows written to the output, acknowledged by the cluster, or counted
	// those of the rows that an earlier run had done, which this one resumes
	Earlier atomic.Int64
	// rows of this run that are made, and will be written later, all at once
	Ready atomic.Int64
	// rows read of unfinished partitions, which are not in the output yet
	Unfinished   atomic.Int64
	Bytes        atomic.Int64 // bytes of text written or read
	EarlierBytes atomic.Int64 // those of the bytes that an earlier run had done
	EarlierTime  atomic.Int64 // time that earlier processes of the run took, in nanoseconds
	// units of work done: of the ring (package sweep), or bytes of a load's input
	Done   atomic.Int64
	Before atomic.Int64 // those of the units that an earlier run had done
	// units of work in total, including those of an earlier run; 0: unknown
	Total atomic.Int64
	// rows, including rejected ones, after which the run ends; 0: no limit
	Limit    atomic.Int64
	Retries  atomic.Int64 // requests retried
	Reasons  Reasons      // of the retries
	Failed   atomic.Int64 // token ranges given up
	Rejected atomic.Int64 // rows rejected
	Streams  Streams      // what was streamed to nodes
	Requests Requests     // to nodes
	Slice    Slice        // work in progress of a load or a clone by streaming
	Stage    Stage        // of such a run
	// Receipt counts what nodes stream to the run; nil: nothing.
	Receipt atomic.Pointer[Receipt]
	Latency LatencyTarget // latency of the nodes that the run keeps to
	Hint    Hint          // what would make the run faster

	took   atomic.Int64 // nanoseconds; see End
	shared shared       // the reading of all callers
}

// End records how long the run took from its first request, when it has ended. The speeds of the
// run as a whole are based on that. Work in progress does not count as done.
func (c *Counters) End(took time.Duration) {
	c.Slice.drop()
	c.Stage.end()
	c.took.Store(int64(took)) // last: a reading of a run that has ended has no stage
}

// Took returns the time that was passed to End; 0: the run is in progress.
func (c *Counters) Took() time.Duration { return time.Duration(c.took.Load()) }

// Share returns the share of the work that is done, 0 to 1; false: the total is unknown. For a
// streaming run, work is done when it was sent or written, and not when it was read or received. A
// run with a limit of rows ends at the limit or at the end of its work, whichever comes first. So
// the share is the larger of the two.
func (c *Counters) Share() (float64, bool) {
	reached := c.reached()
	if !reached.known {
		return 0, false
	}
	return min(reached.sent, 1), true
}

// reached is how far a run is with each kind of work: shares of the whole work, 0 to 1. In a run
// without a slice they are all the same.
type reached struct {
	known              bool
	read, sorted, sent float64
	settled            float64 // without the slice, which a later run would repeat
	before             float64 // of an earlier run
}

// almost is just less than all. It is shown as 99.9%.
const almost = 1 - 1e-6

// reached returns how far the run is.
func (c *Counters) reached() (r reached) {
	done, read, sorted, sent := c.Slice.reached(&c.Done)
	if total := float64(c.Total.Load()); total > 0 {
		r = reached{
			true,
			read / total,
			sorted / total,
			sent / total,
			done / total,
			float64(c.Before.Load()) / total,
		}
	}
	if read > done { // nothing of the slice is in place before the slice ends
		defer func() { r.sent = min(r.sent, almost) }()
	}
	limit := float64(c.Limit.Load())
	if limit <= 0 {
		return r
	}
	earlier := c.Earlier.Load()
	rows := float64(c.Rows.Load() + c.Rejected.Load())
	ready := max(float64(c.Ready.Load()-(c.Rows.Load()-earlier)), 0)
	part := func(n float64) float64 { // of the rows in progress
		if read <= done {
			return 0
		}
		return ready * (n - done) / (read - done)
	}
	r.known = true
	r.read = max(r.read, (rows+ready)/limit)
	r.sorted = max(r.sorted, (rows+part(sorted))/limit)
	r.sent = max(r.sent, (rows+part(sent))/limit)
	r.settled = max(r.settled, rows/limit)
	r.before = max(r.before, float64(earlier)/limit)
	return r
}
