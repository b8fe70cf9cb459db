// Package progress is the one set of counters that a run keeps. The pipelines
// add to it; the printers (package printer) read it.
package progress

import (
	"sync/atomic"
	"time"
)

// Counters are what a run has done so far. All fields are safe for concurrent use.
type Counters struct {
	Rows atomic.Int64 // rows written to the output, acknowledged by the cluster, or counted
	// of those rows, what an earlier run had done that this one goes on with
	Earlier atomic.Int64
	// rows of this run that are made, where they are written later and all at once
	Ready atomic.Int64
	// rows read of partitions that are not at their end, which are not in the output yet
	Unfinished   atomic.Int64
	Bytes        atomic.Int64 // bytes of text written out or read in
	EarlierBytes atomic.Int64 // of those bytes, what an earlier run had done
	EarlierTime  atomic.Int64 // nanoseconds that earlier processes of the run took
	// units of work done: of the ring (package sweep), or bytes of the input of a load
	Done   atomic.Int64
	Before atomic.Int64 // of those units, what an earlier run had done
	// units of work in all, those of an earlier run among them; 0 while unknown
	Total atomic.Int64
	// rows after which the run ends, rejected ones among them; 0: no limit
	Limit    atomic.Int64
	Retries  atomic.Int64 // requests sent again
	Reasons  Reasons      // why they were
	Failed   atomic.Int64 // token ranges given up
	Rejected atomic.Int64 // rows rejected
	Streams  Streams      // what nodes were streamed
	Requests Requests     // that nodes are sent
	Slice    Slice        // work that a load or a clone by streaming has under way
	Stage    Stage        // of such a run
	// Receipt counts what nodes stream to the run; nil: they do not.
	Receipt atomic.Pointer[Receipt]
	Latency LatencyTarget // a latency of theirs that the run keeps to
	Hint    Hint          // what would make the run faster

	took   atomic.Int64 // nanoseconds; see End
	shared shared       // the reading that everything shows
}

// End records how long the run took from its first request, once it is over. Every speed of the run
// as a whole goes by that. What was under way does not count as done.
func (c *Counters) End(took time.Duration) {
	c.Slice.drop()
	c.Stage.end()
	c.took.Store(int64(took)) // last: a reading of a run that is over has no stage
}

// Took is what End was told; 0: the run is under way.
func (c *Counters) Took() time.Duration { return time.Duration(c.took.Load()) }

// Share returns the part of the work that is done, 0 to 1; false while the total is unknown. Of a
// run by streaming, that is what nodes were sent or what was written, and not what was read or
// received. A run with a limit of rows ends at the limit or at the end of its work, whichever comes
// first: the share is the larger of the two.
func (c *Counters) Share() (float64, bool) {
	reached := c.reached()
	if !reached.known {
		return 0, false
	}
	return min(reached.sent, 1), true
}

// reached is how far the kinds of work of a run are: parts of the whole work, 0 to 1. A run without
// a slice does all of them at once.
type reached struct {
	known              bool
	read, sorted, sent float64
	settled            float64 // without the slice, which a later run would do again
	before             float64 // by an earlier run
}

// almost is what is not all, and is shown as 99.9%.
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
	if read > done { // what was sent is not all there before the slice ends
		defer func() { r.sent = min(r.sent, almost) }()
	}
	limit := float64(c.Limit.Load())
	if limit <= 0 {
		return r
	}
	earlier := c.Earlier.Load()
	rows := float64(c.Rows.Load() + c.Rejected.Load())
	ready := max(float64(c.Ready.Load()-(c.Rows.Load()-earlier)), 0)
	part := func(n float64) float64 { // of the rows that are under way
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
