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

// Briefly writes a number in three digits: 999, 1.23k, 45.6M.
func Briefly(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	size, unit := float64(n), -1
	for size >= 999.5 && unit < len(thousands)-1 {
		size /= 1000
		unit++
	}
	return strconv.FormatFloat(size, 'f', decimals(size), 64) + thousands[unit:unit+1]
}

const thousands = "kMGTPE"

// decimals is how many make three digits of it.
func decimals(size float64) int {
	switch {
	case size < 9.995:
		return 2
	case size < 99.95:
		return 1
	default:
		return 0
	}
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

// Latency writes how long a request takes, in three digits.
func Latency(d time.Duration) string {
	if ms := d.Seconds() * 1000; ms < 999.5 {
		return strconv.FormatFloat(ms, 'f', decimals(ms), 64) + "ms"
	}
	s := d.Seconds()
	return strconv.FormatFloat(s, 'f', decimals(s), 64) + "s"
}
