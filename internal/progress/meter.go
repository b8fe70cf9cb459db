package progress

import "time"

// Reading is where a run stands at a moment. Its form as JSON is that of the lines of
// progress in a log, and what programs on one terminal tell each other.
type Reading struct {
	Run            string     `json:"run"`              // the command and the table
	Rejected       int64      `json:"rejected"`         // rows
	Failed         int64      `json:"failed_ranges"`    // token ranges given up
	Retries        int64      `json:"retries"`          // requests sent again
	Share          *float64   `json:"share,omitempty"`  // of the whole work, 0 to 1; nil: unknown
	Rows           int64      `json:"rows"`             // of the whole, those of an earlier run among them
	Earlier        int64      `json:"earlier_rows"`     // by an earlier run
	Ready          int64      `json:"ready_rows"`       // made, and written later, all at once
	RowsPerSecond  float64    `json:"rows_per_second"`  // of now, and of this run alone
	BytesPerSecond float64    `json:"bytes_per_second"` // of text, of now
	UnderWay       int64      `json:"requests_under_way"`
	Limit          int        `json:"requests_limit"` // of those, now; 0: none
	P50            float64    `json:"p50_seconds"`    // of requests of now; 0: there were none
	P99            float64    `json:"p99_seconds"`
	Target         float64    `json:"target_p99_seconds,omitempty"` // that the run keeps to; 0: none
	Held           float64    `json:"held_p99_seconds,omitempty"`   // that is measured there; 0: not yet known
	Left           float64    `json:"left_seconds,omitempty"`       // a guess; 0: there is too little to go by
	Streams        []Streamed `json:"streams,omitempty"`            // what nodes were streamed
	Stage          *Staged    `json:"stage,omitempty"`              // of a run by streaming that has stages
	Receiving      *Receiving `json:"receiving,omitempty"`          // of a run that nodes stream to
	Trouble        string     `json:"trouble,omitempty"`            // why all requests so far have failed; empty: not all have
}

// Meter reads counters as time goes by, for what is of now: speeds of the last Window. It
// belongs to one goroutine.
type Meter struct {
	run         string
	counters    *Counters
	begin       time.Time
	rows, bytes speed
	stages      stageMeter
}

// NewMeter begins to read the counters of a run that began at begin.
func NewMeter(run string, c *Counters, begin time.Time) *Meter {
	m := &Meter{run: run, counters: c, begin: begin}
	m.rows.begin(begin)
	m.bytes.begin(begin)
	m.stages.begin(begin)
	return m
}

// Read takes a reading.
func (m *Meter) Read(now time.Time) Reading {
	c := m.counters
	r := Reading{
		Run: m.run, Rejected: c.Rejected.Load(), Failed: c.Failed.Load(), Retries: c.Retries.Load(),
		Rows: c.Rows.Load(), Earlier: c.Earlier.Load(), UnderWay: c.Requests.UnderWay(), Limit: c.Requests.Limit(),
		Streams: c.Streams.List(),
	}
	own, ready := r.Rows-r.Earlier, c.Ready.Load() // which are all rows, of a run that writes many at once
	r.Ready = max(ready-own, 0)
	r.RowsPerSecond = m.rows.observe(now, max(own, ready))
	r.BytesPerSecond = m.bytes.observe(now, c.Bytes.Load()-c.EarlierBytes.Load())
	m.stages.read(now, c, max(own, ready), &r)
	latency := c.Requests.Now(now)
	r.P50, r.P99 = latency.P50.Seconds(), latency.P99.Seconds()
	target, kept := c.Held.Now()
	r.Target, r.Held = target.Seconds(), kept.P99.Seconds()
	if share, ok := c.Share(); ok {
		r.Share = &share
	}
	if c.Requests.AllFailed() {
		r.Trouble = c.Reasons.last()
	} else if left, ok := c.Left(now.Sub(m.begin)); ok {
		r.Left = left.Seconds()
	}
	return r
}

// speed is that of the last Window.
type speed struct{ samples []sample }

type sample struct {
	at time.Time
	n  int64
}

func (s *speed) begin(at time.Time) { s.samples = []sample{{at: at}} }

// observe takes in the count at a moment and gives the speed per second.
func (s *speed) observe(now time.Time, n int64) float64 {
	s.samples = append(s.samples, sample{now, n})
	for len(s.samples) > 2 && now.Sub(s.samples[0].at) > Window {
		s.samples = s.samples[1:]
	}
	first := s.samples[0]
	elapsed := now.Sub(first.at).Seconds()
	if elapsed <= 0 {
		return 0
	}
	return max(float64(n-first.n)/elapsed, 0)
}
