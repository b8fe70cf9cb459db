package board

import "time"

// pulseLocked fills in what a point tells besides the rows and the text: how the nodes answer, and
// what was streamed in the seconds since the last point.
func (w *Watch) pulseLocked(p *Point, now time.Time, seconds float64) {
	c := w.board.Counters
	latency := c.Requests.Now(now)
	_, kept := c.Held.Now()
	p.P50, p.P99, p.HeldP99 = latency.P50.Seconds(), latency.P99.Seconds(), kept.P99.Seconds()
	var streamed int64
	for _, node := range c.Streams.List() {
		streamed += node.Bytes
	}
	if receipt := c.Receipt.Load(); receipt != nil {
		streamed += receipt.Received.Load()
	}
	p.Streamed = float64(int64(float64(streamed-w.sent) / seconds))
	w.sent = streamed
}

// joined returns one point for two that follow each other: the mean of what they have, but the
// higher p99, which must not vanish from the chart of a long run.
func joined(a, b Point) Point {
	return Point{
		Seconds: b.Seconds, Rows: (a.Rows + b.Rows) / 2, Bytes: (a.Bytes + b.Bytes) / 2, Streamed: (a.Streamed + b.Streamed) / 2,
		P50: (a.P50 + b.P50) / 2, P99: max(a.P99, b.P99), HeldP99: max(a.HeldP99, b.HeldP99),
	}
}
