// Package human writes counts, sizes and times as a person reads them. Lines, findings, pages and
// errors have the same form of each. Texts that programs read, such as those of settings and of
// JSON, have other forms.
package human

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number is what things are counted in.
type Number interface{ ~int | ~int64 }

// Count writes a number with commas between the thousands.
func Count[N Number](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
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

// Of writes how many there are of a thing, which is given in the singular: 1 node, 1,200 nodes.
func Of[N Number](n N, thing string) string { return Count(n) + " " + Noun(n, thing) }

// Noun returns the name of a thing in the singular if n is 1, and otherwise in the plural.
func Noun[N Number](n N, thing string) string {
	if n == 1 {
		return thing
	}
	if stem, ok := strings.CutSuffix(
		thing,
		"y",
	); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") &&
		!strings.HasSuffix(stem, "o") {
		return stem + "ies"
	}
	return thing + "s"
}

// Verb returns one, the form of a verb for a single thing, if n is 1, and otherwise many.
func Verb[N Number](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
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

// Percent writes a part of 1 as a percentage, cut off and not rounded: what is not all is not
// called 100%.
func Percent(share float64) string {
	return fmt.Sprintf("%.1f%%", math.Floor(1000*share+1e-9)/10)
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

// Elapsed writes how long something took, or takes yet: tenths of seconds below a minute, whole
// seconds above.
func Elapsed(d time.Duration) string {
	if tenths := d.Round(time.Second / 10); tenths < time.Minute {
		return fmt.Sprintf("%.1fs", tenths.Seconds())
	}
	return d.Round(time.Second).String()
}

// Latency writes how long a request takes, or how far apart clocks are, in three digits; below ten
// microseconds, as it is.
func Latency(d time.Duration) string {
	if d != 0 && d.Abs() < 10*time.Microsecond {
		return d.String()
	}
	if ms := d.Seconds() * 1000; ms < 999.5 {
		return strconv.FormatFloat(ms, 'f', decimals(ms), 64) + "ms"
	}
	s := d.Seconds()
	return strconv.FormatFloat(s, 'f', decimals(s), 64) + "s"
}

// Roughly writes a time that is an estimate, or that only has to have the right order of magnitude,
// in words: 82 seconds, 7 hours, 3 days.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return "under a second"
	case d < 2*time.Minute:
		return Of(int64(d.Round(time.Second).Seconds()), "second")
	case d < 2*time.Hour:
		return Of(int64(d.Round(time.Minute).Minutes()), "minute")
	case d < 48*time.Hour:
		return Of(int64(d.Round(time.Hour).Hours()), "hour")
	default:
		return Of(int64(d.Hours())/24, "day")
	}
}
