package progress

import (
	"math"
	"time"
)

// speed is that of the recent past.
type speed struct{ samples []sample }

type sample struct {
	at time.Time
	n  float64
}

// begin starts to measure from a count at a moment.
func (s *speed) begin(at time.Time, n float64) { s.samples = []sample{{at, n}} }

// observe takes in the count at a moment and returns the speed per second, measured since
// window ago. If the clock went backward, the moment counts as that of the last call.
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

// since returns the speed per second, measured since window before the last count.
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

// left guesses how long the rest of the work takes, by its present pace.
type left struct {
	work speed
	slow float64 // seconds for the whole work, smoothed; 0: not known
	at   time.Time
}

const (
	// leftFrom is the time of a run before which nothing is guessed.
	leftFrom = 5 * time.Second
	// leastShare is the part of the work that this run must have done before.
	leastShare = 0.001
	// shortWindow shows that a run has become slower, long before Window does.
	shortWindow = 4 * time.Second
	// smoothing is the time in which the guess takes on most of a change.
	smoothing = 2 * time.Second
)

// observe takes in the share of this run and of the whole, and returns the seconds that are
// left; 0 while there is too little to go by.
func (l *left) observe(now time.Time, elapsed time.Duration, own, whole float64) float64 {
	pace := l.work.observe(now, own, Window)
	pace = min(pace, l.work.since(shortWindow))
	past := now.Sub(l.at).Seconds()
	l.at = now
	switch {
	case elapsed < leftFrom || own < leastShare || pace == 0:
		l.slow = 0
		return 0
	case l.slow == 0 || past < 0:
		l.slow = 1 / pace
	default: // by times and not by paces, so that a run that becomes slow shows it soon
		l.slow += (1/pace - l.slow) * (1 - math.Exp(-past/smoothing.Seconds()))
	}
	return (1 - whole) * l.slow
}
