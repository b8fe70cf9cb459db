package progress

import (
	"sync"
	"time"
)

// Reading is the state of a run's counters at a moment. As JSON it is a line of progress in a log,
// and what programs on one terminal exchange.
type Reading struct {
	At       time.Time `json:"at"`              // when it was taken
	Run      string    `json:"run"`             // the command and the table
	Rejected int64     `json:"rejected"`        // rows
	Failed   int64     `json:"failed_ranges"`   // token ranges given up
	Retries  int64     `json:"retries"`         // requests retried
	Share    *float64  `json:"share,omitempty"` // of the whole work, 0 to 1; nil: unknown
	Rows     int64     `json:"rows"`            // including those of an earlier run
	Earlier  int64     `json:"earlier_rows"`    // by an earlier run
	Ready    int64     `json:"ready_rows"`      // made or read, and written later
	// text written or read, including that of an earlier run
	Bytes        int64 `json:"text_bytes"`
	EarlierBytes int64 `json:"earlier_text_bytes"`
	// time that earlier processes of the run took
	EarlierSeconds float64 `json:"earlier_seconds,omitempty"`
	RowsPerSecond  float64 `json:"rows_per_second"`  // now, and of this run only
	BytesPerSecond float64 `json:"bytes_per_second"` // of text, now
	UnderWay       int64   `json:"requests_under_way"`
	Answered       int64   `json:"requests_answered"`
	// largest number of requests in flight, now; 0: no limit
	Limit int     `json:"requests_limit"`
	P50   float64 `json:"p50_seconds"` // of recent requests; 0: there were none
	P99   float64 `json:"p99_seconds"`
	// that the run keeps to; 0: none
	Target float64 `json:"target_p99_seconds,omitempty"`
	// measured for that target; 0: not known yet
	Held    float64    `json:"held_p99_seconds,omitempty"`
	Left    float64    `json:"left_seconds,omitempty"` // an estimate; 0: not known
	Streams []Streamed `json:"streams,omitempty"`      // what was streamed to nodes
	// for a run with stages: the part of Share that is complete
	Settled *float64 `json:"settled_share,omitempty"`
	// for a streaming run with stages
	Stage *Staged `json:"stage,omitempty"`
	// for a run that nodes stream to
	Receiving *Receiving `json:"receiving,omitempty"`
	// Trouble is why all requests so far have failed; empty: some have not.
	Trouble string `json:"trouble,omitempty"`
	// Silent is the nodes that answer no request; nil: there are none.
	Silent *Silence `json:"silent,omitempty"`
}

// Tick is the least time between two readings of Counters.Read. It is less than a second, the
// interval of its callers.
const Tick = 900 * time.Millisecond

// shared is the reading that all callers get.
type shared struct {
	mu    sync.Mutex
	meter *Meter // nil: before the first reading
	last  Reading
}

// Read returns a reading of the counters. All callers within a Tick get the same reading, so that
// the line, the page, the metrics and the run directory show the same figures. The first call
// begins the time of the run. The caller must not change the reading's lists.
func (c *Counters) Read(now time.Time) Reading { return c.read(now, Tick) }

// ReadNow returns a reading of this moment. Later callers of Read get it, too.
func (c *Counters) ReadNow(now time.Time) Reading { return c.read(now, 0) }

func (c *Counters) read(now time.Time, tick time.Duration) Reading {
	s := &c.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter == nil {
		s.meter = NewMeter("", c, now)
		s.last = s.meter.Read(now)
	}
	if age := now.Sub(s.last.At); age < 0 || age >= tick {
		s.last = s.meter.Read(now)
	}
	return s.last
}

// Meter reads counters repeatedly, to measure the speeds of the last Window. It belongs to one
// goroutine.
type Meter struct {
	run         string
	counters    *Counters
	rows, bytes speed
	stages      stageMeter
	receipt     receiptMeter
	left        timeLeft
	stagesLeft  stagesLeft
	receiptLeft receiptLeft
}

// NewMeter starts to read the counters of a run that began at begin.
func NewMeter(run string, c *Counters, begin time.Time) *Meter {
	m := &Meter{
		run:         run,
		counters:    c,
		stagesLeft:  stagesLeft{interval: interval{begin}},
		receiptLeft: receiptLeft{interval: interval{begin}, began: begin},
	}
	m.rows.begin(begin, 0)
	m.bytes.begin(begin, 0)
	m.receipt.begin(begin)
	m.left.begin(begin, 0)
	return m
}

