package progress

import (
	"sync/atomic"
	"time"
)

// Receipt counts what nodes stream to a run. It is safe for concurrent use.
type Receipt struct {
	Received  atomic.Int64 // in bytes, without those of sessions that failed
	Announced atomic.Int64 // in bytes, by the nodes that were asked before the run; 0: unknown
	Nodes     atomic.Int64 // that send data
	// bytes per second that a node sends at most, by its settings; 0: no limit, or unknown
	Limit atomic.Int64
	All   atomic.Bool // everything was received
	// the speed of receiving does not determine that of the run, because what it writes does
	Aside atomic.Bool
}

// share returns the share that has been received; false: unknown.
func (r *Receipt) share() (float64, bool) {
	switch {
	case r == nil:
		return 0, false
	case r.All.Load():
		return 1, true
	case r.Announced.Load() == 0:
		return 0, false
	}
	return min(float64(r.Received.Load())/float64(r.Announced.Load()), 1), true
}

// Receiving is the state of a Receipt at a moment.
type Receiving struct {
	Received  int64 `json:"received_bytes"`
	Announced int64 `json:"announced_bytes"` // 0: unknown
	// of the whole work, including an earlier run's share; nil: unknown
	Share     *float64 `json:"received_share,omitempty"`
	All       bool     `json:"received_all"`        // nothing more is received
	PerSecond float64  `json:"received_per_second"` // 0 once everything is received
	Left      float64  `json:"receiving_left_seconds,omitempty"`
	// NodeLimit is the number of bytes per second that a node sends at most, if that limits the run
	// now; else 0.
	NodeLimit int64 `json:"node_limit,omitempty"`
}

// If a run receives between these shares of what all nodes may send together, it is their limit
// that it waits for. At first they send faster, since the limit allows a burst.
const nearLimit, burst = 0.8, 1.25

// receiptMeter measures the speed of a receipt.
type receiptMeter struct {
	bytes speed
	left  timeLeft
}

func (m *receiptMeter) begin(at time.Time) {
	m.bytes.begin(at, 0)
	m.left.begin(at, 0)
}

// read returns the receipt with its speed; nil: nothing is received. before is the share of the
// whole work that an earlier run did.
func (m *receiptMeter) read(now time.Time, r *Receipt, before float64) *Receiving {
	if r == nil {
		return nil
	}
	in := &Receiving{Received: r.Received.Load(), Announced: r.Announced.Load(), All: r.All.Load()}
	share, known := r.share()
	if known {
		whole := before + (1-before)*share
		in.Share = &whole
	}
	perSecond := m.bytes.observe(now, float64(in.Received), Window)
	if in.All { // the estimate before the run was a little too high or too low
		in.Announced = in.Received
		return in
	}
	in.PerSecond = perSecond
	if known && !r.Aside.Load() {
		in.Left = m.left.observe(now, share, 1-share)
	}
	limit := r.Limit.Load()
	if all := float64(
		limit * r.Nodes.Load(),
	); all > 0 && nearLimit*all <= perSecond &&
		perSecond <= burst*all {
		in.NodeLimit = limit
	}
	return in
}
