package progress

import (
	"sync/atomic"
	"time"
)

// Stage is what a load by streaming is doing: it reads a slice of the rows, sorts it, and sends or
// writes what it made of it, before it reads the next. The zero value is that of a run without
// stages. It is safe for concurrent use.
type Stage struct {
	last  atomic.Pointer[string] // name of the last one; nil: the run has no stages
	now   atomic.Int32
	done  atomic.Int64 // bytes of sorting and of the last stage
	total atomic.Int64
}

const (
	stageReading int32 = iota
	stageSorting
	stageLast
)

// Begin gives the run stages. last names the one after sorting: "sending" or "writing".
func (s *Stage) Begin(last string) { s.last.Store(&last) }

// Read enters the stage of reading.
func (s *Stage) Read() { s.now.Store(stageReading) }

// Deliver reports how much of a slice has been sorted, and how much sent or written, in bytes of
// total. The stage is that of sorting until all is sorted or something is sent.
func (s *Stage) Deliver(sorted, sent, total int64) {
	s.total.Store(total)
	if sent == 0 && sorted < total {
		s.done.Store(sorted)
		s.now.Store(stageSorting)
		return
	}
	s.done.Store(sent)
	s.now.Store(stageLast)
}

// Staged is a stage at a moment.
type Staged struct {
	Name      string  `json:"name"`  // reading, sorting, sending or writing
	Done      int64   `json:"done"`  // rows of reading, bytes of the others
	Total     int64   `json:"total"` // of those; 0: not known
	PerSecond float64 `json:"per_second"`
}

// at returns the stage; nil if the run has none. rows is the number that has been read.
func (s *Stage) at(rows int64) *Staged {
	last := s.last.Load()
	if last == nil {
		return nil
	}
	switch s.now.Load() {
	case stageReading:
		return &Staged{Name: "reading", Done: rows}
	case stageSorting:
		return &Staged{Name: "sorting", Done: s.done.Load(), Total: s.total.Load()}
	default:
		return &Staged{Name: *last, Done: s.done.Load(), Total: s.total.Load()}
	}
}

// Receipt counts what nodes stream to a run. It is safe for concurrent use.
type Receipt struct {
	Received  atomic.Int64 // bytes; those of a session that failed are taken back
	Announced atomic.Int64 // bytes, by the nodes that were asked before the run; 0: not known
	Nodes     atomic.Int64 // that send
	Limit     atomic.Int64 // bytes per second that a node sends at most, by its settings; 0: no limit, or not known
	Aside     atomic.Bool  // receiving is no part of the work that counts: the run is bounded by what it writes
}

// share returns the part of the announced bytes that has been received; false if it is not known.
func (r *Receipt) share() (float64, bool) {
	if r == nil || r.Announced.Load() == 0 || r.Aside.Load() {
		return 0, false
	}
	return min(float64(r.Received.Load())/float64(r.Announced.Load()), 1), true
}

// Receiving is a receipt at a moment.
type Receiving struct {
	Received  int64   `json:"received_bytes"`
	Announced int64   `json:"announced_bytes"` // 0: not known
	PerSecond float64 `json:"received_per_second"`
	// NodeLimit is bytes per second that a node sends at most, if that is what limits the run now; else 0.
	NodeLimit int64 `json:"node_limit,omitempty"`
}

// If a run receives about as much as the nodes may send together, between these parts of it, their
// limit is what it waits for. At first they send faster: the limit allows a burst.
const nearLimit, burst = 0.8, 1.25

// at returns the receipt with its speed; nil if nothing is received.
func (r *Receipt) at(perSecond float64) *Receiving {
	if r == nil {
		return nil
	}
	now := &Receiving{Received: r.Received.Load(), Announced: r.Announced.Load(), PerSecond: perSecond}
	limit := r.Limit.Load()
	allCame := now.Announced > 0 && now.Received >= now.Announced
	if all := float64(limit * r.Nodes.Load()); all > 0 && !allCame && nearLimit*all <= perSecond && perSecond <= burst*all {
		now.NodeLimit = limit
	}
	return now
}

// stageMeter measures the speeds of stages and receipts.
type stageMeter struct {
	name            string // of the stage that work is of
	work, receiving speed
}

// begin starts to measure a run.
func (m *stageMeter) begin(at time.Time) { m.receiving.begin(at, 0) }

// read completes a reading of a run that has read that many rows.
func (m *stageMeter) read(now time.Time, c *Counters, rows int64, r *Reading) {
	if receipt := c.Receipt.Load(); receipt != nil {
		r.Receiving = receipt.at(m.receiving.observe(now, float64(receipt.Received.Load()), Window))
	}
	if r.Stage = c.Stage.at(rows); r.Stage == nil {
		return
	}
	if r.Stage.Name != m.name { // the speed of another stage says nothing of this one
		m.name = r.Stage.Name
		m.work.begin(now, float64(r.Stage.Done))
	}
	r.Stage.PerSecond = m.work.observe(now, float64(r.Stage.Done), Window)
}
