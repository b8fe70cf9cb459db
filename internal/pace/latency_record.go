package pace

import (
	"slices"
	"time"
)

// LatencyRecord is how well a latency target was kept, second by second.
type LatencyRecord struct {
	Idle    time.Duration // largest p99 of a second before the first request; 0: not known
	P99     time.Duration // of the last complete second; 0: there was none
	Seconds int           // seconds with requests and probes
	Above   int           // those in which the p99 was above the target
	Worst   time.Duration // p99 of the worst of them
	WorstAt time.Time     // when that second began
}

// secondRecorder groups probes by the second in which they ended.
type secondRecorder struct {
	target  time.Duration
	start   time.Time // of the current second; zero: before the first probe
	samples []time.Duration
	begun   bool
	record  LatencyRecord
}

// maxSamples bounds the number of probes of a second that are kept.
const maxSamples = 4096

// begin ends the time before the first request.
func (s *secondRecorder) begin() {
	if len(s.samples) > 0 {
		s.record.Idle = max(s.record.Idle, percentile99(s.samples))
	}
	s.begun, s.start, s.samples = true, time.Time{}, s.samples[:0]
}

// add records a probe that ended now.
func (s *secondRecorder) add(now time.Time, latency time.Duration) {
	if s.start.IsZero() {
		s.start = now
	}
	if now.Sub(s.start) >= time.Second {
		s.end()
		s.start = now
	}
	if len(s.samples) < maxSamples {
		s.samples = append(s.samples, latency)
	}
}

// end records the p99 of the current second.
func (s *secondRecorder) end() {
	if len(s.samples) == 0 {
		return
	}
	p99 := percentile99(s.samples)
	start := s.start
	s.samples = s.samples[:0]
	if !s.begun {
		s.record.Idle = max(s.record.Idle, p99)
		return
	}
	r := &s.record
	r.P99 = p99
	r.Seconds++
	if p99 > s.target {
		r.Above++
	}
	if p99 > r.Worst {
		r.Worst, r.WorstAt = p99, start
	}
}

// percentile99 sorts the samples and returns the nearest-rank p99: the smallest sample that at
// least 99 % of them do not exceed.
func percentile99(samples []time.Duration) time.Duration {
	slices.Sort(samples)
	return samples[(len(samples)*99+99)/100-1]
}
