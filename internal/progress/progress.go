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
}

// Whole is the most that Part is.
const Whole = 1_000_000

// Share is the part of the work that is done, 0 to 1; false while the total is
// unknown.
func (c *Counters) Share() (float64, bool) {
	total := c.Total.Load()
	if total <= 0 {
		return 0, false
	}
	return min(c.reached()/float64(total), 1), true
}

// The share of receiving in the work of a run that nodes stream to: their limits and the network
// are slower than decoding. A clone sends as much as it receives.
const (
	receivedShare = 0.9
	clonedShare   = 0.5
)

// reached is how many units of work are done, those by half as such.
func (c *Counters) reached() float64 {
	half := float64(c.Half.Load()) / 2
	done := float64(c.Done.Load()) + half + half*float64(c.Part.Load())/Whole
	received, known := c.Receipt.Load().share()
	if !known {
		return done
	}
	share, before := receivedShare, float64(c.Before.Load())
	if c.Stage.last.Load() != nil {
		share = clonedShare
	}
	return done - (done-before)*share + (float64(c.Total.Load())-before)*received*share
}

// Left guesses how long the rest of the work takes that this run began so long ago, by
// the pace of this run alone; false while there is too little to go by.
func (c *Counters) Left(elapsed time.Duration) (time.Duration, bool) {
	total, before := float64(c.Total.Load()), float64(c.Before.Load())
	done := c.reached()
	own := done - before
	if elapsed < time.Second || done >= total || own < leastShare*(total-before) {
		return 0, false
	}
	return time.Duration(float64(elapsed) * (total - done) / own), true
}

// leastShare is the part of a run's work from which its pace is told.
const leastShare = 0.001
