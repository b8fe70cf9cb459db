package web

import (
	"encoding/json"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// figure is a chart of the page.
type figure struct {
	Name  string // by which the script knows its series
	Title string
	Text  string // what the chart shows, in words
}

// leastBytes is the number of bytes per second from which there is a chart of them.
const leastBytes = 10 << 10

// figuresOf returns the charts that have something to show.
func figuresOf(s board.State) []figure {
	if len(s.History) < 2 {
		return nil
	}
	var rows, bytes, streamed, p99, held float64
	for _, p := range s.History {
		rows, bytes, streamed = max(rows, p.Rows), max(bytes, p.Bytes), max(streamed, p.Streamed)
		p99, held = max(p99, p.P99), max(held, p.HeldP99)
	}
	over := " over " + seconds(s.History[len(s.History)-1].Seconds)
	var all []figure
	if rows > 0 {
		all = append(
			all,
			figure{"rows", "Rows per second", "highest " + human.Count(int64(rows)) + over},
		)
	}
	if max(bytes, streamed) >= leastBytes {
		title := "MiB per second"
		if mib(streamed) == 0 {
			title = "MiB of text per second"
		} else if mib(bytes) == 0 {
			title = "MiB streamed per second"
		}
		all = append(
			all,
			figure{
				"bytes",
				title,
				"highest " + human.Size(int64(max(bytes, streamed))) + "/s" + over,
			},
		)
	}
	if p99 > 0 || held > 0 {
		text := ""
		if p99 > 0 {
			text = "p99 of requests: highest " + latency(p99)
		}
		if s.TargetP99 > 0 {
			if text != "" {
				text += "; "
			}
			text += "target " + latency(s.TargetP99) + " for small reads, highest " + latency(held)
		}
		all = append(all, figure{"latency", "Latency in milliseconds", text + over})
	}
	return all
}

// series are the columns of the charts, as the script takes them.
type series struct {
	Seconds  []float64 `json:"t"`
	Rows     []float64 `json:"rows"`
	Bytes    []float64 `json:"bytes"`
	Streamed []float64 `json:"streamed"`
	P50      []float64 `json:"p50"` // milliseconds, as the next ones; 0: none
	P99      []float64 `json:"p99"`
	Held     []float64 `json:"held"`
	Target   float64   `json:"target"` // 0: none
	Over     bool      `json:"over"`   // the run is over: the highest values stand below a chart, not the last ones
}

// seriesOf returns the history of a run as JSON.
func seriesOf(s board.State) (string, error) {
	all := series{Target: tenth(1000 * s.TargetP99), Over: s.Phase.Over()}
	milli := func(f float64) float64 { return hundredth(f * 1000) }
	for _, p := range s.History {
		all.Seconds, all.Rows = append(all.Seconds, tenth(p.Seconds)), append(all.Rows, p.Rows)
		all.Bytes, all.Streamed = append(
			all.Bytes,
			mib(p.Bytes),
		), append(
			all.Streamed,
			mib(p.Streamed),
		)
		all.P50, all.P99, all.Held = append(
			all.P50,
			milli(p.P50),
		), append(
			all.P99,
			milli(p.P99),
		), append(
			all.Held,
			milli(p.HeldP99),
		)
	}
	text, err := json.Marshal(all)
	return string(text), err
}

func mib(bytes float64) float64   { return hundredth(bytes / (1 << 20)) }
func tenth(f float64) float64     { return float64(int64(f*10+0.5)) / 10 }
func hundredth(f float64) float64 { return float64(int64(f*100+0.5)) / 100 }
