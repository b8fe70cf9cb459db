package board

import "github.com/cqlbulk/cqlbulk/internal/progress"

// total is what a run has done up to a moment. Points of the history are the differences of totals.
type total struct{ rows, bytes, streamed float64 }

// leastPoint is the shortest time in seconds that a point of the history covers.
const leastPoint = 0.5

// totalLocked returns what the run has done, without an earlier run's part. In a run with stages,
// rows count when they are read. Text does not count there, because it is completed all at once,
// long after that.
func (w *Watch) totalLocked(r progress.Reading) total {
	own := ownOf(r)
	t := total{rows: own[0] + float64(r.Ready), bytes: own[1]}
	for _, node := range r.Streams {
		t.streamed += float64(node.Bytes)
	}
	if r.Receiving != nil {
		t.streamed += float64(r.Receiving.Received)
	}
	if stage := &w.board.Counters.Stage; stage.Has() {
		t.bytes = 0
		if t.streamed == 0 { // the SSTables are written to a folder
			t.streamed = float64(stage.Moved())
		}
	}
	return t
}

// pointLocked adds a point to the history. A point covers the time since the point before. last
// marks the last point: if it would cover little time, it is merged with the point before.
func (w *Watch) pointLocked(r progress.Reading, last bool) {
	at := r.At.Sub(w.began).Seconds()
	if took := w.board.Counters.Took().Seconds(); took > 0 { // the work had ended then
		at = max(min(at, took), w.lastAt)
	}
	now := w.totalLocked(r)
	if at-w.lastAt < leastPoint {
		if !last || len(w.history) == 0 || at <= w.lastAt {
			return
		}
		w.history = w.history[:len(w.history)-1]
		w.last, w.lastAt = w.before, w.beforeAt
	}
	seconds := at - w.lastAt
	// what failed is subtracted
	rate := func(now, before float64) float64 {
		return float64(int64(max(now-before, 0) / seconds))
	}
	w.history = append(w.history, Point{
		Seconds: round(
			at,
		),
		Rows:     rate(now.rows, w.last.rows),
		Bytes:    rate(now.bytes, w.last.bytes),
		Streamed: rate(now.streamed, w.last.streamed),
		P50:      r.P50,
		P99:      r.P99,
		HeldP99:  r.Held,
	})
	w.before, w.beforeAt, w.last, w.lastAt = w.last, w.lastAt, now, at
	if len(w.history) < points {
		return
	}
	half := w.history[:0]
	for i := 0; i+1 < len(w.history); i += 2 {
		half = append(half, joined(w.history[i], w.history[i+1]))
	}
	w.history, w.step = half, 2*w.step
}

// joined returns one point for two that follow each other. It has the mean of their values, but the
// higher p99, which must not vanish from the chart of a long run.
func joined(a, b Point) Point {
	return Point{
		Seconds:  b.Seconds,
		Rows:     (a.Rows + b.Rows) / 2,
		Bytes:    (a.Bytes + b.Bytes) / 2,
		Streamed: (a.Streamed + b.Streamed) / 2,
		P50:      (a.P50 + b.P50) / 2,
		P99:      max(a.P99, b.P99),
		HeldP99:  max(a.HeldP99, b.HeldP99),
	}
}
