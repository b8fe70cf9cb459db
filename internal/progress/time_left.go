package progress

import (
	"math"
	"time"
)

// timeLeft estimates how long the rest of some work takes, by its recent speed.
type timeLeft struct {
	began time.Time
	from  float64 // the share at the beginning
	work  speed
	slow  float64 // seconds for the whole work, smoothed; 0: unknown
	at    time.Time
}

const (
	// leftFrom is how long a run, or a stage, must have lasted before the first estimate.
	leftFrom = 5 * time.Second
	// leastShare is the share of the work that the run must have done before that.
	leastShare = 0.001
	// shortWindow shows that a run has become slower, long before Window does.
	shortWindow = 4 * time.Second
	// smoothing is the time in which the estimate follows most of a change.
	smoothing = 2 * time.Second
)

// begin starts to measure from a share at a time.
func (l *timeLeft) begin(at time.Time, share float64) {
	*l = timeLeft{began: at, from: share, at: at}
	l.work.begin(at, share)
}

// observe records the share that is done, and returns the seconds that the rest takes; 0: unknown.
func (l *timeLeft) observe(now time.Time, share, rest float64) float64 {
	pace := l.work.observe(now, share, Window)
	pace = min(pace, l.work.since(shortWindow))
	past := now.Sub(l.at).Seconds()
	l.at = now
	switch {
	case now.Sub(l.began) < leftFrom || share-l.from < leastShare || pace == 0:
		l.slow = 0
		return 0
	case l.slow == 0 || past < 0:
		l.slow = 1 / pace
	default: // by times and not by speeds, so that a run that becomes slow shows it soon
		l.slow += (1/pace - l.slow) * (1 - math.Exp(-past/smoothing.Seconds()))
	}
	return rest * l.slow
}
