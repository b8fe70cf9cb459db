package progress

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is how long requests took. Both values are 0 if there were none.
type Latency struct {
	Requests int64 // number of requests that were answered
	P50, P99 time.Duration
}

// longest is the longest latency that is recorded. A longer one counts as that.
const longest = 10 * time.Minute

// latencyOf reads a histogram of microseconds.
func latencyOf(h *hdrhistogram.Histogram) Latency {
	at := func(percent float64) time.Duration {
		return time.Duration(h.ValueAtPercentile(percent)) * time.Microsecond
	}
	return Latency{h.TotalCount(), at(50), at(99)}
}

// record records a latency.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	// the only error is that of a value out of range
	_ = h.RecordValue(min(max(d.Microseconds(), 1), longest.Microseconds()))
}

// newHistogram makes a histogram of latencies from a microsecond on, with a precision of digits.
func newHistogram(digits int) *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), digits)
}

// Window is the time that recent latencies and speeds cover.
const Window = 10 * time.Second

// The window consists of this many parts. When a new part begins, the oldest is dropped. A node's
// parts take some kilobytes, with one digit, which is precise to 6 %.
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

// advance drops the parts that are out of the window.
func (r *recent) advance(now time.Time) {
	past := int(now.Sub(r.begin) / windowPart)
	for range min(past, windowParts) {
		r.parts.Rotate()
	}
	if past > 0 {
		r.begin = r.begin.Add(time.Duration(past) * windowPart)
	}
}
