package doctor

import (
	"regexp"
	"strings"
)

// The parts of dates that programs write, and of a time behind them.
var (
	numbersDate = regexp.MustCompile(`^ *[0-9]+(.)[0-9]+.([0-9]+)`)
	yearBegins  = regexp.MustCompile(`^ *[0-9]{4}([/.-])[0-9]{1,2}[/.-][0-9]{1,2}`)
	dayName     = regexp.MustCompile(`^ *[0-9]{1,2}([ -])([A-Za-z]{3,9})([ -])([0-9]{4})`)
	nameDay     = regexp.MustCompile(`^ *([A-Za-z]{3,9}) [0-9]{1,2}(,?) ([0-9]{4})`)
	otherDates  = regexp.MustCompile(`^ *(?:[0-9]{1,2}[ -]` + monthName + `[ -][0-9]{4}|` + monthName + ` [0-9]{1,2},? [0-9]{4})(?:[^0-9]|$)`)
	clockTime   = regexp.MustCompile(`^(,? |T)[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?([.][0-9]{1,6})?( ?)([AaPp][Mm])?(?:( ?)(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?$`)
	halfDay     = regexp.MustCompile(`[0-9] ?[AaPp][Mm]\b`)
	wordBehind  = regexp.MustCompile(`[A-Za-z]{2}`)
)

// monthName is a month in English, as strptime reads it.
const monthName = `(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// formatOf is the pattern of strptime for dates like the example, with numbers in the order. Empty: what stands behind
// the date is no time.
func formatOf(example string, order orders) string {
	date, end := dateFormat(example, order)
	rest := strings.TrimRight(example[end:], " ")
	if date == "" || rest == "" {
		return date
	}
	found := clockTime.FindStringSubmatch(rest)
	if found == nil {
		return ""
	}
	gap, seconds, fraction, blank, half, before, zone := found[1], found[2], found[3], found[4], found[5], found[6], found[7]
	format := date + gap
	if half != "" {
		format += "%I:%M"
	} else {
		format += "%H:%M"
	}
	if seconds != "" {
		format += ":%S"
	}
	if fraction != "" {
		format += ".%f"
	}
	if half != "" {
		format += blank + "%p"
	} else {
		before = blank + before
	}
	switch zone {
	case "":
	case "UTC", "GMT":
		format += before + "%Z"
	default:
		format += before + "%z"
	}
	return format
}

// dateFormat is the pattern of the date that an example begins with, and where it ends.
func dateFormat(example string, order orders) (format string, end int) {
	name := func(month string) string {
		if len(month) == 3 {
			return "%b"
		}
		return "%B"
	}
	if m := yearBegins.FindStringSubmatch(example); m != nil {
		if order == daySecond {
			return "%Y" + m[1] + "%d" + m[1] + "%m", len(m[0])
		}
		return "%Y" + m[1] + "%m" + m[1] + "%d", len(m[0])
	}
	if m := dayName.FindStringSubmatch(example); m != nil {
		return "%d" + m[1] + name(m[2]) + m[3] + "%Y", len(m[0])
	}
	if m := nameDay.FindStringSubmatch(example); m != nil {
		return name(m[1]) + " %d" + m[2] + " %Y", len(m[0])
	}
	m := numbersDate.FindStringSubmatch(example)
	if m == nil {
		return "", 0
	}
	first, second, year := "%d", "%m", "%Y"
	switch order {
	case yearFirst:
		return "%y" + m[1] + "%m" + m[1] + "%d", len(m[0])
	case monthFirst:
		first, second = "%m", "%d"
	}
	if len(m[2]) < 4 {
		year = "%y"
	}
	return first + m[1] + second + m[1] + year, len(m[0])
}
