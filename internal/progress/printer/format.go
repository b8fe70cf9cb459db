package printer

import (
	"fmt"
	"strconv"
	"time"
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

// remaining guesses the time left, in whole seconds, from the share that is done;
// false while there is too little to go by.
func remaining(elapsed time.Duration, share float64) (string, bool) {
	if share < 0.001 || share >= 1 || elapsed < time.Second {
		return "", false
	}
	left := time.Duration(float64(elapsed) * (1 - share) / share)
	return left.Round(time.Second).String(), true
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
