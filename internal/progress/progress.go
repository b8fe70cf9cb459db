// Package progress is the one set of counters that a run keeps. The pipelines
// add to it; the printers (package printer) read it.
package progress

import (
	"sync/atomic"
	"time"
)

// Counters are what a run has done so far. All fields are safe for concurrent use.
type Counters struct {
	Rows         atomic.Int64 // rows written to the output, acknowledged by the cluster, or counted
	Earlier      atomic.Int64 // of those rows, what an earlier run had done that this one goes on with
	Ready        atomic.Int64 // rows of this run that are made, where they are written later and all at once
	Half         atomic.Int64 // units of work that such rows are, counted as done by half, and more while Part grows
	Part         atomic.Int64 // of the rest of those units what is done as well, in millionths
	Bytes        atomic.Int64 // bytes of text written out or read in
	EarlierBytes atomic.Int64 // of those bytes, what an earlier run had done
	Done         atomic.Int64 // units of work done: of the ring (package sweep), or bytes of the input of a load
	Before       atomic.Int64 // of those units, what an earlier run had done
	Total        atomic.Int64 // units of work in all, those of an earlier run among them; 0 while unknown
	Limit        atomic.Int64 // rows after which the run ends, rejected ones among them; 0: no limit
	Retries      atomic.Int64 // requests sent again
	Reasons      Reasons      // why they were
	Failed       atomic.Int64 // token ranges given up
	Rejected     atomic.Int64 // rows rejected
	Streams      Streams      // what nodes were streamed
	Requests     Requests     // that nodes are sent
	Stage        Stage        // of a load by streaming
	// Receipt counts what nodes stream to the run; nil: they do not.
	Receipt atomic.Pointer[Receipt]
	Held    Held // a latency of theirs that the run keeps to

	took   atomic.Int64 // nanoseconds; see End
	shared shared       // the reading that everything shows
}

// End says how long the run took, from its first request on, once it is over. All that tell its speed
// as a whole go by that.
func (c *Counters) End(took time.Duration) { c.took.Store(int64(took)) }

// Took is what End was told; 0: the run is under way.
func (c *Counters) Took() time.Duration { return time.Duration(c.took.Load()) }

// Whole is the most that Part is.
const Whole = 1_000_000

// Share returns the part of the work that is done, 0 to 1; false while the total is
// unknown. A run with a limit of rows ends at the limit or at the end of its work,
// whichever comes first: the share is the larger of the two.
func (c *Counters) Share() (float64, bool) { return c.share(0, 0) }

// ownShare returns the part of the whole work that this run has done, without an earlier one.
func (c *Counters) ownShare() float64 {
	share, _ := c.share(float64(c.Before.Load()), c.Earlier.Load())
	return share
}

// share returns the share without some units of work and rows.
func (c *Counters) share(before float64, earlier int64) (share float64, known bool) {
	if total := c.Total.Load(); total > 0 {
		share, known = max((c.reached()-before)/float64(total), 0), true
	}
	if limit := c.Limit.Load(); limit > 0 {
		rows := c.Rows.Load() + c.Rejected.Load() - earlier
		share, known = max(share, float64(rows)/float64(limit)), true
	}
	return min(share, 1), known
}

// receivedShare is the share of receiving in the work of a run that nodes stream to. What is
// received is decoded, or sent on, meanwhile; either may be the slower.
const receivedShare = 0.5

// reached is how many units of work are done, those by half as such.
func (c *Counters) reached() float64 {
	half := float64(c.Half.Load()) / 2
	done := float64(c.Done.Load()) + half + half*float64(c.Part.Load())/Whole
	received, known := c.Receipt.Load().share()
	if !known {
		return done
	}
	before := float64(c.Before.Load())
	return done - (done-before)*receivedShare + (float64(c.Total.Load())-before)*received*receivedShare
}
