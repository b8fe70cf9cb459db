// Package progress is the one set of counters that a run keeps. The pipelines
// add to it; the printers (package printer) read it.
package progress

import "sync/atomic"

// Counters are what a run has done so far. All fields are safe for concurrent use.
type Counters struct {
	Rows     atomic.Int64 // rows written to the output, acknowledged by the cluster, or counted
	Earlier  atomic.Int64 // of those rows, what an earlier run had done that this one goes on with
	Bytes    atomic.Int64 // bytes of text written out or read in
	Done     atomic.Int64 // units of work done: token ranges of a scan, bytes of the input of a load
	Total    atomic.Int64 // units of work in all; 0 while unknown
	Retries  atomic.Int64 // requests sent again
	Failed   atomic.Int64 // token ranges given up
	Rejected atomic.Int64 // rows rejected
}

// Share is the part of the work that is done, 0 to 1; false while the total is
// unknown.
func (c *Counters) Share() (float64, bool) {
	total := c.Total.Load()
	if total <= 0 {
		return 0, false
	}
	return min(float64(c.Done.Load())/float64(total), 1), true
}
