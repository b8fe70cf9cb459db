package progress

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is how long requests took. Both are 0 where there was none.
type Latency struct {
	Requests int64 // that were answered
	P50, P99 time.Duration
}

// longest is the longest latency that is told apart; a longer one counts as that.
const longest = 10 * time.Minute

// latencyOf reads a histogram of microseconds.
func latencyOf(h *hdrhistogram.Histogram) Latency {
	at := func(percent float64) time.Duration {
		return time.Duration(h.ValueAtPercentile(percent)) * time.Microsecond
	}
	return Latency{h.TotalCount(), at(50), at(99)}
}

// record notes a latency.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	// The only error is that of a value out of range.
	_ = h.RecordValue(min(max(d.Microseconds(), 1), longest.Microseconds()))
}

// newHistogram tells latencies apart from a microsecond on, to so many digits.
func newHistogram(digits int) *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), digits)
}

// Window is how far back the latencies of now reach.
const Window = 10 * time.Second

// The window is this many parts, of which the oldest is forgotten as a new one begins. A
// node's take some kilobytes, for one digit, which is precise to 6 %.
const (
	windowParts  = 5
	windowPart   = Window / windowParts
	windowDigits = 1
)

// recent keeps the latencies of the window.
type recent struct {
	parts *hdrhistogram.WindowedHistogram
	begin time.Time // of the newest part
}

func newRecent(now time.Time) *recent {
	return &recent{
		hdrhistogram.NewWindowed(windowParts, 1, longest.Microseconds(), windowDigits),
		now,
	}
}

// advance forgets what is past.
func (r *recent) advance(now time.Time) {
	past := int(now.Sub(r.begin) / windowPart)
	for range min(past, windowParts) {
		r.parts.Rotate()
	}
	if past > 0 {
		r.begin = r.begin.Add(time.Duration(past) * windowPart)
	}
}
