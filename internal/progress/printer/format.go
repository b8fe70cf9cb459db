package printer

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Count writes a number with commas between the thousands.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > first && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

// Size writes a number of bytes in the largest binary unit that leaves at least one.
func Size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n), 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

// Elapsed writes a duration for a person: tenths of seconds below a minute,
// whole seconds above.
func Elapsed(d time.Duration) string {
	if tenths := d.Round(time.Second / 10); tenths < time.Minute {
		return fmt.Sprintf("%.1fs", tenths.Seconds())
	}
	return d.Round(time.Second).String()
}

// standing is where a run stands, in words: the rows, and how many of them an earlier run
// had done; and of this run alone the rows a second and how long it still takes, which is
// empty while there is too little to go by. sent is what nodes were streamed; empty where they are not.
type standing struct{ rows, rate, left, sent string }

// observer tells where a run stands as time goes by.
type observer struct {
	begin time.Time
	rate  *rate
}

func newObserver(begin time.Time) *observer { return &observer{begin, newRate(begin)} }

func (o *observer) observe(now time.Time, c *progress.Counters) standing {
	rows, earlier := c.Rows.Load(), c.Earlier.Load()
	ready := c.Ready.Load() // all rows, of a run that writes many at once
	s := standing{rows: Count(rows) + " rows", rate: Count(o.rate.observe(now, max(rows-earlier, ready))) + " rows/s"}
	if earlier > 0 {
		s.rows += fmt.Sprintf(" (%s before)", Count(earlier))
	}
	if ready > rows-earlier {
		s.rows += fmt.Sprintf(" and %s ready", Count(ready))
	}
	if left, ok := c.Left(now.Sub(o.begin)); ok {
		s.left = left.Round(time.Second).String() + " left"
	}
	s.sent = sentTo(c.Streams.List())
	return s
}

// sentTo says in words what nodes were streamed: the least and the most of them, where that is not the same.
func sentTo(nodes []progress.Streamed) string {
	var most, sessions int64
	least := int64(math.MaxInt64)
	for _, n := range nodes {
		least, most, sessions = min(least, n.Bytes), max(most, n.Bytes), sessions+n.Sessions
	}
	if most == 0 {
		return ""
	}
	sizes := Size(most)
	if s := Size(least); s != sizes {
		sizes = s + " to " + sizes
	}
	return fmt.Sprintf("%s sent to each of %s nodes, %s sessions", sizes, Count(int64(len(nodes))), Count(sessions))
}

// rate is the speed over the last few seconds.
type rate struct {
	samples []sample
}

type sample struct {
	at time.Time
	n  int64
}

// window is how far back the speed is measured.
const window = 10 * time.Second

func newRate(begin time.Time) *rate { return &rate{samples: []sample{{at: begin}}} }

// observe takes in the count at a moment and gives the speed per second.
func (r *rate) observe(now time.Time, n int64) int64 {
	r.samples = append(r.samples, sample{now, n})
	for len(r.samples) > 2 && now.Sub(r.samples[0].at) > window {
		r.samples = r.samples[1:]
	}
	first := r.samples[0]
	elapsed := now.Sub(first.at).Seconds()
	if elapsed <= 0 {
		return 0
	}
	return int64(float64(n-first.n) / elapsed)
}
