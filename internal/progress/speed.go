package progress

import (
	"time"
)

// speed measures the recent speed of a count.
type speed struct{ samples []sample }

type sample struct {
	at time.Time
	n  float64
}

// begin starts to measure from a count at a time.
func (s *speed) begin(at time.Time, n float64) { s.samples = []sample{{at, n}} }

// observe records the count at a time, and returns the speed per second of the last window. If the
// clock went backward, the time of the last call counts.
func (s *speed) observe(now time.Time, n float64, window time.Duration) float64 {
	if last := s.samples[len(s.samples)-1].at; now.Before(last) {
		now = last
	}
	s.samples = append(s.samples, sample{now, n})
	for len(s.samples) > 2 && now.Sub(s.samples[0].at) > window {
		s.samples = s.samples[1:]
	}
	return s.since(window)
}

// since returns the speed per second of the window before the last count.
func (s *speed) since(window time.Duration) float64 {
	last := s.samples[len(s.samples)-1]
	for i, first := range s.samples {
		elapsed := last.at.Sub(first.at)
		if elapsed > window && i < len(s.samples)-2 {
			continue
		}
		if elapsed <= 0 {
			return 0
		}
		return max((last.n-first.n)/elapsed.Seconds(), 0)
	}
	return 0
}