// Read makes a reading.
func (m *Meter) Read(now time.Time) Reading {
	c := m.counters
	took := c.Took().Seconds()
	r := Reading{
		At:             now,
		Run:            m.run,
		Rejected:       c.Rejected.Load(),
		Failed:         c.Failed.Load(),
		Retries:        c.Retries.Load(),
		Rows:           c.Rows.Load(),
		Earlier:        c.Earlier.Load(),
		Bytes:          c.Bytes.Load(),
		EarlierBytes:   c.EarlierBytes.Load(),
		UnderWay:       c.Requests.UnderWay(),
		Answered:       c.Requests.Answered(),
		Limit:          c.Requests.Limit(),
		Streams:        c.Streams.List(),
		EarlierSeconds: time.Duration(c.EarlierTime.Load()).Seconds(),
	}
	// the run writes many rows at once, and these are all of them
	own, ready := r.Rows-r.Earlier, c.Ready.Load()
	unfinished := c.Unfinished.Load()
	r.Ready = max(ready-own, 0) + unfinished
	r.RowsPerSecond = m.rows.observe(now, float64(max(own, ready)+unfinished), Window)
	r.BytesPerSecond = m.bytes.observe(now, float64(r.Bytes-r.EarlierBytes), Window)
	reached := c.reached()
	r.Receiving = m.receipt.read(now, c.Receipt.Load(), reached.before)
	m.readStage(now, c.Stage.at(max(own, ready), reached), reached, &r)
	if took > 0 { // the run has ended: it has one speed
		r.RowsPerSecond, r.BytesPerSecond = float64(own)/took, float64(r.Bytes-r.EarlierBytes)/took
	}
	latency := c.Requests.Now(now)
	r.P50, r.P99 = latency.P50.Seconds(), latency.P99.Seconds()
	target, kept := c.Latency.Now()
	r.Target, r.Held = target.Seconds(), kept.P99.Seconds()
	if reached.known {
		share := min(reached.sent, 1)
		r.Share, r.Left = &share, m.leftOf(now, &r, reached)
	}
	if took > 0 {
		r.Left = 0
	}
	if c.Requests.AllFailed() {
		r.Trouble, r.Left = c.Reasons.last(), 0
	}
	if took == 0 {
		if r.Silent = c.Requests.Silence(now); r.Silent != nil && r.Silent.all {
			r.Left = 0 // the recent rate no longer holds
		}
	}
	return r
}

// readStage completes a reading with the stage of the run; nil: it has none. Rows and text have a
// speed while they are read.
func (m *Meter) readStage(now time.Time, s *Staged, at reached, r *Reading) {
	if r.Stage = s; s == nil {
		return
	}
	if at.known {
		r.Settled = &at.settled
	}
	m.stages.read(now, s, at)
	r.BytesPerSecond = 0 // text counts when its rows are loaded
	if r.RowsPerSecond = 0; s.Name == StageReading {
		r.RowsPerSecond = s.PerSecond
		s.Done += r.Earlier // its share includes the earlier run's, too
	}
}

// leftOf returns the seconds that are left of the run; 0: not known.
func (m *Meter) leftOf(now time.Time, r *Reading, at reached) float64 {
	plain := m.left.observe(now, at.sent-at.before, max(1-at.sent, 0))
	switch in := r.Receiving; {
	case r.Stage != nil:
		return m.stagesLeft.observe(now, r.Stage, at)
	case in != nil && in.Share != nil && !m.counters.Receipt.Load().Aside.Load():
		return m.receiptLeft.observe(now, in, at)
	default:
		return plain
	}
}

// LeftOf returns the estimated seconds that are left; 0: not known. It also returns the work that
// they are left for: empty for the whole run, else what the run does now, such as "receive".
func (r *Reading) LeftOf() (seconds float64, of string) {
	switch {
	case r.Left > 0:
		return r.Left, ""
	case r.Receiving != nil && r.Receiving.Left > 0:
		return r.Receiving.Left, "receive"
	case r.Stage != nil && r.Stage.Left > 0:
		return r.Stage.Left, stageVerbs[r.Stage.Name]
	default:
		return 0, ""
	}
}

// stageVerbs is what a run does in its stages.
var stageVerbs = map[string]string{
	StageReading: "read",
	StageSorting: "sort",
	StageMaking:  "make SSTables",
	StageSending: "send",
	StageWriting: "write",
}
