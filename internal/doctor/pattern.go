package doctor

import (
	"regexp"
	"strings"
)

// The parts of dates that programs write, and of a time behind them.
var (
	numbersDate = regexp.MustCompile(`^ *[0-9]+(.)[0-9]+.([0-9]+)`)
	yearBegins  = regexp.MustCompile(`^ *[0-9]{4}([/.-])[0-9]{1,2}[/.-][0-9]{1,2}`)
	dayName     = regexp.MustCompile(`^ *[0-9]{1,2}([ -])([A-Za-z]{3,9})([ -])([0-9]{4}|[0-9]{2})`)
	compactDay  = regexp.MustCompile(`^ *(?:19|20)[0-9]{6}([ T-])`)
	nameDay     = regexp.MustCompile(`^ *([A-Za-z]{3,9}) [0-9]{1,2}(,?) ([0-9]{4})`)
	otherDates  = regexp.MustCompile(
		`^ *(?:` + weekdayName + `,? +)?(?:[0-9]{1,2}[ -]` + monthName + `[ -](?:[0-9]{4}|[0-9]{2})|(?:19|20)[0-9]{6}[ T-][0-9]{2}:?[0-9]{2}(?::?[0-9]{2})?|` + monthName + ` [0-9]{1,2},? [0-9]{4}|` + monthTime + `.* [0-9]{4})(?:[^0-9]|$)`,
	)
	weekday  = regexp.MustCompile(`^ *(` + weekdayName + `)(,?) +`)
	unixDate = regexp.MustCompile(
		`^(` + monthName + `) +[0-9]{1,2} [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?)([AaPp][Mm])?(?: (Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))? [0-9]{4} *$`,
	)
	zoneBehind = regexp.MustCompile(`[0-9]:[0-9]{2}(?:[.][0-9]+)?(?: ?[AaPp][Mm])? ([A-Z]{3,5})\b`)
	clockTime  = regexp.MustCompile(
		`^(,? |T|-)[0-9]{1,2}([:.])[0-9]{2}([:.][0-9]{2})?([.][0-9]{1,6})?( ?)([AaPp][Mm])?(?:( ?)(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?$`,
	)
	clockDigits = regexp.MustCompile(
		`^([ T-])[0-9]{4}([0-9]{2})?(?:( ?)(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?$`,
	)
	halfDay   = regexp.MustCompile(`[0-9] ?[AaPp][Mm]\b`)
	timeOfDay = regexp.MustCompile(`[0-9]:[0-9]{2}`)
	namedZone = regexp.MustCompile(
		`[0-9]:[0-9]{2}.*(?:(?:GMT|UTC)[+-][0-9]|[A-Z][a-z]+/[A-Z][a-z])`,
	)
	wordBehind = regexp.MustCompile(`[A-Za-z]{2}`)
)

// monthName is a month in English, as strptime reads it.
const monthName = `(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// weekdayName is a day of the week in English. monthTime is a month with a day and a time. A year
// stands behind it, as date(1) writes it.
const (
	weekdayName = `(?i:mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)`
	monthTime   = monthName + ` +[0-9]{1,2} [0-9]{1,2}:[0-9]{2}`
)

// unreadZone returns the name of a time zone in a text that no pattern reads; empty: there is none.
func unreadZone(text string) string {
	if m := zoneBehind.FindStringSubmatch(text); m != nil && m[1] != "UTC" && m[1] != "GMT" {
		return m[1]
	}
	return ""
}

// formatOf is the pattern of strptime for dates like the example, with numbers in the order. Empty:
// what stands behind the date is no time.
func formatOf(example string, order orders) string {
	if m := weekday.FindStringSubmatch(example); m != nil {
		behind := formatOf(example[len(m[0]):], order)
		if behind == "" {
			return ""
		}
		return short(m[1], "%a", "%A") + m[2] + " " + behind
	}
	if m := unixDate.FindStringSubmatch(example); m != nil {
		return short(
			m[1],
			"%b",
			"%B",
		) + " %d " + clockFormat(
			m[2],
			"",
			m[3],
			m[4],
		) + zoneFormat(
			" ",
			m[5],
		) + " %Y"
	}
	date, end := dateFormat(example, order)
	rest := strings.TrimRight(example[end:], " ")
	if date == "" || rest == "" {
		return date
	}
	if found := clockDigits.FindStringSubmatch(rest); found != nil && date == compactDate {
		return date + found[1] + strings.ReplaceAll(
			clockFormat(found[2], "", "", ""),
			":",
			"",
		) + zoneFormat(
			found[3],
			found[4],
		)
	}
	found := clockTime.FindStringSubmatch(rest)
	if found == nil {
		return ""
	}
	gap, point, seconds, fraction := found[1], found[2], found[3], found[4]
	blank, half, before, zone := found[5], found[6], found[7], found[8]
	switch {
	case seconds != "" && seconds[:1] != point:
		return ""
	case half == "":
		before = blank + before
	}
	fine := clockFormat(seconds, fraction, blank, half)
	return date + gap + strings.ReplaceAll(fine, ":", point) + zoneFormat(before, zone)
}

// clockFormat is the pattern of a time of day with such parts; empty: it lacks them.
func clockFormat(seconds, fraction, blank, half string) string {
	format := "%H:%M"
	if half != "" {
		format = "%I:%M"
	}
	if seconds != "" {
		format += ":%S"
	}
	if fraction != "" {
		format += ".%f"
	}
	if half != "" {
		format += blank + "%p"
	}
	return format
}

// zoneFormat is the pattern of a time zone and what stands before it; empty: there is none.
func zoneFormat(before, zone string) string {
	switch zone {
	case "":
		return ""
	case "UTC", "GMT":
		return before + "%Z"
	default:
		return before + "%z"
	}
}

// short returns the pattern of a name of three letters, or that of a longer one.
func short(name, three, more string) string {
	if len(name) == 3 {
		return three
	}
	return more
}

// compactDate is the pattern of a date without separators before a time.
const compactDate = "%Y%m%d"

// dateFormat is the pattern of the date that an example begins with, and where it ends.
func dateFormat(example string, order orders) (format string, end int) {
	name := func(month string) string { return short(month, "%b", "%B") }
	if m := yearBegins.FindStringSubmatch(example); m != nil {
		if order == daySecond {
			return "%Y" + m[1] + "%d" + m[1] + "%m", len(m[0])
		}
		return "%Y" + m[1] + "%m" + m[1] + "%d", len(m[0])
	}
	if m := dayName.FindStringSubmatch(example); m != nil {
		year := "%Y"
		if len(m[4]) == 2 {
			year = "%y"
		}
		return "%d" + m[1] + name(m[2]) + m[3] + year, len(m[0])
	}
	if m := compactDay.FindStringSubmatch(example); m != nil {
		return compactDate, len(m[0]) - len(m[1])
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
