package board

import "github.com/cqlbulk/cqlbulk/internal/progress"

// pulseLocked fills in what a point tells besides the rows and the text: how the nodes answer, and
// what was streamed, to them or from them, in the seconds since the last point.
func (w *Watch) pulseLocked(p *Point, r progress.Reading, seconds float64) {
	p.P50, p.P99, p.HeldP99 = r.P50, r.P99, r.Held
	var streamed int64
	for _, node := range r.Streams {
		streamed += node.Bytes
	}
	if r.Receiving != nil {
		streamed += r.Receiving.Received
	}
	p.Streamed = max(float64(int64(float64(streamed-w.sent)/seconds)), 0) // a session that failed is taken back
	w.sent = streamed
	if s := r.Stage; s != nil { // text and files count when they are whole: the stage knows what moves now
		p.Bytes = 0
		if r.Receiving == nil {
			p.Streamed = 0
		}
		if s.Name == "sending" || s.Name == "writing" {
			p.Streamed = float64(int64(s.PerSecond))
		}
	}
}

// joined returns one point for two that follow each other: the mean of what they have, but the
// higher p99, which must not vanish from the chart of a long run.
func joined(a, b Point) Point {
	return Point{
		Seconds: b.Seconds, Rows: (a.Rows + b.Rows) / 2, Bytes: (a.Bytes + b.Bytes) / 2, Streamed: (a.Streamed + b.Streamed) / 2,
		P50: (a.P50 + b.P50) / 2, P99: max(a.P99, b.P99), HeldP99: max(a.HeldP99, b.HeldP99),
	}
}
