package setting

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// span is a length of time, with its unit.
type span time.Duration

func (s *span) String() string { return spanText(time.Duration(*s)) }
func (*span) Type() string     { return "time" }

func (s *span) Set(text string) error {
	d, ok := parseSpan(text)
	if !ok {
		hint := "write it with its unit, as 500ms, 30s, 10m or 1h"
		if n, err := strconv.ParseUint(text, 10, 31); err == nil {
			hint = fmt.Sprintf("write it with its unit, as %dms, %ds or %dm", n, n, n)
		}
		return fmt.Errorf("%q is no time: %s", text, hint)
	}
	*s = span(d)
	return nil
}

// Seconds is a whole number of seconds, or a length of time with its unit.
type Seconds int

// String is the number.
func (s *Seconds) String() string { return strconv.Itoa(int(*s)) }

// Type is what help calls the value.
func (*Seconds) Type() string { return "seconds" }

// Set reads seconds.
func (s *Seconds) Set(text string) error {
	if n, err := strconv.Atoi(text); err == nil {
		*s = Seconds(n)
		return nil
	}
	d, ok := parseSpan(text)
	if !ok || d%time.Second != 0 {
		return fmt.Errorf("%q is no number of seconds: write it as 3600, 1h or 30d", text)
	}
	*s = Seconds(d / time.Second)
	return nil
}

// Age is how old something is: a length of time with its unit. A number alone is refused but for 0,
// as it may be meant as days.
type Age time.Duration

// String is the length with its units.
func (a *Age) String() string { return spanText(time.Duration(*a)) }

// Type is what help calls the value.
func (*Age) Type() string { return "age" }

// Set reads a length of time.
func (a *Age) Set(text string) error {
	d, ok := parseSpan(text)
	if _, err := strconv.ParseUint(text, 10, 31); !ok && err == nil {
		return fmt.Errorf("%q has no unit: write it as %[1]sd for days, or %[1]sh for hours", text)
	}
	if !ok || d < 0 {
		return fmt.Errorf("%q is no age: write it with its unit, as 12h, 7d or 4w", text)
	}
	*a = Age(d)
	return nil
}

// days are what a time may begin with that time.ParseDuration does not know.
var days = regexp.MustCompile(`^(?:([0-9]{1,6})w)?(?:([0-9]{1,6})d)?(.*)$`)

// parseSpan reads a length of time: weeks and days, each of 24 hours, and what
// time.ParseDuration knows, each part with its unit.
func parseSpan(text string) (time.Duration, bool) {
	parts := days.FindStringSubmatch(strings.ReplaceAll(text, " ", ""))
	if parts == nil {
		return 0, false
	}
	var hours int64
	for i, length := range []int64{7 * 24, 24} {
		if n, err := strconv.ParseInt(parts[i+1], 10, 64); err == nil {
			hours += n * length
		}
	}
	if parts[3] == "" && parts[1]+parts[2] != "" {
		parts[3] = "0s"
	}
	rest, err := time.ParseDuration(parts[3])
	if err != nil || hours > 0 && rest < 0 ||
		hours >= int64((math.MaxInt64-max(rest, 0))/time.Hour) {
		return 0, false
	}
	return time.Duration(hours)*time.Hour + rest, true
}

// spanText writes a length of time without parts that are zero behind its first.
func spanText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
